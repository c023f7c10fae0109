"""Candidates of every released row, their posterior weights, and the answers they give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from icefire.attacks.tables.link.channels import NOTHING, Channel, ReleasedClasses, channel_table, table_rows
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.search import SAMPLED, CandidateSearch, equal_rows
from icefire.kernels.assignment import auction
from icefire.kernels.common import threads
from icefire.kernels.linkage import balancing
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Bool, Float, Float32, Int, Int32

KEPT = 64
ROUNDS = 30
SPAN = 1 << 16
"""Released rows whose pairs are compared at once."""
LEAST = 1e-9
"""Posterior weights below this are not worth bidding for."""
STEP = 0.02


@dataclass(frozen=True)
class Scorer:
    """Tables of log ratios of the columns that say something, ready to score pairs."""

    columns: Sequence[LinkColumn]
    channels: Sequence[Channel]
    y_rows: Int32
    """The row of each table for every released row: rows × columns."""
    search: CandidateSearch
    """The tables, and the search for original rows by them."""

    @property
    def ratios(self) -> Sequence[Float]:
        """Table of each column: released levels or classes × original levels."""
        return self.search.ratios

    @property
    def originals(self) -> int:
        """Number of original rows."""
        return int(self.search.x_levels.shape[1])

    def with_ratios(self, ratios: Sequence[Float]) -> Scorer:
        """Return the same with other tables."""
        return replace(self, search=self.search.with_ratios(ratios))

    def part(self, places: Int) -> Scorer:
        """Return the same for some of the columns."""
        return Scorer(
            [self.columns[place] for place in places],
            [self.channels[place] for place in places],
            self.y_rows[:, places],
            self.search.part(places),
        )

    @cached_property
    def alike(self) -> Int:
        """How many released rows have the same levels in all columns that say something, for each of them."""
        groups = equal_rows(self.y_rows)
        return groups.x_sizes[groups.x_labels]

    def equal(self, released: Int, rows: Int32, names: Collection[str]) -> Bool:
        """Tell for every listed pair whether all the columns named are equal, or covered by the released label.

        Args:
            released: Some released rows.
            rows: Candidates of each.
            names: The columns.
        """
        agree = np.ones(rows.shape, np.bool_)
        for place, column in enumerate(self.columns):
            if column.name in names and not self.channels[place].swapped:
                alike = column.same if column.covers is None else column.same | column.covers
                for a, b in threads.spans(len(rows), SPAN, len(rows)):
                    agree[a:b] &= alike[self.y_rows[released[a:b], place, None], column.x.codes[rows[a:b]]]
        return agree

    def candidates(self, y_rows: Int32, keep: int = KEPT) -> CandidateLists:
        """Return the best original rows of released rows."""
        return self.search.candidates(y_rows, keep)


def scorer(
    columns: Sequence[LinkColumn],
    channels: Sequence[Channel],
    classes: ReleasedClasses | None,
    tables: Sequence[Float] | None = None,
    room: Callable[[tuple[int, ...], Any], Any] = np.zeros,
) -> Scorer:
    """Put together the tables of the columns that say something.

    Args:
        columns: The columns of both tables.
        channels: Their channels.
        classes: The classes in which values were dealt, if they were.
        tables: The table of each channel as if no values were dealt, where it is at hand.
        room: Makes the array of the levels of all original rows.
    """
    places = [place for place, channel in enumerate(channels) if channel != NOTHING]
    used = [(columns[place], channels[place]) for place in places]
    n, m = len(columns[0].x.codes), len(columns[0].y.codes)
    y_rows, x_levels = np.zeros((m, len(used)), np.int32), room((len(used), n), np.uint16)
    for place, (column, channel) in enumerate(used):
        y_rows[:, place] = table_rows(column, channel, classes)
        x_levels[place] = column.x.codes
    plain = [None if tables is None else tables[place] for place in places]
    ratios = threads.starmap(channel_table, [(*pair, classes, table) for pair, table in zip(used, plain, strict=True)])
    shares, numeric = [column.x.share for column, _ in used], np.array([column.numeric for column, _ in used], np.bool_)
    sample = y_rows[:: max(1, len(y_rows) // SAMPLED)]
    different = equal_rows(y_rows).count
    search = CandidateSearch(ratios, shares, x_levels, numeric, sample, different)
    return Scorer([column for column, _ in used], [channel for _, channel in used], y_rows, search)


@dataclass(frozen=True)
class Posterior:
    """Candidates of every released row with their posterior weights."""

    rows: Int32
    weights: Float32

    def part(self, some: Int) -> Posterior:
        """Return the same for some of the released rows."""
        return Posterior(self.rows[some], self.weights[some])

    def likeliest(self, preferred: Bool | None = None) -> Int:
        """Return the candidate of largest weight for each released row; of equal ones the lowest row.

        Candidates that are `preferred` come before all others.
        """
        weights = self.weights if preferred is None else self.weights + preferred
        best = weights.max(axis=1, keepdims=True)
        tied = np.where(weights >= best * (1 - 1e-9), self.rows, np.iinfo(np.int32).max)
        lowest: Int = tied.min(axis=1).astype(np.int64)
        return lowest

    def near_best(self, share: float) -> Bool:
        """Tell which candidates have at least this share of the largest weight of their row."""
        near: Bool = self.weights >= share * self.weights.max(axis=1, keepdims=True)
        return near

    def assigned(self, originals: int, log_weights: Float | None = None, everybody: bool = True) -> Int:
        """Return one candidate for each released row, every original at most once.

        Where none is left it is the likeliest, or nobody (-1) if not every row needs somebody (`everybody`).
        """
        worth_bidding = self.weights > LEAST
        ends = np.cumsum(np.append(0, worth_bidding.sum(axis=1)))
        logs = np.log(self.weights[worth_bidding]) if log_weights is None else log_weights[worth_bidding]
        worth = logs.astype(np.float64) - 2 * np.log(LEAST)
        chosen = auction.assign(ends, self.rows[worth_bidding].astype(np.int64), worth, originals, STEP)
        return np.where(chosen >= 0, chosen, self.likeliest() if everybody else -1)

    def probability(self, answers: Int) -> Float:
        """Return the posterior weight of each answer."""
        answered = np.where(self.rows == answers[:, None], self.weights, np.float32(0.0))
        weights: Float = answered.max(axis=1).astype(np.float64)
        return weights


def posterior(listed: CandidateLists, originals: int, unknown: int = 0) -> Posterior:
    """Balance candidates so that no original row stands for more than one released row.

    Args:
        listed: The candidates of every released row.
        originals: Number of original rows.
        unknown: Number of people in the release who are not known: each is as likely as anybody to have a row.
    """
    rest = listed.rest
    if unknown:
        rest = np.logaddexp(rest, np.float32(np.log(unknown))).astype(np.float32)
    weights, _ = balancing.posterior(listed.rows, listed.scores, rest, originals, ROUNDS)
    return Posterior(listed.rows, weights)
