"""An informed attacker on histories: some customers show what goods were called, and the others are looked for.

Goods in groups that nobody publishes tell an attacker who has to guess the groups little; whoever knows them finds
everybody. The judge tells half of the correspondence. What each good was released as is learned from it as words of
another language are learned from sentences with their translation (IBM model 1): a released row comes from one of the
customer's own rows, or from none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from icefire.audit import judge
from icefire.core import formatting, seeds
from icefire.core.history import History, HistoryComparison
from icefire.core.release import Guess
from icefire.core.scorecard import Reason
from icefire.kernels.types import Float, Int
from icefire.words import t

TAUGHT, ASKED = 2000, 1000
"""Customers who are learned from, and who are asked about, at most."""
FEWEST = 40
"""Of fewer customers half show too little."""
MOST_GOODS, PRODUCTS = 2000, 1 << 33
"""Goods of either side that are told apart, the most frequent ones, and multiplications at most."""
HELD = 1 << 23
"""Values held at once."""
COMPARED = 1 << 26
"""Customers asked about × customers, at most, unless fewer are asked about than `FEWEST`."""
ROUNDS = 12
"""Rounds of expectation and maximisation."""
PRIOR = 0.5
"""Rows of every good that count beside those learned from."""
LEAST_SPREAD = 0.05
"""Least standard deviation of the logarithm of how many rows are left."""
TIED = 1e-9


def unread_goods(comparison: HistoryComparison, guesses: Mapping[str, Guess], limit: float, seed: int) -> list[Reason]:
    """Refuse a history in which whoever knows what goods were called finds more people than may be identified.

    Where an attack finds as many by itself, nothing is added to what the limit says.

    Args:
        comparison: Both histories and the truth.
        guesses: The answers of the attacks.
        limit: Share of people that may be identified.
        seed: Decides who is taught and who is asked about.
    """
    truth, released = comparison.truth.rows, comparison.released
    rates = [float((guess.first == truth).mean()) for guess in guesses.values() if guess.names_rows]
    attacked = max(rates, default=0.0)
    people = np.unique(truth[truth >= 0])
    if attacked > limit or len(people) < FEWEST or not released.height:
        return []
    order = seeds.generator(seed, "judge", "informed attacker on goods").permutation(people)
    half = len(order) // 2
    taught = np.flatnonzero(np.isin(truth, order[:half]))[:TAUGHT]
    most = min(ASKED, max(FEWEST, COMPARED // comparison.original.subjects))
    asked = np.flatnonzero(np.isin(truth, order[half:]))[:most]
    by_rows = _by_rows_left(comparison, taught, asked)
    own = truth[asked]
    for scores, words in (
        (by_rows, "informed_rows"),
        (by_rows + _by_goods(comparison, taught, asked), "informed_goods"),
    ):
        hits = _expected_hits(scores, own)
        if judge.wilson(hits, len(asked))[0] > limit:
            share = hits / len(asked)
            said = {"share": formatting.percent(share), "attacked": formatting.percent(attacked)}
            text = t(f"verdict.further.{words}", taught=len(taught), asked=len(asked), **said)
            evidence = {"share": share, "attacked": attacked, "asked": len(asked), "limit": limit}
            return [Reason("not_assessed", text, evidence)]
    return []


def _expected_hits(scores: Float, own: Int) -> float:
    """Return how many of those asked about are expected to be found, one drawn of several that fit equally well."""
    best = scores.max(axis=1)
    tied = (scores >= best[:, None] - TIED).sum(axis=1)
    return float(np.where(scores[np.arange(len(own)), own] >= best - TIED, 1.0 / tied, 0.0).sum())


def _by_rows_left(comparison: HistoryComparison, taught: Int, asked: Int) -> Float:
    """Return for those asked about the log-likelihood of every customer by how many rows there are."""
    original, released, truth = comparison.original, comparison.released, comparison.truth.rows
    had = np.log(np.maximum(np.bincount(original.codes, minlength=original.subjects), 1))
    has = np.log(np.maximum(np.bincount(released.codes, minlength=released.subjects), 1))
    left = has[taught] - had[truth[taught]]
    spread = max(float(left.std()), LEAST_SPREAD)
    scores: Float = -0.5 * ((has[asked][:, None] - had - left.mean()) / spread) ** 2
    return scores


def _by_goods(comparison: HistoryComparison, taught: Int, asked: Int) -> Float:
    """Return for those asked about the log-likelihood of every customer by the names of goods, learned from others."""
    original, released, truth = comparison.original, comparison.released, comparison.truth.rows
    most = min(MOST_GOODS, int(np.sqrt(PRODUCTS / max(original.subjects, 1))))
    known, shown = _frequent(original, most), _frequent(released, most)
    bags = _Bags(original, known), _Bags(released, shown)
    names = learned_names(bags[0].lines(truth[taught]), bags[1].lines(taught))
    sought = bags[1].lines(asked)
    counts = np.bincount(released.items, minlength=len(released.goods))
    usual = _shares(counts[shown].astype(float))
    scores = np.empty((len(asked), original.subjects))
    at_once = max(1, HELD // max(len(known), len(shown), 1))
    for start in range(0, original.subjects, at_once):
        some = np.arange(start, min(start + at_once, original.subjects))
        scores[:, some] = sought @ np.log(_expected(bags[0].lines(some), names) / usual).T
    return scores


def learned_names(known: Float, shown: Float) -> Float:
    """Learn how probably each good is released as each name; the last line is of rows that come from none.

    Args:
        known: How many rows of every good each customer has.
        shown: How many rows of every released name the same customers have.

    Returns:
        Goods, and none of them, × names.
    """
    known = np.column_stack([known, np.ones(len(known))])
    usual = _shares(shown.sum(axis=0))
    names = np.tile(usual, (known.shape[1], 1))
    for _ in range(ROUNDS):
        counted = np.zeros_like(names)
        for own, released in zip(known, shown, strict=True):
            goods, said = np.flatnonzero(own), np.flatnonzero(released)
            parts = names[np.ix_(goods, said)] * own[goods, None]
            counted[np.ix_(goods, said)] += parts / parts.sum(axis=0) * released[said]
        names = (counted + PRIOR * usual) / (counted.sum(axis=1, keepdims=True) + PRIOR)
    return names


class _Bags:
    """How many rows of every frequent good a customer has."""

    def __init__(self, history: History, goods: Int) -> None:
        place = np.full(len(history.goods), -1, np.int64)
        place[goods] = np.arange(len(goods))
        self._places, self._goods, self._history = place[history.items], len(goods), history

    def lines(self, people: Int) -> Float:
        """Return a line for each of these customers."""
        line = np.full(self._history.subjects, -1, np.int64)
        distinct, back = np.unique(people, return_inverse=True)
        line[distinct] = np.arange(len(distinct))
        lines = line[self._history.codes]
        some = (lines >= 0) & (self._places >= 0)
        cells = lines[some] * self._goods + self._places[some]
        counts = np.bincount(cells, minlength=len(distinct) * self._goods).astype(float)
        bags: Float = counts.reshape(len(distinct), self._goods)[back]
        return bags


def _frequent(history: History, most: int) -> Int:
    counts = np.bincount(history.items, minlength=len(history.goods))
    return np.sort(np.argsort(-counts, kind="stable")[:most])


def _expected(bags: Float, names: Float) -> Float:
    """Return how probably a released row of each customer has each name."""
    rows = bags @ names[:-1] + names[-1]
    expected: Float = rows / (bags.sum(axis=1, keepdims=True) + 1.0)
    return expected


def _shares(counts: Float) -> Float:
    """Return the share of every name, none of them 0."""
    shares: Float = (counts + PRIOR) / (counts.sum() + PRIOR * len(counts))
    return shares
