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
Steps = list[RowColumn]
"""One column of the histories, coarse to fine."""


@dataclass(frozen=True)
class HalfAnswers:
    """The customers that two halves of the rows lead to, and the weights of these answers."""

    customers: tuple[Int, Int]
    weights: tuple[Float, Float]

    @property
    def agreeing(self) -> float:
        """Share of the released subjects for whom both halves lead to the same customer, beyond chance.

        Halves that name the same few customers for everybody agree by chance, and that counts for nothing.
        """
        one, other = self.customers
        if not len(one):
            return 0.0
        size = int(max(one.max(), other.max())) + 1
        shares = [np.bincount(half, minlength=size) / len(half) for half in self.customers]
        chance = float((shares[0] * shares[1]).sum())
        return max(0.0, (float((one == other).mean()) - chance) / max(1.0 - chance, 1e-9))

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
    halved_by: RowColumn
    """The column by whose values the rows are divided into halves."""

    @property
    def quality(self) -> tuple[float, float]:
        """How often the halves agree, to a percent, and the mean evidence for the released subjects."""
        return (round(self.halves.agreeing, 2), self.learned.evidence)

    @property
    def is_clear(self) -> bool:
        """Tell whether no other start can be expected to do better."""
        enough = CLEAR * np.log(self.prepared.owners.own_count)
        return self.halves.agreeing > AGREEING and self.learned.evidence > enough


def learn_best(prepared: Prepared, goods: bool = True, totals: bool = False) -> Structure:
    """Try structures and starts on some of the released subjects, and learn by the best on all.

    Where pseudonyms seem to change, customers as they are and customers cut by periods are both tried.

    Args:
        prepared: The comparable columns.
        goods: Whether goods are compared.
        totals: Whether totals of customers are compared, too. They may agree by chance, and both halves have them, so
            that what is learned by them is a beginning only.

    Returns:
        The structure by which the halves agree most often, and what was learned by it.
    """
    if totals:
        prepared = replace(prepared, profile=[*prepared.profile, *prepared.totals])
    variants = [_best_structure(variant, goods) for variant in unit_variants(prepared)]
    best = max(variants, key=lambda structure: structure.quality)
    return _learned(best.prepared, best.chain, best.halved_by, best.start, None, ROUNDS)


def _best_structure(prepared: Prepared, goods: bool) -> Structure:
    some = _some_subjects(prepared.owners)
    trials: list[Structure] = []
    # Without names of goods, the same rows of both sides are found by the finest column.
    orders = [(chain, prepared.goods if goods else chain[-1]) for chain in _chains(prepared, goods)]
    for candidates in (orders, _other_beginnings(prepared)):
        for start in STARTS:
            trials += [_learned(prepared, *order, start, some, TRIAL_ROUNDS) for order in candidates]
            best = max(trials, key=lambda structure: structure.quality)
            if best.is_clear:
                break
        if best.is_clear:
            break
    useful = _useful(best.chain, best.learned)
    if len(useful) < len(best.chain):
        fewer = _learned(prepared, useful, best.halved_by, best.start, some, TRIAL_ROUNDS)
        best = max(best, fewer, key=lambda structure: structure.quality)
    return best


def _learned(
    prepared: Prepared, chain: Chain, halved_by: RowColumn, start: tuple[float, float], some: Bool | None, rounds: int
) -> Structure:
    learned = learn(_layers(prepared, chain, some), start, rounds)
    halves = [(halved_by.own % 2 == half, halved_by.shown % 2 == half) for half in (0, 1)]
    one, other = (_half_answers(prepared, chain, some, learned, rows) for rows in halves)
    answers = HalfAnswers((one[0], other[0]), (one[1], other[1]))
    return Structure(prepared, chain, start, learned, answers, halved_by)


def _half_answers(
    prepared: Prepared, chain: Chain, some: Bool | None, learned: LearnedRates, rows_of_half: tuple[Bool, Bool]
) -> tuple[Int, Float]:
    """Answer by half of the rows alone: the likeliest customers, and their weights."""
    own, shown = rows_of_half
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


def _other_beginnings(prepared: Prepared) -> list[tuple[Chain, RowColumn]]:
    """Orders that begin with another column than the goods, for goods that were exchanged between customers.

    The goods refine the last column. Rows are divided into halves by the finest step of the first.
    """
    columns: list[Steps] = [prepared.dates, prepared.elapsed, *prepared.amounts.values()]
    columns += [[column] for column in prepared.others]
    orders = []
    for first in (column for column in columns if column):
        # Dates and the time since the first one are two readings of the same column.
        further = [steps for steps in columns if steps is not first and steps is not prepared.elapsed]
        if first is prepared.elapsed:
            further = [steps for steps in further if steps is not prepared.dates]
        rest = [column for steps in further for column in steps]
        orders.append(([*first, *rest, prepared.goods], first[-1]))
    return orders


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
