"""In which order columns refine one another, and which are left out: the structure that explains the release best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from icefire.attacks.histories.link.layers import KeyLayers, RowColumn, RowOwners, build_layers, weigh
from icefire.attacks.histories.link.learning import BUDGET, KEPT, ROUNDS, STARTS, LearnedRates, learn, posterior
from icefire.attacks.histories.link.prepared import Prepared, unit_variants
from icefire.kernels.baskets import key_evidence
from icefire.kernels.types import Bool, Float, Int

TRIAL_ROUNDS = 4
TRIAL_SUBJECTS = 300
"""Released subjects on which structures are tried."""
AGREEING, CLEAR = 0.9, 3.0
"""No further start is tried where the halves agree so often, and the evidence is so many times what it takes to name
one of all customers."""
MOST_REPEATS = 63
Chain = list[RowColumn]


@dataclass(frozen=True)
class HalfAnswers:
    """The customers that two halves of the goods lead to, and the weights of these answers."""

    customers: tuple[Int, Int]
    weights: tuple[Float, Float]

    @property
    def agreeing(self) -> float:
        """Share of the released subjects for whom both halves lead to the same customer."""
        return float((self.customers[0] == self.customers[1]).mean())

    @property
    def expected(self) -> float:
        """The same share as the weights of the answers would have it."""
        return float((self.weights[0] * self.weights[1]).mean())


@dataclass(frozen=True)
class Structure:
    """An order of columns, the rates it began with, and what was learned by it."""

    prepared: Prepared
    chain: Chain
    start: tuple[float, float]
    learned: LearnedRates
    halves: HalfAnswers

    @property
    def quality(self) -> tuple[float, float]:
        """How often the halves agree, to a percent, and the mean evidence for the released subjects."""
        return (round(self.halves.agreeing, 2), self.learned.evidence)

    @property
    def is_clear(self) -> bool:
        """Tell whether no other start can be expected to do better."""
        enough = CLEAR * np.log(self.prepared.owners.own_count)
        return self.halves.agreeing > AGREEING and self.learned.evidence > enough


def learn_best(prepared: Prepared, goods: bool = True) -> Structure:
    """Try structures and starts on some of the released subjects, and learn by the best on all.

    Where pseudonyms seem to change, customers as they are and customers cut by periods are both tried.

    Args:
        prepared: The comparable columns.
        goods: Whether goods are compared.

    Returns:
        The structure by which the halves agree most often, and what was learned by it.
    """
    variants = [_best_structure(variant, goods) for variant in unit_variants(prepared)]
    best = max(variants, key=lambda structure: structure.quality)
    return _learned(best.prepared, best.chain, best.start, None, ROUNDS)


def _best_structure(prepared: Prepared, goods: bool) -> Structure:
    some = _some_subjects(prepared.owners)
    trials: list[Structure] = []
    for start in STARTS:
        trials += [_learned(prepared, chain, start, some, TRIAL_ROUNDS) for chain in _chains(prepared, goods)]
        best = max(trials, key=lambda structure: structure.quality)
        if best.is_clear:
            break
    useful = _useful(best.chain, best.learned)
    if len(useful) < len(best.chain):
        fewer = _learned(prepared, useful, best.start, some, TRIAL_ROUNDS)
        best = max(best, fewer, key=lambda structure: structure.quality)
    return best


def _learned(prepared: Prepared, chain: Chain, start: tuple[float, float], some: Bool | None, rounds: int) -> Structure:
    learned = learn(_layers(prepared, chain, some), start, rounds)
    one, other = (_half_answers(prepared, chain, some, learned, half) for half in (0, 1))
    return Structure(prepared, chain, start, learned, HalfAnswers((one[0], other[0]), (one[1], other[1])))


def _half_answers(
    prepared: Prepared, chain: Chain, some: Bool | None, learned: LearnedRates, half: int
) -> tuple[Int, Float]:
    """Answer by half of the goods alone: the likeliest customers, and their weights."""
    own, shown = (codes % 2 == half for codes in (prepared.goods.own, prepared.goods.shown))
    part = prepared.with_rows(own, shown)
    layers = _layers(part, [column.with_rows(own, shown) for column in chain], some)
    evidence = weigh(layers, learned.rates)
    pairs = key_evidence.best_pairs(evidence.known, evidence.shown, len(layers.layer), KEPT, BUDGET)
    weights = posterior(pairs, prepared.owners.own_count)
    rows, top = np.arange(len(weights)), weights.argmax(axis=1)
    return prepared.units.owner[np.maximum(pairs.sets[rows, top], 0)], weights[rows, top]


def _chains(prepared: Prepared, goods: bool) -> list[Chain]:
    """The orders of columns that are tried."""
    first = [prepared.goods] if goods else []
    number, price = (prepared.amounts.get(name, []) for name in ("number", "price"))
    amounts = [*number, *price]
    chains: list[Chain] = []
    for dates in (prepared.dates, prepared.elapsed) if prepared.dates else ([],):
        chains.append([*first, *dates, *amounts, *prepared.others])
        if dates and amounts:
            chains.append([*first, *amounts, *dates, *prepared.others])
    if prepared.dates:
        chains.append([*first, *amounts, *prepared.others])
    if price and not goods:
        # The price is read together with the good.
        chains.append([*first, *prepared.dates, *number, *prepared.others])
    return [chain for chain in chains if chain] or [[prepared.goods]]


def _useful(chain: Chain, learned: LearnedRates) -> Chain:
    """Leave out columns whose keys speak against the pairs that all columns together lead to."""
    bits = dict(zip(learned.layers.names, learned.bits, strict=True))
    return [column for place, column in enumerate(chain) if place == 0 or bits.get(column.name, 0.0) > 0]


def _some_subjects(owners: RowOwners) -> Bool | None:
    """Choose released subjects evenly; None for all of them."""
    if owners.shown_count <= TRIAL_SUBJECTS:
        return None
    chosen = np.zeros(owners.shown_count, np.bool_)
    chosen[np.linspace(0, owners.shown_count - 1, TRIAL_SUBJECTS).astype(np.int64)] = True
    return chosen


def _layers(prepared: Prepared, chain: Chain, some: Bool | None) -> KeyLayers:
    """Build the layers, of some released subjects only if they are given."""
    if some is None:
        ordinals = _repeats(prepared.owners, chain)
        return build_layers(prepared.owners, chain, ordinals, prepared.receipts, prepared.profile)
    rows = some[prepared.owners.shown]
    part = prepared.with_rows(np.ones(len(prepared.owners.own), np.bool_), rows)
    number = np.cumsum(some) - 1
    owners = replace(part.owners, shown=number[part.owners.shown], shown_count=int(some.sum()))
    profile = [replace(column, shown=column.shown[some]) for column in part.profile]
    fewer = [column.with_rows(np.ones(len(column.own), np.bool_), rows) for column in chain]
    return build_layers(owners, fewer, _repeats(owners, fewer), part.receipts, profile)


def _repeats(owners: RowOwners, chain: Sequence[RowColumn]) -> RowColumn:
    """Number the rows that are equal in all columns, so that equal rows count as often as they occur."""
    own = _ordinals(owners.own, [column.own for column in chain])
    shown = _ordinals(owners.shown, [column.shown for column in chain])
    return RowColumn("repeated purchases", own, shown)


def _ordinals(subjects: Int, columns: list[Int]) -> Int:
    order = np.lexsort((*reversed(columns), subjects))
    same = np.ones(len(order), np.bool_)
    same[:1] = False
    for values in (subjects, *columns):
        in_order = values[order]
        same[1:] &= in_order[1:] == in_order[:-1]
    first = np.flatnonzero(~same)
    ordinals = np.empty(len(order), np.int64)
    ordinals[order] = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    return np.minimum(ordinals, MOST_REPEATS)
