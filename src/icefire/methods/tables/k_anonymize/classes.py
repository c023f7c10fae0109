"""Find classes of at least k rows that lose little when each column becomes what its rows have in common.

1. Rows that agree on everything and are at least k are a class that loses nothing.
2. The others are put in an order in which rows alike in the coarse come together: sorted by all levels of all
   columns, those with fewest groups first. The order is cut into blocks.
3. In a block classes are grown one by one: a seed, then k - 1 times the row that makes the class lose least. Frequent
   rows are seeds first, so that rare ones find company among what is left. Rows left over join the cheapest class.
4. Classes are pooled with their nearest few and grown anew from other seeds; the better result stays. This is
   repeated with other blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.core import blocks
from icefire.kernels.common import threads
from icefire.kernels.grouping import packed_keys
from icefire.kernels.recoding.grow import grow_classes
from icefire.kernels.recoding.merge import merge_partners
from icefire.kernels.recoding.regroup import regroup_classes
from icefire.kernels.recoding.value_trees import ValueForest, restrict_forest, summarise_classes
from icefire.kernels.types import Float, Int, Int32

BLOCK = 3000
"""Rows among which a class looks for company: time grows with it, and little is lost by cutting."""
NEAR, POOL = 5, 60
"""Classes pooled: up to 5, as long as they have about 60 rows; 2 at least."""
TRIES = 6
"""Orders of seeds a pool is grown from."""
PASSES, MANY = 3, 200_000
"""Rounds of pooling; one if more rows than this take part."""
LARGEST_K = 100
"""Pools of larger classes take longer than they are worth."""


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of one column: the node of each leaf, and how many nodes there are."""

    column: int
    nodes: Int32
    count: int


def find_classes(forest: ValueForest, codes: Int32, k: int, rng: np.random.Generator) -> tuple[Int, Int]:
    """Return at least k rows sorted by class, like classes near each other, and where each class begins."""
    levels = _levels(forest)
    coarse_first = np.ones(len(levels))
    rows, start = _sorted(levels, codes, coarse_first)
    sizes = np.diff(start)
    whole = sizes >= k
    repeats = np.where(whole, 0, sizes)
    if 0 < repeats.sum() < k:
        # Too few for a class: they are joined by some of the rows that could do without them.
        whole[_nearest_run(forest, codes, rows, start, whole)] = False
    label = np.empty(len(codes), np.int64)
    label[rows] = np.repeat(np.arange(len(sizes)), sizes)
    if not whole.all():
        loose = rows[np.repeat(~whole, sizes)]
        ranks = _seed_ranks(codes, loose, np.repeat(repeats[~whole], sizes[~whole]))
        grown = _grown(forest, codes[loose], ranks, k)
        label[loose] = len(sizes) + _regrouped(forest, levels, codes[loose], grown, k, rng)
    rows, start = by_label(label)
    order, _ = _sorted(levels, codes[rows[start[:-1]]], coarse_first)
    rows, sizes = _moved(rows, start, order)
    return rows, _starts(sizes)


def by_label(label: Int) -> tuple[Int, Int]:
    """Return rows sorted by label, and where each label that occurs begins."""
    rows = np.argsort(label, kind="stable")
    return rows, np.append(np.flatnonzero(np.diff(label[rows], prepend=-1)), len(rows))


def _levels(forest: ValueForest) -> list[_Level]:
    """List the levels of all columns that join something and keep something apart."""
    levels = []
    for column, (first, size) in enumerate(zip(forest.first, forest.size, strict=True)):
        before = size + 1
        for level in range(forest.height):
            nodes = forest.path[first + level * size : first + (level + 1) * size]
            count = len(np.unique(nodes))
            if 1 < count < before:
                levels.append(_Level(column, nodes, count))
                before = count
    return levels


def _sorted(levels: Sequence[_Level], codes: Int32, weights: Float) -> tuple[Int, Int]:
    """Sort rows by all levels, those with fewest groups first; returns the rows and where each run of equals begins."""
    order = np.argsort(np.log([level.count for level in levels]) * weights, kind="stable")
    digits = []
    for level in (levels[i] for i in order):
        low = int(level.nodes.min())
        digits.append(blocks.EncodedColumn(level.nodes[codes[:, level.column]], low, int(level.nodes.max()) - low + 1))
    keys, bound = blocks.pack_keys(digits, len(codes))
    rows, start, _, _ = packed_keys.group_rows(keys, bound, len(codes))
    return rows, start


