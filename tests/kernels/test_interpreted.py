"""Kernels that are interpreted, or left to numpy, where there is little to do: the same bytes as compiled."""

import sys
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import njit

from icefire.kernels.assignment import auction
from icefire.kernels.common import interpreted, logistic, shuffling, sparse_rows, sums
from icefire.kernels.common.random_draws import random_below, random_numbers_below
from icefire.kernels.evidence import forest, isolation, nearest_rows, pair_scores, votes
from icefire.kernels.evidence.covering_rows import LabelClasses, covering_rows
from icefire.kernels.grouping import class_statistics, joint_counts, packed_keys, special_uniques, tree_distance
from icefire.kernels.linkage import balancing, simulated_levels
from icefire.kernels.neighbours import euclidean, prefix_tree, single_value
from icefire.kernels.recoding import mondrian

FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def blocks_of(rng, rows, count):
    """Return rows sorted by a random class, and where each class begins; classes may be empty."""
    of_row = rng.integers(0, count, rows)
    start = np.append(0, np.cumsum(np.bincount(of_row, minlength=count)))
    return np.argsort(of_row, kind="stable"), start


def regions(rng):
    return mondrian.regions(rng.integers(0, 9, (rng.integers(2, 60), 3)).astype(np.int32), int(rng.integers(1, 6)))


def statistics(rng):
    rows, start = blocks_of(rng, 50, 7)
    codes = rng.integers(0, 12, 50).astype(np.int32)
    totals = np.bincount(codes, minlength=12)
    kept = np.flatnonzero(totals)
    codes, totals = np.searchsorted(kept, codes).astype(np.int32), totals[kept]
    arguments = (codes, totals, rows, start, np.arange(9), 1.5)
    return class_statistics.statistics_per_class(*arguments), class_statistics.worst_statistics(*arguments)


def distances_in_trees(rng):
    rows, start = blocks_of(rng, 40, 6)
    codes = rng.integers(0, 6, 40).astype(np.int32)
    parents, first = np.array([0, 0, 1, 1, 2, 2, 0, 0, 0]), np.array([0, 6, 9])
    return tree_distance.tree_distances(codes, np.bincount(codes, minlength=6), rows, start, parents, first)


def covered(rng):
    labels = np.sort(rng.integers(0, 4, (5, 2)), axis=0).astype(np.int32) + np.array([0, 4], np.int32)
    low = rng.integers(0, 5, 8)
    rows, start = blocks_of(rng, 20, 5)
    first = np.append(np.searchsorted(labels[:, 0], np.arange(4)), 5)
    classes = LabelClasses(labels, np.arange(9), low, low + rng.integers(0, 4, 8), first, rows, start)
    return covering_rows(classes, rng.integers(0, 8, (12, 2)).astype(np.int32), 3)


def in_boxes(rng):
    points = rng.integers(0, 40, (60, 2)).astype(np.int32)
    steps = prefix_tree.tree_levels([40, 40])
    order = np.lexsort([points[:, column] >> shift for column, shift in reversed(steps)])
    points, start = points[order], np.arange(61)
    tree = prefix_tree.build_tree(points, np.array([0, 60]), steps)
    low = rng.integers(0, 30, (9, 2)).astype(np.int32)
    high, part, asked = (
        low + rng.integers(0, 20, (9, 2)).astype(np.int32),
        np.zeros(9, np.int64),
        np.full(9, len(steps)),
    )
    counts = prefix_tree.count_in_boxes(tree, start, part, low, high, asked)
    ends = np.append(0, np.cumsum(counts))
    return counts, prefix_tree.rows_in_boxes(tree, start, order, part, low, high, asked, ends)


def near_values(rng):
    (x_rows, x_start), (y_rows, y_start) = blocks_of(rng, 40, 5), blocks_of(rng, 30, 5)
    x, y = rng.integers(0, 9, 40) / 3, rng.integers(0, 9, 30) / 7
    return single_value.nearest_value_in_blocks(x, y, x_rows, x_start, y_rows, y_start)


def near_rows(rng):
    (x_rows, x_start), (y_rows, y_start) = blocks_of(rng, 60, 4), blocks_of(rng, 30, 4)
    x, y = rng.normal(size=(60, 3)).round(1), rng.normal(size=(30, 3)).round(1)
    nearest = euclidean.nearest_in_blocks(x, y, x_rows, x_start, y_rows, y_start)
    return nearest, euclidean.squared_distances(x, y, nearest)


def grouped(rng):
    key = np.zeros(50, np.int64)
    values = [rng.integers(100, 120, 50).astype(dtype) for dtype in (np.uint8, np.int16, np.int64)]
    narrow = np.zeros(50, np.uint32)
    for keys in (key, narrow):
        packed_keys.append_digits(keys, [packed_keys.Digit(digit, 100, 20) for digit in values])
    large = key * (1 << 20)
    return key, narrow, packed_keys.group_rows(key, 8000, 30), packed_keys.group_sizes(large, 8000 << 20)


