"""Kernels of linkage, each against its slow obvious version."""

from __future__ import annotations

import math

import numpy as np
import pytest

from icefire.kernels.linkage import ascent, balancing, best_candidates, channels, pair_sums, simulated_levels

RNG = np.random.default_rng(7)


def slow_kernel(kind, far, blur, edge, scale):
    if kind == channels.LAPLACE:
        return math.exp(-far / (scale + math.sqrt(blur)))
    if kind == channels.BOX:
        return min(1.0, max(0.0, (scale + edge - far) / (2 * edge)))
    spread = scale**2 + blur
    if kind == channels.GAUSS:
        return math.exp(-0.5 * far**2 / spread) / math.sqrt(spread)
    return (1 + far**2 / (3 * spread)) ** -2 / math.sqrt(spread)


@pytest.mark.parametrize("kind", [channels.LAPLACE, channels.BOX, channels.GAUSS, channels.STUDENT])
def test_a_kernel_is_its_formula(kind):
    y, x = RNG.random(5), RNG.random(7)
    y_width, x_width = RNG.random(5) / 10, RNG.random(7) / 10
    table = channels.kernel(kind, y, x, y_width, x_width, 0.2)
    for b in range(5):
        for a in range(7):
            blur = (y_width[b] ** 2 + x_width[a] ** 2) / 12
            edge = (y_width[b] + x_width[a]) / 2 + 1e-12
            assert table[b, a] == pytest.approx(slow_kernel(kind, abs(y[b] - x[a]), blur, edge, 0.2))


def test_a_missing_position_says_nothing():
    table = channels.kernel(channels.GAUSS, np.array([np.nan, 0.1]), np.array([0.1, np.nan]), *np.zeros((2, 2)), 0.1)
    assert table[0].tolist() == [1, 1]
    assert table[1, 1] == 1


def test_balanced_ratios_are_probabilities_and_attract_nobody():
    y_share, x_share = RNG.dirichlet(np.ones(6)), RNG.dirichlet(np.ones(9))
    ratios = channels.balanced(RNG.random((6, 9)) + 0.05, y_share, x_share, 0.1)
    assert (y_share @ ratios) == pytest.approx(np.ones(9))
    assert (ratios @ x_share) == pytest.approx(np.ones(6), abs=0.02)
    assert ratios.min() >= 0.1


def test_levels_without_share_say_nothing():
    ratios = channels.balanced(RNG.random((3, 3)), np.array([0.5, 0.5, 0]), np.array([0.4, 0.6, 0]), 0.1)
    assert (ratios[2] == 1).all()
    assert (ratios[:, 2] == 1).all()


def test_class_means_average_the_rows_of_a_class():
    ratios, levels = RNG.random((4, 5)), RNG.integers(0, 4, 10)
    members, start = RNG.permutation(10), np.array([0, 3, 4, 10])
    means = channels.class_means(ratios, levels, members, start)
    for g in range(3):
        assert means[g] == pytest.approx(ratios[levels[members[start[g] : start[g + 1]]]].mean(axis=0))


def test_likelihood_of_one_column_is_that_of_all_pairs():
    weights, x_levels = RNG.random((20, 50)), RNG.integers(0, 6, 50).astype(np.int32)
    before, tables, levels = RNG.random((20, 6)) + 0.1, RNG.random((7, 4, 6)) + 0.1, RNG.integers(0, 4, 20)
    sums = ascent.level_sums(weights, before, x_levels, 6)
    slow = [
        sum(
            math.log(sum(weights[j, i] / before[j, x_levels[i]] * ratios[levels[j], x_levels[i]] for i in range(50)))
            for j in range(20)
        )
        for ratios in tables
    ]
    assert ascent.log_likelihoods(sums, tables, levels) == pytest.approx(slow)
    after = tables[0][levels]
    changed = weights.copy()
    scale = ascent.exchange(changed, before, after, x_levels)
    for j in range(20):
        expected = weights[j] / before[j, x_levels] * after[j, x_levels]
        assert changed[j] * math.exp(scale[j]) == pytest.approx(expected)
    tiny = ascent.exchange(changed, after, after * 1e-60, x_levels)
    assert changed.max(axis=1) == pytest.approx(1)
    assert tiny + scale == pytest.approx(
        np.log((weights / before[:, x_levels] * after[:, x_levels] * 1e-60).max(axis=1))
    )


