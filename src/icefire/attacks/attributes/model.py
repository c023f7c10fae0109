"""The attack `model`: a forest of random trees, trained on the release, that predicts the hidden column."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.attacks.attributes.known_columns import TargetColumn, known_columns
from icefire.attacks.attributes.nearest_value import nearest_of_targets
from icefire.core.attribute import AttributeCase, AttributeGuess
from icefire.core.quantiles import quantiles_of_counted
from icefire.core.registry import attack
from icefire.hierarchy.fitting import number
from icefire.kernels.evidence.forest import Response, leaf_rows
from icefire.kernels.types import Float, Int, UInt8

LEVELS = 32
"""Levels of a column of numbers."""
CATEGORIES = 254
"""The commonest categories of a column keep a level of their own."""
CLASSES = 32
"""The commonest values of the hidden column are classes of their own."""
DRAWN = 8
"""Rows drawn from each leaf."""
TRAINED = 100_000
"""Rows of a larger release that trees are grown on, beside those nearest to the targets."""


@attack("model", question="attribute", knows="the person's known columns")
def model(case: AttributeCase, *, rng: np.random.Generator, trees: int = 12) -> AttributeGuess:
    """Predict the hidden value by a forest of random trees that are trained on the release.

    Each tree divides the released rows by known columns so that the hidden values in a part are alike; the answer is
    the commonest value, or the median, of the rows that fall into the same parts as the person. Of a release with more
    than 100,000 rows, the trees are grown on so many drawn rows and on those nearest to the people asked about.
    The attacker knows some columns of each person, by default the quasi-identifiers. Success is the right value.

    Args:
        case: What the attacker holds: the known columns of people, and the released table.
        rng: The generator that the trees are grown by.
        trees: Number of trees, at least 1.

    Returns:
        Rows from the leaves of each target.
    """
    hidden = case.released.frame[case.secret]
    if hidden.null_count() == len(hidden):
        return AttributeGuess(np.zeros(case.targets + 1, np.int64), np.empty(0, np.int64))
    levels, targets, sizes = case.cached("levels", lambda: _levels(known_columns(case)))
    trained = None if case.choices <= TRAINED else _training_rows(case, hidden, rng)
    response = _response(hidden, slice(None) if trained is None else trained)
    levels = levels if trained is None else levels[trained]
    is_number = [column.numbers is not None for column in known_columns(case)]
    # By the mean of numbers, nothing is drawn: the order is the same for all trees.
    orders = [_order(response, levels, sizes, is_number, rng) for _ in range(max(1, trees) if response.classes else 1)]
    seeds = rng.integers(1 << 31, size=max(1, trees))
    rows = leaf_rows(response, levels, targets, sizes, orders if response.classes else orders[0], seeds, DRAWN)
    rows = rows if trained is None else trained[rows]
    return AttributeGuess(np.arange(case.targets + 1) * rows.shape[1], rows.reshape(-1))


def _training_rows(case: AttributeCase, hidden: pl.Series, rng: np.random.Generator) -> Int:
    """Draw released rows, and add those nearest to the targets: a person's own row gives away more than any other."""
    taking_part = np.flatnonzero(hidden.is_not_null().to_numpy())
    drawn = rng.choice(taking_part, min(TRAINED, len(taking_part)), replace=False)
    return np.union1d(drawn, nearest_of_targets(case)).astype(np.int64)


def _response(hidden: pl.Series, rows: Int | slice) -> Response:
    """Return some rows of the hidden column: ranks among all numbers, or classes, of which the rare ones are one."""
    if hidden.dtype.is_numeric():
        missing = hidden.is_null().to_numpy()[rows]
        ranks = np.where(missing, 0.0, _ranks(hidden, rows))
        return Response(np.where(missing, -1, 0), ranks / max(1, len(hidden)), 0)
    codes, distinct = number(hidden)
    counts = np.bincount(codes, minlength=len(distinct))[: len(distinct.drop_nulls())]
    place = np.full(len(distinct), CLASSES, np.int64)
    place[np.argsort(-counts, kind="stable")[:CLASSES]] = np.arange(min(CLASSES, len(counts)))
    place[len(counts) :] = -1
    own = place[codes[rows]]
    return Response(own, np.zeros(len(own)), min(len(counts), CLASSES + 1))