def summed(rng):
    x, y = (np.where(rng.random(50) < 0.2, np.nan, rng.normal(size=50).round(1)) for _ in range(2))
    rows = rng.permutation(50)
    changes = [sums.absolute_change(x, y, rows, relative) for relative in (False, True)]
    return sums.mean_by_cell(x, rng.integers(0, 5, 50), 6), np.array(changes)


def shuffled(rng):
    return shuffling.shuffled_within_blocks(blocks_of(rng, 50, 6)[1], rng)


def drawn(rng):
    x_levels = rng.integers(0, 6, 30).astype(np.int32)
    return simulated_levels.draw_levels(rng.random((7, 6)), rng.random(7), x_levels, rng.random(30))


def counted(rng):
    codes = rng.integers(0, 4, (4, 50)).astype(np.int32)
    return [joint_counts.joint_counts(codes[:size], np.full(size, 4)) for size in range(1, 5)]


def unique_sets(rng):
    codes = rng.integers(0, 4, (4, 25)).astype(np.int32)
    many = rng.random(25) < 0.2
    found = special_uniques.minimal_unique_sets(codes, np.full(4, 4), many, 3)
    return found.counts, np.array([[*s, n] for s, n in found.rows_by_set.items() if len(s) == 2])


def listed_rows(rng, first_only=False):
    start = np.append(0, np.cumsum(rng.integers(0, 6, 20)))
    rows, person = rng.integers(0, 30, start[-1]), rng.integers(-2, 15, 20)
    return votes.ListedRows(start, rows, person, rng.integers(-1, 15, 30), first_only)


def medians(rng):
    value = np.where(rng.random(30) < 0.2, np.nan, rng.integers(0, 9, 30) / 7)
    return [
        votes.median_votes(listed_rows(rng, first_only), value, 0.2, without_own)
        for first_only in (False, True)
        for without_own in (False, True)
    ]


def near_labels(rng):
    low = rng.random((2, 25)).round(1)
    first = rng.integers(0, 6, 9)
    rows = nearest_rows.MixedRows(
        low,
        low + rng.random((2, 25)).round(1),
        np.stack([rng.integers(0, 4, 25), rng.integers(5, 9, 25)]).astype(np.int32),
        np.arange(10),
        first,
        first + rng.integers(0, 4, 9),
    )
    values = np.where(rng.random((12, 2)) < 0.2, np.nan, rng.random((12, 2)).round(1))
    return nearest_rows.nearest_rows(
        nearest_rows.MixedPoints(values, rng.integers(0, 8, (12, 2)).astype(np.int32)), rows, np.array([0, 5, 9]), 4
    )


def near_labels_of_many(rng):
    low, rows = rng.random((1, 2500)).round(2), np.arange(3)
    labels = rng.integers(0, 3, (1, 2500)).astype(np.int32)
    many = nearest_rows.MixedRows(low, low, labels, np.arange(4), rows, rows + 1)
    points = nearest_rows.MixedPoints(rng.random((20, 1)), rng.integers(0, 4, (20, 1)).astype(np.int32))
    return nearest_rows.nearest_rows(points, many, np.array([0, 3]), 4)


def singled_out(rng):
    low = rng.integers(0, 6, 8)
    high = low + rng.integers(0, 4, 8)
    labels = rng.integers(0, 2, (4, 70)).astype(np.int32)
    places = rng.integers(0, 8, (4, 80)).astype(np.int32)
    table = isolation.LabelTable(labels, places, np.arange(9), low, high, low, high, 2 * np.arange(5))
    return isolation.isolating_predicates(table, rng.permutation(70)[:20], rng.integers(-1, 80, 70), 3)


def pairs(rng):
    scores, table = rng.normal(size=(20, 300)), rng.normal(size=(4, 3))
    pair_scores.add_from_table(scores, table, rng.integers(0, 4, 20), rng.integers(0, 3, 300))
    pair_scores.add_for_equal(scores, rng.integers(-1, 4, 20), rng.integers(-1, 4, 300), (0.7, -0.1), -1)
    return scores


def leaves(rng):
    levels, targets = (rng.integers(0, 4, (rows, 3)).astype(np.uint8) for rows in (60, 20))
    orders = [np.array([rng.permutation(4) for _ in range(3)]).astype(np.uint8) for _ in range(2)]
    numbers, classes = rng.normal(size=60), rng.integers(-1, 3, 60)
    responses = (forest.Response(classes, numbers, 3), forest.Response(np.zeros(60, np.int64), numbers, 0))
    return [
        forest.leaf_rows(response, levels, targets, np.full(3, 4), orders, np.array([3, 1 << 40]), 4)
        for response in responses
    ]


def test_plain_draws_are_the_compiled_ones() -> None:
    for seed in (0, 7, (1 << 64) - 1):
        state, draw = np.array([seed], np.uint64), random_numbers_below(seed)
        below = [1, 2, 5, 1000, (1 << 32) - 1] * 3
        assert [draw(n) for n in below] == [int(interpreted.interpreted(random_below)(state, n)) for n in below]