@pytest.mark.parametrize("keep", [1, 5, 64])
@pytest.mark.parametrize("columns", [1, 2, 7])
def test_best_candidates_are_those_of_all_pairs(keep, columns):
    m, n, widths = 40, 5000 if keep == 5 else 50, np.array([4, 9, 2, 300, 5, 40, 3])[:columns]
    heights = (3, 7, 2, 4, 5, 3, 2)[:columns]
    tables = [RNG.normal(size=(h, w)).astype(np.float32) for h, w in zip(heights, widths, strict=True)]
    y = np.stack([RNG.integers(0, h, m) for h in heights], axis=1).astype(np.int32)
    x = np.stack([RNG.integers(0, w, n) for w in widths]).astype(np.uint16)
    flat, base = np.concatenate([t.ravel() for t in tables]), np.cumsum([0, *(t.size for t in tables[:-1])])
    found = best_candidates.best_candidates(flat, base, y, widths, x, keep)
    for j in range(m):
        scores = sum(table[y[j, c], x[c]] for c, table in enumerate(tables))
        order = np.lexsort((np.arange(n), -scores))[:keep]
        assert found.rows[j].tolist() == order.tolist()
        assert found.scores[j] == pytest.approx(scores[order], abs=1e-5)
        rest = np.delete(scores, order)
        if len(rest):
            assert found.rest[j] == pytest.approx(np.log(np.exp(rest).sum()), abs=0.05)
        else:
            assert found.rest[j] == -np.inf


def test_without_columns_everybody_is_as_good():
    none = np.zeros(0, np.int64)
    rows, columns = np.zeros((3, 0), np.int32), np.zeros((0, 20), np.uint16)
    found = best_candidates.best_candidates(np.zeros(1, np.float32), none, rows, none, columns, 4)
    assert found.rows.tolist() == [[0, 1, 2, 3]] * 3
    assert (found.scores == 0).all()


def test_balanced_weights_use_nobody_more_than_once():
    rows = np.stack([RNG.permutation(30)[:8] for _ in range(30)]).astype(np.int32)
    scores = RNG.normal(size=rows.shape) + 4 * (rows < 3)
    weights, price = balancing.posterior(rows, scores, np.full(30, -np.inf), 30, 400)
    demand = np.bincount(rows.ravel(), weights.ravel(), 30)
    assert weights.sum(axis=1) == pytest.approx(np.ones(30))
    assert demand.max() < 1.02
    assert price[:3].min() > 0
    slow = np.exp(scores - price[rows])
    assert weights == pytest.approx(slow / slow.sum(axis=1, keepdims=True), rel=1e-4)


def test_a_price_falls_when_nobody_wants_the_row_any_more():
    price = np.array([50.0, 20.0, 0.0])
    assert balancing._change_prices(np.zeros((1, 3)), price)
    assert price.tolist() == [50.0 + balancing.LOWEST, 0.0, 0.0]


def test_levels_are_drawn_by_share_and_ratio():
    ratios, share = RNG.random((5, 3)) + 0.1, RNG.dirichlet(np.ones(5))
    x_levels = np.repeat(np.arange(3), 20_000).astype(np.int32)
    drawn = simulated_levels.draw_levels(ratios, share, x_levels, RNG.random(len(x_levels)))
    for a in range(3):
        expected = ratios[:, a] * share / (ratios[:, a] @ share)
        assert np.bincount(drawn[x_levels == a], minlength=5) / 20_000 == pytest.approx(expected, abs=0.015)


def test_weights_are_summed_and_scores_changed_pair_by_pair(monkeypatch):
    monkeypatch.setattr(pair_sums, "SPAN", 3)
    rows = np.stack([RNG.permutation(20)[:4] for _ in range(10)]).astype(np.int32)
    rows[3, 2] = -1
    weights, some = RNG.random(rows.shape), RNG.random(10) < 0.5
    y_levels, x_levels = RNG.integers(0, 3, 10).astype(np.int32), RNG.integers(0, 5, 20).astype(np.int32)
    table, slow, scores = RNG.random((3, 5)), np.zeros((3, 5)), weights.copy()
    expected = weights.copy()
    for j, k in np.argwhere((rows >= 0) & some[:, None]):
        slow[y_levels[j], x_levels[rows[j, k]]] += weights[j, k]
        expected[j, k] += table[y_levels[j], x_levels[rows[j, k]]]
    assert pair_sums.sum_by_levels(rows, weights, y_levels, x_levels, some, (3, 5)) == pytest.approx(slow)
    pair_sums.add_table(rows, scores, y_levels, x_levels, some, table)
    assert scores == pytest.approx(expected)


