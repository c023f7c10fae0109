"""What the theory of clusters and dummies says, against the paper's figures and against throwing dice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.core.errors import ParameterError
from icefire.theory import dummies as theory

PAPER = (400, 38_000, 2_700)
DATA = (400, 38_087, 2_781)

sizes = st.tuples(st.integers(1, 300), st.integers(0, 20_000), st.integers(1, 3_000))


def test_one_cluster_takes_what_the_paper_says():
    assert theory.expected_dummies(*PAPER, 1) == pytest.approx(1_042_653, abs=0.5)


@pytest.mark.parametrize(("clusters", "rows"), [(25, 431_813), (50, 229_122), (100, 104_951), (125, 78_010)])
def test_dummies_expected_on_the_contest_data(clusters, rows):
    assert theory.expected_dummies(*DATA, clusters) == pytest.approx(rows, abs=0.5)


def test_the_best_number_of_clusters_is_that_of_the_paper():
    assert theory.best_clusters(*PAPER) == 69
    assert theory.curve(*PAPER).total[68] == pytest.approx(0.327838, abs=5e-7)
    assert theory.best_clusters(*DATA) == 68


def test_goods_that_two_customers_share():
    assert theory.shared_goods(65, 0.03) == pytest.approx(3.786, abs=5e-4)
    assert theory.shared_goods(10, 1) == 10  # equal sets share everything
    assert theory.shared_goods(10, 0) == 0


def test_by_hand():
    # 2 customers, 2 rows, 2 goods: each has one good; in one cluster a good is missing with chance 1/2 - 1/4 each.
    assert theory.expected_dummies(2, 2, 2, 1) == pytest.approx(2 * 2 * (1 / 2 - 1 / 4))
    assert theory.expected_dummies(2, 2, 2, 2) == 0
    assert theory.expected_reid(1, 2) == 0.5
    assert theory.curve(2, 2, 2).total.tolist() == pytest.approx([1 + 0.5, 0 + 1])
    assert theory.best_clusters(2, 2, 2) == 2


def test_the_expectation_is_what_dice_give():
    # 12 customers in 3 clusters of 4, 5 rows each, 8 goods; 4,000 throws lie within 1 % of the mean.
    rng = np.random.default_rng(1)
    goods = rng.integers(0, 8, (4_000, 3, 4, 5))
    has = (goods[..., None] == np.arange(8)).any(axis=3)
    added = (has.any(axis=2, keepdims=True) & ~has).sum(axis=(1, 2, 3))
    assert added.mean() == pytest.approx(theory.expected_dummies(12, 60, 8, 3), rel=0.01)


@settings(max_examples=50, deadline=None)
@given(sizes)
def test_the_curve_is_the_functions_at_every_point(found):
    curve = theory.curve(*found)
    most = theory.expected_dummies(*found, 1)
    assert list(curve.clusters) == list(range(1, found[0] + 1))
    for c in {1, found[0], (1 + found[0]) // 2}:
        assert curve.dummies[c - 1] == pytest.approx(theory.expected_dummies(*found, c))
        assert curve.reid[c - 1] == theory.expected_reid(c, found[0])
        cost = theory.expected_dummies(*found, c) / most if most > 0 else 0.0
        assert curve.total[c - 1] == pytest.approx(cost + theory.expected_reid(c, found[0]))
    assert curve.best == theory.best_clusters(*found)
    assert curve.total[curve.best - 1] == min(curve.total)


@settings(max_examples=50, deadline=None)
@given(sizes)
def test_more_clusters_never_cost_more(found):
    dummies = theory.curve(*found).dummies
    assert (np.diff(dummies) <= 1e-9).all()
    assert dummies[-1] == 0  # everybody alone needs none


def test_one_good_or_no_rows_need_no_dummies():
    assert theory.expected_dummies(10, 50, 1, 2) == 0
    assert theory.expected_dummies(10, 0, 5, 2) == 0
    assert theory.best_clusters(10, 50, 1) == 1  # nothing to pay: everybody in one cluster


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.expected_dummies(10, 5, 5, 0), "clusters is 0; it must lie between 1 and the 10 customers"),
        (lambda: theory.expected_dummies(10, 5, 5, 11), "clusters is 11"),
        (lambda: theory.expected_reid(11, 10), "clusters is 11"),
        (lambda: theory.best_clusters(0, 5, 5), "the number of customers is 0; it must be at least 1"),
        (lambda: theory.best_clusters(2, -1, 5), "the number of rows is -1"),
        (lambda: theory.best_clusters(2, 5, 0), "the number of goods is 0"),
        (lambda: theory.shared_goods(5, 1.5), "lies between 0 and 1"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