def _ranks(hidden: pl.Series, rows: Int | slice) -> Float:
    """Return the ranks of some rows among all, from 1; equal numbers have their mean rank. Any for missing ones."""
    ascending = np.sort(hidden.drop_nulls().to_numpy())
    own, place = np.unique(hidden.fill_null(0).to_numpy()[rows], return_inverse=True)
    below, up_to = (np.asarray(np.searchsorted(ascending, own, side)) for side in ("left", "right"))
    mean_ranks: Float = np.asarray((below + up_to + 1) / 2)
    return mean_ranks[place]


def _levels(columns: list[TargetColumn]) -> tuple[UInt8, UInt8, Int]:
    """Return the columns of the release and of the targets in few levels, and how many each has."""
    pairs = [_category_levels(column) if column.numbers is None else _number_levels(column) for column in columns]
    released, targets = (np.ascontiguousarray(np.stack(side, axis=1)) for side in zip(*pairs, strict=True))
    sizes = np.maximum(released.max(axis=0), targets.max(axis=0, initial=0)).astype(np.int64) + 1
    return released, targets, sizes


def _number_levels(column: TargetColumn) -> tuple[UInt8, UInt8]:
    """Cut numbers at quantiles of the release; an interval lies where its middle does, the unknown in the middle."""
    assert column.numbers is not None
    low, high = column.numbers.low, column.numbers.high
    low, high = np.where(np.isfinite(low), low, high), np.where(np.isfinite(high), high, low)
    middle = low + np.where(np.isfinite(low), high - low, 0.0) / 2
    rows = np.bincount(column.labels, minlength=len(middle))
    known = np.flatnonzero(np.isfinite(middle) & (rows > 0))
    edges, centre = np.empty(0), 0.0
    if len(known):
        shares = [*np.linspace(0, 1, LEVELS + 1)[1:-1], 0.5]
        quantiles = quantiles_of_counted(middle[known], rows[known], shares)
        edges, centre = np.unique(quantiles[:-1]), float(quantiles[-1])

    def level(values: Float) -> UInt8:
        return np.searchsorted(edges, np.where(np.isfinite(values), values, centre), "left").astype(np.uint8)

    return level(middle)[column.labels], level(column.numbers.values)


def _category_levels(column: TargetColumn) -> tuple[UInt8, UInt8]:
    """Give the commonest labels a level each; a target has that of the narrowest label that covers it."""
    counts = np.bincount(column.labels, minlength=column.label_count)
    place = np.full(column.label_count + 1, CATEGORIES, np.int64)
    place[np.argsort(-counts, kind="stable")[:CATEGORIES]] = np.arange(min(CATEGORIES, column.label_count))
    return place[column.labels].astype(np.uint8), place[column.narrowest_labels()].astype(np.uint8)


def _order(response: Response, levels: UInt8, sizes: Int, is_number: list[bool], rng: np.random.Generator) -> UInt8:
    """Number the levels of categories by how often they go with one class, drawn by its frequency, or by the mean."""
    taking_part = response.code >= 0
    if response.classes:
        wanted = response.code[taking_part][rng.integers(int(taking_part.sum()))]
        score = (response.code == wanted).astype(np.float64)
    else:
        score = response.number
    order = np.tile(np.arange(int(sizes.max()), dtype=np.uint8), (len(sizes), 1))
    for c in np.flatnonzero(~np.array(is_number)):
        own = levels[taking_part, c]
        total = np.bincount(own, score[taking_part], int(sizes[c]))
        count = np.bincount(own, minlength=int(sizes[c]))
        mean = (total + score[taking_part].mean()) / (count + 1)
        order[c, np.argsort(mean, kind="stable")] = np.arange(sizes[c])
    return order
