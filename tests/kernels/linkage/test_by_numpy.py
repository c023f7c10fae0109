"""What numpy does for small tables instead of the compiled functions of linkage: the same up to the last digits."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.kernels.common.interpreted import always_compiled
from icefire.kernels.linkage import (
    ascent,
    ascent_by_numpy,
    balancing,
    best_candidates,
    channels,
    channels_by_numpy,
    pair_sums,
    pair_weights,
)

SEEDS = pytest.mark.parametrize("seed", range(4))


def shares(rng, count):
    share = rng.random(count) * (rng.random(count) > 0.2)
    share[0] = 1.0
    return share / share.sum()


@SEEDS
@pytest.mark.parametrize("kind", [channels.LAPLACE, channels.BOX, channels.GAUSS, channels.STUDENT])
def test_kernels_and_their_balance_are_equal(seed, kind):
    rng = np.random.default_rng(seed)
    y, x = np.append(rng.random(6), np.nan), rng.random(9)
    widths = rng.random(7) / 10, rng.random(9) / 10
    table = channels.kernel(kind, y, x, *widths, 0.1)
    assert channels_by_numpy.kernel(kind, y, x, *widths, 0.1) == pytest.approx(table, rel=1e-12)
    both = shares(rng, 7), shares(rng, 9)
    fast = channels_by_numpy.balanced_tables(table, *both, np.array([0.005, 0.2]))
    assert fast == pytest.approx(channels.balanced_tables(table, *both, np.array([0.005, 0.2])), rel=1e-9)
    assert (channels_by_numpy.balanced(table, *both, 0.2) == fast[1]).all()


@SEEDS
def test_means_of_classes_are_equal(seed):
    rng = np.random.default_rng(seed)
    arguments = rng.random((4, 5)), rng.integers(0, 4, 10), rng.permutation(10), np.array([0, 3, 4, 10])
    assert channels_by_numpy.class_means(*arguments) == pytest.approx(channels.class_means(*arguments))


@SEEDS
def test_weights_are_equal_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    widths = [3, 5, 2, 6, 4, 7]
    levels = np.stack([rng.integers(0, width, 40) for width in widths]).astype(np.int32)
    rows, start = rng.random((10, sum(widths))) * 10.0 ** rng.integers(-30, 30, (10, 1)), np.cumsum([0, *widths[:-1]])
    one, scale = ascent.first_weights(rows, levels, start)
    other, other_scale = ascent_by_numpy.first_weights(rows, levels, start)
    assert (one == other).all()
    assert (scale == other_scale).all()
    assert (scale != 0).any()
    before, after = rng.random((10, 3)), rng.random((10, 3)) * 10.0 ** rng.integers(-60, 60, (10, 1))
    sums = ascent.level_sums(one, before, levels[0], 3), ascent_by_numpy.level_sums(other, before, levels[0], 3)
    assert (sums[0] == sums[1]).all()
    factors = ascent.exchange(one, before, after, levels[0]), ascent_by_numpy.exchange(other, before, after, levels[0])
    assert factors[1] == pytest.approx(factors[0], rel=1e-14)
    assert (one == other).all()


@SEEDS
@pytest.mark.parametrize("shown", [3, 25], ids=["few levels", "a level for almost every row"])
@pytest.mark.parametrize("more", [0, 1], ids=["all known", "some unknown"])
def test_log_likelihoods_are_equal(seed, shown, more):
    rng = np.random.default_rng(seed)
    sums, tables, levels = rng.random((30, 6 + more)), rng.random((5, shown, 6)), rng.integers(0, shown, 30)
    slow = [np.log((sums[:, :6] * table[levels]).sum(axis=1) + sums[:, 6:].sum(axis=1)).sum() for table in tables]
    for module in (ascent, ascent_by_numpy):
        assert module.log_likelihoods(sums, tables, levels) == pytest.approx(slow)


@SEEDS
def test_listed_pairs_are_balanced_as_all_are(seed):
    rng = np.random.default_rng(seed)
    weights, y_levels, x_levels = rng.random((20, 30)) ** 40, rng.integers(0, 3, 20), rng.integers(0, 4, 30)
    all_weights = weights.copy()
    ascent.balance(all_weights, 15)
    pairs = pair_weights.balanced(weights.copy(), 15)
    assert isinstance(pairs, pair_weights.PairWeights)
    assert len(pairs.weights) < weights.size
    found = np.zeros_like(weights)
    found[pairs.rows, pairs.originals] = pairs.weights
    assert found == pytest.approx(all_weights, abs=1e-6)
    dense = pair_weights.AllWeights(all_weights)
    seen = [some.by_levels(y_levels, x_levels.astype(np.int32), (3, 4)) for some in (pairs, dense)]
    assert seen[0] == pytest.approx(seen[1], abs=1e-5)


def test_pairs_are_listed_where_most_are_next_to_nothing():
    dense, sparse = np.ones((40, 40)), np.full((40, 40), 1e-30)
    np.fill_diagonal(sparse, 1.0)
    with always_compiled():
        assert isinstance(pair_weights.balanced(dense, 2), pair_weights.AllWeights)
        pairs = pair_weights.balanced(sparse, 2)
    assert isinstance(pairs, pair_weights.PairWeights)
    assert pairs.originals.tolist() == list(range(40))


@SEEDS
@pytest.mark.parametrize("keep", [4, 100])
def test_candidates_are_the_same(seed, keep):
    rng = np.random.default_rng(seed)
    widths = np.array([3, 40, 2, 6, 4])
    base = np.cumsum(np.append(0, widths[:-1] * 5))
    tables = np.log(rng.random(int((widths * 5).sum())) + 0.01).astype(np.float32)
    y_levels = rng.integers(0, 5, (25, 5)).astype(np.int32)
    x_levels = np.stack([rng.integers(0, width, 90) for width in widths]).astype(np.uint16)
    small = best_candidates.best_candidates(tables, base, y_levels, widths, x_levels, keep)
    with always_compiled():
        compiled = best_candidates.best_candidates(tables, base, y_levels, widths, x_levels, keep)
    assert (small.rows == compiled.rows).all()
    assert (small.scores == compiled.scores).all()
    # The compiled function takes exponentials from a table.
    assert small.rest == pytest.approx(compiled.rest, abs=0.02)


@SEEDS
def test_posterior_weights_are_the_same(seed):
    rng = np.random.default_rng(seed)
    scores = -np.sort(-rng.normal(size=(20, 6)) * 20, axis=1).astype(np.float32)
    rows = np.argsort(rng.random((20, 12)), axis=1)[:, :6].astype(np.int32)
    rows[3, 4:], rows[5] = -1, -1
    rest = np.where(rng.random(20) < 0.5, -np.inf, scores[:, 2]).astype(np.float32)
    small = balancing.posterior(rows, scores, rest, 12, 10)
    with always_compiled():
        compiled = balancing.posterior(rows, scores, rest, 12, 10)
    assert small[0] == pytest.approx(compiled[0], abs=1e-6)
    assert small[1] == pytest.approx(compiled[1], abs=1e-6)


@SEEDS
def test_sums_over_listed_pairs_are_the_same(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 12, (20, 6)).astype(np.int32)
    rows[3, 4:], rows[5] = -1, -1
    scores, rest = (rng.normal(size=size).astype(np.float32) * 20 for size in ((20, 6), 20))
    rest[:6] = -np.inf
    levels = rng.integers(0, 3, 20).astype(np.int32), rng.integers(0, 4, 12).astype(np.int32)
    some, table = rng.random(20) < 0.6, rng.normal(size=(3, 4))

    def results():
        changed = scores.copy()
        pair_sums.add_table(rows, changed, *levels, some, table)
        sums = pair_sums.sum_by_levels(rows, np.abs(scores), *levels, some, (3, 4))
        return changed, sums, pair_sums.evidence(rows, scores, rest)

    small = results()
    with always_compiled():
        compiled = results()
    assert small[0] == pytest.approx(compiled[0], rel=1e-6)
    assert small[1] == pytest.approx(compiled[1])
    assert small[2] == pytest.approx(compiled[2])