def test_the_evidence_of_a_row_is_the_weight_of_all_original_rows():
    rows = np.where(np.arange(4)[None, :] < RNG.integers(1, 5, 10)[:, None], 7, -1).astype(np.int32)
    scores = np.where(rows >= 0, RNG.normal(size=(10, 4)), -np.inf).astype(np.float32)
    rest = np.where(np.arange(10) % 2 == 0, -np.inf, RNG.normal(size=10)).astype(np.float32)
    slow = np.log(np.exp(scores.astype(float)).sum(axis=1) + np.exp(rest.astype(float)))
    assert pair_sums.evidence(rows, scores, rest) == pytest.approx(slow, rel=1e-5)


@pytest.mark.parametrize("width", [3, 4, 5, 7, 8])
def test_people_whom_no_value_makes_likelier_count_as_one_more_level_of_ratio_one(width):
    rng = np.random.default_rng(width)
    sums, tables, levels = rng.random((9, width + 1)), rng.random((2, 3, width)) + 0.1, rng.integers(0, 3, 9)
    wider = np.concatenate([tables, np.ones((2, 3, 1))], axis=2)
    assert (ascent.log_likelihoods(sums, tables, levels) == ascent.log_likelihoods(sums, wider, levels)).all()


def test_weights_of_all_columns_at_once_are_those_of_one_after_the_other():
    rng = np.random.default_rng(9)
    levels, widths = rng.integers(0, 4, (3, 40)).astype(np.int32), [4, 5, 6]
    # Ratios so small and so large that rows are scaled on the way.
    parts = [rng.random((10, width)) * 10.0 ** rng.integers(-60, 60, (10, 1)) for width in widths]
    weights, scale = np.ones((10, 40)), np.zeros(10)
    for part, of_column in zip(parts, levels, strict=True):
        scale += ascent.exchange(weights, np.ones_like(part), part, of_column)
    start = np.cumsum([0, *widths[:-1]])
    at_once, log_scale = ascent.first_weights(np.concatenate(parts, axis=1), levels, start)
    assert (at_once == weights).all()
    assert (log_scale == scale).all()
    assert (scale != 0).any()


def test_tables_of_several_shares_of_chance_are_those_of_each():
    rng = np.random.default_rng(10)
    kernel, y_share, x_share = rng.random((6, 5)), rng.random(6), np.append(rng.random(4), 0.0)
    noises = np.array([0.005, 0.2, 0.9])
    together = channels.balanced_tables(kernel, y_share / y_share.sum(), x_share / x_share.sum(), noises)
    for table, noise in zip(together, noises.tolist(), strict=True):
        assert (table == channels.balanced(kernel, y_share / y_share.sum(), x_share / x_share.sum(), noise)).all()


def test_the_expected_log_likelihood_is_the_weighted_sum_of_logs():
    rng = np.random.default_rng(7)
    seen, tables = rng.random((4, 5)) * (rng.random((4, 5)) > 0.5), rng.random((3, 4, 5)) + 0.1
    slow = [(seen * np.log(ratios)).sum() for ratios in tables]
    assert ascent.expected_log_likelihoods(seen, tables) == pytest.approx(slow)


def test_balanced_weights_sum_to_one_per_sampled_row_and_no_original_row_stands_for_two():
    rng = np.random.default_rng(8)
    weights = rng.random((6, 9)) ** 4
    weights[:, 0] = 50.0
    slow = weights.copy()
    share = np.ones(9)
    for _ in range(200):
        total = (slow * share).sum(axis=1, keepdims=True)
        share = 1.0 / np.maximum(1.0, (slow / total).sum(axis=0))
    expected = slow * share / (slow * share).sum(axis=1, keepdims=True)
    ascent.balance(weights, 200)
    assert weights == pytest.approx(expected)
    assert weights.sum(axis=1) == pytest.approx(np.ones(6))
    assert weights.sum(axis=0).max() < 1.01
