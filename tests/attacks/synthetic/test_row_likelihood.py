"""The attack `row_likelihood`: by hand on two people, on rows made from people, and on rows made from nobody."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.synthetic_tables import ROLES, drawn_and_changed, gaussian_copula, population

from icefire.attacks.synthetic.row_likelihood import row_likelihood
from icefire.attacks.tables.link.row_ratios import NOBODY, log_ratios
from icefire.core.dataset import Dataset
from icefire.core.membership import LabelledRecords, MembershipCase
from icefire.core.roles import choose

HALF = 100


def dataset(frame: pl.DataFrame) -> Dataset:
    return Dataset(frame, choose(frame, ROLES["qi"], ROLES["sa"]))


def asked_about(released: pl.DataFrame, members: pl.DataFrame, others: pl.DataFrame) -> MembershipCase:
    """Half of the members and of the others are asked about; of the rest it is known what they are."""
    asked = pl.concat([members[HALF:], others[HALF:]])
    known = pl.concat([members[:HALF], others[:HALF]])
    examples = LabelledRecords(dataset(known), np.arange(known.height) < HALF)
    return MembershipCase(dataset(asked), dataset(released), examples=examples)


def auc(case: MembershipCase, seed: int = 1) -> float:
    scores = row_likelihood(case, rng=np.random.default_rng(seed)).scores
    assert scores is not None
    inside, outside = scores[:HALF, None], scores[None, HALF:]
    return float((inside > outside).mean() + (inside == outside).mean() / 2)


def test_two_rows_and_two_people_by_hand():
    # The first person explains the first row 6 times as well as nobody in particular does, the second person twice.
    weights, scale = np.array([[3.0, 1.0], [1.0, 1.0]]), np.log([2.0, 1.0])
    got = log_ratios(weights, scale, np.array([0.5, 1.0]))
    own = 1 - NOBODY
    nobody = NOBODY * 1.5 * np.array([0.5, 1.0])
    first = np.log1p(own * 3 / (own * 1 + nobody[0])) + np.log1p(own * 1 / (own * 1 + nobody[1]))
    second = np.log1p(own * 1 / (own * 1.5 + nobody[0])) + np.log1p(own * 1 / (own * 0.5 + nobody[1]))
    assert got == pytest.approx([first, second])


def test_a_sure_member_who_alone_explains_a_row_has_a_finite_score():
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        got = log_ratios(np.array([[1e20, 1e-300]]), np.array([600.0]), np.array([1.0, 0.5]))
    assert np.isfinite(got).all()
    assert got[0] > 600


def test_rows_made_from_people_and_changed_tell_members():
    members, others = population(2 * HALF, 1), population(2 * HALF, 2)
    # Whoever was not drawn cannot be told: at most about 0.63 + 0.37 / 2.
    assert auc(asked_about(drawn_and_changed(members, 0.2), members, others)) > 0.7


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_rows_of_a_copula_tell_nothing(seed: int):
    members, others = population(2 * HALF, 1), population(2 * HALF, 2)
    got = auc(asked_about(gaussian_copula(members, 2 * HALF, seed), members, others))
    assert abs(got - 0.5) < 3.3 * np.sqrt((2 * HALF + 1) / (12 * HALF * HALF))


def test_the_order_of_rows_and_people_does_not_matter():
    members, others = population(2 * HALF, 1), population(2 * HALF, 2)
    released = drawn_and_changed(members, 0.2)
    case = asked_about(released, members, others)
    order = np.random.default_rng(3).permutation(case.targets)
    moved = MembershipCase(
        case.records.take(order), dataset(released.select(reversed(released.columns))), examples=case.examples
    )
    first, second = (row_likelihood(one, rng=np.random.default_rng(1)).scores for one in (case, moved))
    assert second == pytest.approx(first[order])


def test_nobody_else_is_known_and_no_column_is_shared():
    members = population(30, 1)
    alone = MembershipCase(dataset(members), dataset(drawn_and_changed(members, 0.1)))
    assert row_likelihood(alone, rng=np.random.default_rng(1)).scores.std() > 0
    constant = dataset(members.with_columns(pl.lit("x").alias(name) for name in members.columns))
    nothing = MembershipCase(constant, constant)
    assert row_likelihood(nothing, rng=np.random.default_rng(1)).scores.tolist() == [0.0] * 30
