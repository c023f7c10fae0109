"""Fast and slow agree on every small table hypothesis can think of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import slow
from support.drawn_tables import FEW, QI, SA, dataset, frames, maybe, releases
from support.small_tables import compare

import icefire
from icefire.audit import judge
from icefire.core import blocks, registry, seeds
from icefire.core.errors import UndefinedError
from icefire.core.release import Case, Truth


def answers(name, x, y, **parameters):
    entry = registry.get("attack", name)
    return entry.function(Case(x, y), rng=seeds.generator(0, "test"), **entry.bind(parameters))


def value(name, comparison, **parameters):
    entry = registry.get("measure", name)
    return entry.function(comparison, **entry.bind(parameters))


@FEW
@given(releases(qi=maybe))
def test_blocks_are_the_rows_that_agree_missing_values_included(found):
    x, y, _ = found
    candidates = blocks.blocks_of_tables(x.frame, y.frame, QI).candidates
    fast = [candidates.rows[a:b].tolist() for a, b in zip(candidates.start, candidates.stop, strict=True)]
    assert fast == slow.candidates(x.frame, y.frame, QI)


@FEW
@given(frames((1, 30), maybe))
def test_class_sizes_are_those_a_counter_finds(frame):
    assert sorted(blocks.class_sizes(frame, QI).tolist()) == slow.class_sizes(frame, QI)


@FEW
@given(frames((2, 30), maybe), st.integers(1, 40))
def test_a_key_that_outgrows_its_bits_gives_the_same_classes(frame, limit):
    before = blocks.KEY_LIMIT
    try:
        blocks.KEY_LIMIT = limit
        assert sorted(blocks.class_sizes(frame, QI).tolist()) == slow.class_sizes(frame, QI)
    finally:
        blocks.KEY_LIMIT = before


@FEW
@given(releases())
def test_euc1_and_euc2_are_the_nearest_candidate_of_lowest_row(found):
    x, y, _ = found
    assert answers("euc1", x, y).first.tolist() == slow.euc(x.frame, y.frame, QI, SA, fall_back=False)
    assert answers("euc2", x, y).first.tolist() == slow.euc(x.frame, y.frame, QI, SA, fall_back=True)


@FEW
@given(releases())
def test_id_sa_and_sa_nearest_are_the_nearest_value_of_lowest_row(found):
    x, y, _ = found
    assert answers("id_sa", x, y, column="s2").first.tolist() == slow.id_sa(x.frame, y.frame, QI, "s2")
    assert answers("sa_nearest", x, y, column="s1").first.tolist() == slow.sa_nearest(x.frame, y.frame, "s1")


@FEW
@given(releases())
def test_sort_matches_ranks_with_stable_ties(found):
    x, y, _ = found
    assert answers("sort", x, y).first.tolist() == slow.sort(x.frame, y.frame, SA)


@FEW
@given(releases(qi=maybe))
def test_id_rand_draws_a_candidate_and_expects_what_counting_expects(found):
    x, y, truth = found
    guess = answers("id_rand", x, y)
    for answer, allowed in zip(guess.first.tolist(), slow.candidates(x.frame, y.frame, QI), strict=True):
        assert answer in allowed if allowed else answer == -1
    expected = judge.score(Truth(np.array(truth)), guess).expected
    assert expected == pytest.approx(slow.id_rand_expectation(x.frame, y.frame, QI, truth))


@FEW
@given(releases(), st.sampled_from(["both", "union", "original"]))
def test_cross_tables_are_those_a_dictionary_makes(found, cells):
    x, y, truth = found
    comparison = compare(x, y, truth)
    if cells == "both" and not set(slow.rows_of(x.frame, QI)) & set(slow.rows_of(y.frame, QI)):
        with pytest.raises(UndefinedError, match="no cell"):
            value("cross_count", comparison, cells=cells)
        return
    fast = value("cross_count", comparison, cells=cells), value("cross_mean", comparison, cells=cells)
    assert fast[0] == pytest.approx(slow.cross_count(x.frame, y.frame, QI, cells))
    assert fast[1] == pytest.approx(slow.cross_mean(x.frame, y.frame, QI, SA, cells))


@FEW
@given(releases())
def test_correlations_are_those_of_the_textbook(found):
    x, y, truth = found
    before, after = (slow.pearson(*(t.frame[c].to_list() for c in SA)) for t in (x, y))
    if before is None or after is None:
        with pytest.raises(UndefinedError):
            value("correlation_error", compare(x, y, truth))
    else:
        assert value("correlation_error", compare(x, y, truth)) == pytest.approx(abs(before - after), abs=1e-9)
        full = value("correlation_error", compare(x, y, truth), full_matrix=True)
        assert full == pytest.approx(2 * abs(before - after) / 4, abs=1e-9)


@FEW
@given(releases(), st.sampled_from(["range", "none", "relative", "sd"]))
def test_information_loss_is_the_mean_over_cells(found, scale):
    x, y, truth = found
    total = 0.0
    for name in SA:
        column = x.frame[name].to_list()
        spread = {"range": max(column) - min(column), "sd": float(np.std(column)), "none": 1, "relative": None}[scale]
        for j, b in enumerate(y.frame[name]):
            a = column[truth[j]]
            by = abs(a) if spread is None else spread
            total += (abs(a - b) / by) if by else float(a != b)
    fast = value("information_loss", compare(x, y, truth), scale=scale)
    assert fast == pytest.approx(total / (2 * y.height))


@FEW
@given(releases())
def test_aya_is_never_below_the_attack_it_wraps(found):
    x, y, truth = found
    comparison = compare(x, y, truth)
    claim = judge.Claim(comparison)
    for name in ("euc1", "euc2", "sort", "id_sa"):
        guess = answers(name, x, y)
        assert judge.score(comparison.truth, claim.aya(guess)).hits >= judge.score(comparison.truth, guess).hits


@FEW
@given(releases())
def test_the_count_of_farther_claims_is_that_of_a_full_search(found):
    x, y, truth = found
    comparison = compare(x, y, truth)
    points, targets = comparison.case.points(scale="standard")
    slow_count = sum(
        min(slow.squared(p, t) for p in points) < slow.squared(points[truth[j]], t) for j, t in enumerate(targets)
    )
    assert judge.Claim(comparison).farther_than_nearest() == slow_count


@FEW
@given(frames((6, 30), maybe), st.integers(2, 3))
def test_k_anonymize_keeps_every_row_and_reaches_k(frame, k):
    data = dataset(frame)
    release = icefire.anonymize(data, {"step": [{"method": "k_anonymize", "k": k}]})
    assert release.released.height == frame.height
    assert min(slow.class_sizes(release.released.frame, QI)) >= k
    # Released values are values that occur; a column that is missing in all rows is released as one label.
    for name in QI:
        shown = set(release.released.frame[name])
        assert shown <= set(frame[name]) or (shown == {"*"} and None in set(frame[name]))
    # Nothing else changed: every row still carries its own amounts.
    assert release.released.frame.select(SA).equals(frame[release.truth.rows].select(SA))


@FEW
@given(st.integers(0, 60), st.integers(1, 60))
def test_the_wilson_interval_holds_the_share_and_lies_in_0_1(successes, extra):
    trials = successes + extra
    low, high = judge.wilson(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
