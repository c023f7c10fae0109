"""Who holds which released row, and who was left out, if whole rows were exchanged within a limit of loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icefire.attacks.membership import shortlist
from icefire.attacks.membership.member_odds import MOST, among_asked, outsider_ratios
from icefire.attacks.membership.people import People, known_people, order_by_place, order_by_values
from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.core import blocks, record_loss
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Columns
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.records import candidate_pairs, candidates, conspicuous_candidates
from icefire.kernels.records.exchange_weights import exchange_weights
from icefire.kernels.records.loss import Records
from icefire.kernels.types import Bool, Float, Int, Int32
from icefire.theory import membership

LISTED = 1 << 22
"""Candidates listed of all people together: of each so many at random, where they have more."""
FEWEST = 32
"""But not fewer of each than this."""
ROUNDS = 40
DEPTHS = 5
"""How many rare rows were avoided is not known: so many depths are tried, and averaged."""
SELDOM = 0.01
"""Weight of a candidate that is avoided: it is given only where there is no other."""
RARE = 0.05
"""The share of the people with the fewest candidates that is a feature of its own."""
BAND = 2.5
"""Numbers in bands of so many limits make the classes in which a person may be alone."""


@dataclass(frozen=True, slots=True)
class ExchangeKnowledge:
    """What the attacker knows beside the data."""

    limit: float
    """Nobody's new row differs from the own by a larger loss."""
    members: float
    """Share of members among the records asked about."""
    guesses: int = 0
    """Rows that an attacker with so many guesses would name were avoided; 0 if none were."""
    avoided: float = 1.0
    """How probable it is that they were."""
    few: int | None = None
    """People with at most so many candidates were left out; None if that is not known."""
    numbers: Columns = None
    categories: Columns = None


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Rows that each person may hold: rows[start[i]:start[i + 1]], ascending."""

    start: Int
    rows: Int32
    weights: Float


def answers(case: MembershipCase, knows: ExchangeKnowledge, rng: np.random.Generator) -> Guess:
    """Answer with the three likeliest rows of every record that is worth calling a member.

    All people are matched with all released rows at once: each row belongs to one person, each person holds one row or
    was left out. Who was left out is learned from how those asked about differ from everybody: in their number of
    candidates, in being alone in their class, and in whether their own values are still in the release.
    """
    people = known_people(case)
    order = _order(case, knows)
    sorted_case = MembershipCase(people.table, case.released.take(order))
    known, shown = encode_records(sorted_case, knows.numbers, knows.categories)
    ratio = _ratios(people, known, shown, knows)
    pairs = _pairs(known, shown, people.asked, knows, rng)
    chances, left_out = np.zeros(len(pairs.rows)), np.zeros(len(known.numbers))
    for probability, weights in _ways(pairs, known, shown, knows):
        mean = max(float(weights.sum()) / len(known.numbers), 1e-9)
        part = exchange_weights(pairs.start, pairs.rows, weights, ratio * mean, case.choices, ROUNDS)
        chances, left_out = chances + probability * part[0], left_out + probability * part[1]
    held = np.maximum(1 - left_out[: people.asked], 1e-9)
    best = candidate_pairs.best_pairs(pairs.start[: people.asked + 1], chances, ANSWERS)
    named = np.where(best < 0, NO_ANSWER, np.append(pairs.rows, NO_ANSWER)[best])
    each = np.where(best < 0, 0.0, np.append(chances, 0.0)[best]) / held[:, None]
    member = among_asked(held, case.choices / len(known.numbers), knows.members)
    claimed = membership.worth_claiming(member, np.minimum(each.sum(axis=1), 1.0))
    asked = known.take(np.arange(people.asked))
    rows = np.where(claimed[:, None], shortlist.complete_answers(named, asked, shown), NO_ANSWER)
    rows = np.where(rows < 0, NO_ANSWER, order[rows])
    return Guess(rows, probability=np.clip(each[:, 0] * member, 0.0, 1.0), scores=member)


def _order(case: MembershipCase, knows: ExchangeKnowledge) -> Int:
    """Return the order in which released rows are compared: that of the original where the method is known."""
    if knows.guesses and case.original is not None:
        return order_by_place(case.released.frame, case.original.frame)
    return order_by_values(case.released.frame)


def _ratios(people: People, known: Records, shown: Records, knows: ExchangeKnowledge) -> Float:
    """Return for each person how much likelier somebody like that was left out."""
    everybody = np.arange(len(known.numbers))
    counts = candidates.counts(known, known, knows.limit, everybody)
    alone = _alone(people, knows)
    features = [np.log1p(counts), counts <= np.quantile(counts, RARE), alone]
    # Released rows that stand for people are there themselves: their own values say nothing.
    if people.held:
        present = candidates.counts(known, shown, 0.0) > 0
        features += [present, present & alone]
    share = min(1.0, len(shown.numbers) / len(known.numbers)) if people.held else 1.0
    columns = np.stack([column.astype(np.float64) for column in features], axis=1)
    ratio = outsider_ratios(columns, everybody[: people.asked], knows.members, share)
    return ratio if knows.few is None else np.where(counts <= knows.few, MOST**2, ratio)


def _alone(people: People, knows: ExchangeKnowledge) -> Bool:
    """Tell who shares the quasi-identifiers with nobody, numbers taken in bands."""
    table = people.table
    key = list(table.qi) or list(table.frame.columns)
    usual = record_loss.columns(table)[0] if knows.numbers is None else knows.numbers
    numbers = [name for name in usual if name in key and table.frame[name].dtype.is_numeric()]
    width = max(BAND * knows.limit, np.finfo(np.float64).tiny)
    bands = [(table.frame[name] / width).round() for name in numbers]
    labels = blocks.blocks_of_table(table.frame.with_columns(bands), key).x_labels
    alone: Bool = np.bincount(labels)[labels] == 1
    return alone


def _pairs(known: Records, shown: Records, asked: int, knows: ExchangeKnowledge, rng: np.random.Generator) -> _Pairs:
    """List who may hold which row: all candidates of those asked about, of the others as many as memory allows."""
    first = known.take(np.arange(asked))
    others = known.take(np.arange(asked, len(known.numbers)))
    cap = max(FEWEST, LISTED // len(known.numbers))
    start, rows = candidates.lists(first, shown, knows.limit)
    more, more_rows = candidates.lists(others, shown, knows.limit, cap, rng.random(len(others.numbers)))
    thinned = candidates.counts(others, shown, knows.limit) / np.maximum(np.diff(more), 1)
    weights = np.concatenate([np.ones(len(rows)), np.repeat(thinned, np.diff(more))])
    start, rows = np.concatenate([start, start[-1] + more[1:]]), np.concatenate([rows, more_rows])
    # Nobody keeps the own values: a row equal to a person's is somebody else's.
    moved = candidate_pairs.pair_distances(known, shown, start, rows)[1] > 0
    start = np.concatenate([[0], np.cumsum(moved)])[start]
    return _Pairs(start, rows[moved], weights[moved])


def _ways(pairs: _Pairs, known: Records, shown: Records, knows: ExchangeKnowledge) -> list[tuple[float, Float]]:
    """Return the ways in which rows may have been dealt, each with its probability and the weights of the candidates.

    The released rows are the same whether conspicuous ones were avoided or not, so they do not tell which it was.
    """
    avoided = knows.avoided if knows.guesses else 0.0
    ways = [(1.0 - avoided, pairs.weights)] if avoided < 1 else []
    return [*ways, (avoided, _inconspicuous_first(pairs, known, shown, knows))] if avoided else ways


def _inconspicuous_first(pairs: _Pairs, known: Records, shown: Records, knows: ExchangeKnowledge) -> Float:
    """Weigh candidates by how probably they do not stand out: the others are avoided."""
    around = candidates.counts(shown, shown, knows.limit).astype(np.float64)
    crowds = around, candidates.sums(shown, shown, np.reciprocal(around), knows.limit)
    plain = np.zeros(len(pairs.rows))
    for depth in range(DEPTHS):
        draws = np.full(len(known.numbers), (depth + 0.5) / DEPTHS)
        plain += conspicuous_candidates.inconspicuous(
            known, shown, pairs.start, pairs.rows, crowds, knows.guesses, draws
        )
    weights: Float = pairs.weights * np.maximum(plain / DEPTHS, SELDOM)
    return weights