def _nearest_run(forest: ValueForest, codes: Int32, rows: Int, start: Int, whole: np.ndarray) -> int:
    """Find the run of equal rows that takes in the others, too few for a class, at the least loss."""
    loose = codes[rows[np.repeat(~whole, np.diff(start))]]
    runs = np.flatnonzero(whole)
    rep, level = summarise_classes(forest, loose, np.array([0, len(loose)]))
    reps = np.concatenate([rep, codes[rows[start[runs]]]])
    levels = np.concatenate([level, np.zeros((len(runs), codes.shape[1]), np.int32)])
    first = np.arange(len(reps)) == 0
    partners, _ = merge_partners(forest, reps, levels, np.ones(len(reps), np.int64), first, len(reps))
    return int(runs[partners[0] - 1])


def _starts(sizes: Int) -> Int:
    return np.concatenate([[0], np.cumsum(sizes)])


def _seed_ranks(codes: Int32, loose: Int, repeats: Int) -> Int:
    """Rank loose rows as seeds: most often repeated first, then those with the most frequent values."""
    rarity = np.zeros(len(loose), np.int64)
    for values in codes.T:
        counts = np.maximum(np.bincount(values), 1)
        # Whole numbers, because the last digit of a logarithm is not the same on every machine.
        rarity -= np.rint(1024 * np.log2(counts)).astype(np.int64)[values[loose]]
    ranks = np.empty(len(loose), np.int64)
    ranks[np.lexsort((rarity, -repeats))] = np.arange(len(loose))
    return ranks


def _grown(forest: ValueForest, codes: Int32, ranks: Int, k: int) -> Int:
    """Grow classes block by block; returns the class of each row."""
    cuts = threads.spans(len(codes), max(BLOCK, 4 * k), len(codes))

    def one(begin: int, end: int) -> tuple[Int, int]:
        small, part = restrict_forest(forest, codes[begin:end])
        label, count, _ = grow_classes(small, part, np.argsort(ranks[begin:end]), k)
        return label, count

    return _numbered(threads.starmap(one, cuts))


def _numbered(labels_and_counts: Sequence[tuple[Int, int]]) -> Int:
    """Join the labels of several blocks, each of which counts from 0."""
    before = np.cumsum([0, *(count for _, count in labels_and_counts)])
    return np.concatenate([label + base for (label, _), base in zip(labels_and_counts, before, strict=False)])


def _regrouped(
    forest: ValueForest, levels: Sequence[_Level], codes: Int32, label: Int, k: int, rng: np.random.Generator
) -> Int:
    """Improve classes in a few rounds; returns the new class of each row."""
    if k > LARGEST_K:
        return label
    near = min(NEAR, max(2, POOL // k))
    for _ in range(PASSES if len(codes) <= MANY else 1):
        rows, start = by_label(label)
        order, _ = _sorted(levels, codes[rows[start[:-1]]], rng.uniform(0.5, 2, len(levels)))
        rows, sizes = _moved(rows, start, order)
        seeds = np.array([rng.permutation(near * (2 * k - 1)) for _ in range(TRIES)])
        calls = [(forest, codes, part, size, k, near, seeds) for part, size in _cut(rows, sizes)]
        improved = threads.starmap(_improved, calls)
        label = np.empty(len(codes), np.int64)
        label[rows] = _numbered(improved)
    return label


def _moved(rows: Int, start: Int, order: Int) -> tuple[Int, Int]:
    """Put the classes into another order; returns the rows and the sizes of the classes."""
    sizes = np.diff(start)[order]
    shift = np.repeat(start[:-1][order] - (np.cumsum(sizes) - sizes), sizes)
    return rows[np.arange(len(rows)) + shift], sizes


def _cut(rows: Int, sizes: Int) -> list[tuple[Int, Int]]:
    """Cut classes in order into blocks of about as many rows as classes were grown in."""
    ends = np.cumsum(sizes)
    pieces = max(1, len(rows) // BLOCK)
    edges = np.unique(np.searchsorted(ends, len(rows) * np.arange(1, pieces) / pieces, side="right"))
    parts = np.split(sizes, edges)
    return [(part, size) for part, size in zip(np.split(rows, (ends - sizes)[edges]), parts, strict=True) if len(size)]


def _improved(
    forest: ValueForest, codes: Int32, rows: Int, sizes: Int, k: int, near: int, seeds: Int
) -> tuple[Int, int]:
    """Regroup the classes of one block."""
    if len(sizes) < 2:
        return np.zeros(len(rows), np.int64), 1
    return regroup_classes(forest, codes[rows], _starts(sizes), k, near, seeds)