def assigned(rng):
    ends = np.append(0, np.cumsum(rng.integers(0, 5, 20)))
    return auction.assign(ends, rng.integers(0, 15, ends[-1]), rng.normal(size=ends[-1]), 15)


def balanced_weights(rng):
    scores = -np.sort(-rng.normal(size=(20, 4)), axis=1).astype(np.float32)
    return balancing.posterior(rng.integers(0, 12, (20, 4)).astype(np.int32), scores, scores[:, 3] - 1, 12, 6)


def model_rows(rng):
    levels = np.array([3, 5], np.int32) + rng.integers(0, 2, (40, 2)).astype(np.int32)
    levels[rng.random((40, 2)) < 0.3] = -1
    return rng.normal(size=(40, 2)), levels


def products_of_rows(rng):
    numbers, levels = model_rows(rng)
    forward = sparse_rows.product(numbers, levels, rng.normal(size=7))
    return forward, sparse_rows.transposed_product(numbers, levels, rng.normal(size=40), 7)


def likelihood(rng):
    numbers, levels = model_rows(rng)
    outcome = rng.integers(0, 2, 40).astype(np.float64)
    found = logistic.log_likelihood(numbers, levels, outcome, rng.normal(size=7))
    return np.array([found.likelihood]), found.gradient, found.information


CASES = (
    *(regions, statistics, distances_in_trees, covered, in_boxes, near_values, near_rows, grouped, summed, shuffled),
    *(
        drawn,
        counted,
        unique_sets,
        medians,
        near_labels,
        near_labels_of_many,
        singled_out,
        leaves,
        pairs,
        assigned,
        balanced_weights,
    ),
    *(products_of_rows, likelihood),
)


def arrays(result):
    return list(chain.from_iterable(map(arrays, result))) if isinstance(result, list | tuple) else [result]


def by_plain_code(function, steps, by_numpy=None, limit=0):
    return by_numpy or interpreted.interpreted(function)


@pytest.mark.parametrize("case", CASES)
@FEW
@given(seed=st.integers(0, 2**32))
def test_plain_python_and_numpy_give_the_bytes_of_compiled_code(case, seed):
    with interpreted.always_compiled():
        fast = arrays(case(np.random.default_rng(seed)))
    with pytest.MonkeyPatch.context() as patch:
        for module in list(sys.modules.values()):
            if "icefire.kernels" in getattr(module, "__name__", "") and hasattr(module, "compiled_if_worth"):
                patch.setattr(module, "compiled_if_worth", by_plain_code)
        plain = arrays(case(np.random.default_rng(seed)))
    assert [(a.dtype, a.shape, a.tobytes()) for a in fast] == [(a.dtype, a.shape, a.tobytes()) for a in plain]


def test_unsigned_numbers_wrap_around_in_both():
    def draws(function):
        state = np.array([2**64 - 5], np.uint64)
        return [int(function(state, 1000)) for _ in range(20)], state.tolist()

    assert draws(random_below) == draws(interpreted.interpreted(random_below))


def fresh():
    def add(values, out):
        out[0] = values.sum()

    return njit(add)


def test_little_work_is_interpreted_and_much_is_compiled():
    function, out = fresh(), np.zeros(1)
    interpreted.compiled_if_worth(function, 6, limit=10)(np.arange(3.0), out)
    assert (out[0], function.signatures) == (3.0, [])
    assert interpreted.compiled_if_worth(function, 6, limit=10) is function  # together more than the limit
    other = fresh()
    assert interpreted.compiled_if_worth(other, 11, limit=10) is other
    assert interpreted.compiled_if_worth(other, interpreted.LIMIT + 1) is other
    with interpreted.always_compiled():
        another = fresh()
        assert interpreted.compiled_if_worth(another, 1) is another


def test_what_is_compiled_already_is_used():
    function = fresh()
    function(np.arange(3.0), np.zeros(1))
    assert interpreted.compiled_if_worth(function, 1) is function


def test_the_first_compiled_function_is_loaded_for_more_work_than_the_next(monkeypatch):
    monkeypatch.setattr(interpreted, "is_cached", lambda function: True)
    monkeypatch.setattr(interpreted, "_steps", Counter({fresh(): 10}))
    monkeypatch.setitem(interpreted._settings, "one is loaded", False)
    function, worth = fresh(), interpreted.LOADED + 1
    assert interpreted.compiled_if_worth(function, worth) is not function  # preparing Numba takes longer
    monkeypatch.setattr(interpreted, "FIRST_LOADED", worth + 9)
    assert interpreted.compiled_if_worth(fresh(), worth - 1) is not function
    other = fresh()
    assert interpreted.compiled_if_worth(other, worth) is other  # together with what was interpreted before
    monkeypatch.setattr(interpreted, "FIRST_LOADED", 1 << 60)
    assert interpreted.compiled_if_worth(function, worth) is function  # Numba is prepared
