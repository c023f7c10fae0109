"""The expected score of an answer about membership, and whom it is worth to claim."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icefire.core.errors import ParameterError
from icefire.theory import membership as membership_theory


@pytest.mark.parametrize(("chance", "score"), [(1, 0.16329), (0.1, 0.15865), (0.01, 0.15819), (0.0001, 0.15814)])
def test_answering_has_the_expected_score_of_the_slide(chance, score):
    assert round(membership_theory.expected_score(chance, True), 5) == score
    assert round(membership_theory.expected_score(chance, False), 5) == 0.15810


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(1, 500), st.floats(0, 1))
def test_answering_never_costs_where_precision_stays(chance, others, precision, targets, delta):
    yes, no = (
        membership_theory.expected_score(
            chance, included, others=others, precision=precision, targets=targets, delta=delta
        )
        for included in (True, False)
    )
    # (1 + d)(((n - 1) o + p) / n + d) - ((n - 1) / n + d)(o + d) = (d (1 - o) + (1 + d) p) / n.
    gain = (delta * (1 - others) + (1 + delta) * chance) / targets
    assert yes - no == pytest.approx((precision + delta) * gain, abs=1e-9)
    assert yes >= no - 1e-9


def test_a_chance_outside_0_and_1_is_refused():
    with pytest.raises(ParameterError, match=r"chance is 1.5; it is a share between 0 and 1"):
        membership_theory.expected_score(1.5, True)
    with pytest.raises(ParameterError, match="targets is 0"):
        membership_theory.expected_score(0.5, True, targets=0)


def test_only_likely_members_are_worth_claiming():
    sure = membership_theory.worth_claiming(np.array([0.0, 1.0, 0.0, 1.0]), np.full(4, 0.5))
    assert sure.tolist() == [False, True, False, True]
    assert membership_theory.worth_claiming(np.full(4, 0.5), np.full(4, 0.1)).all()
    assert membership_theory.worth_claiming(np.empty(0), np.empty(0)).tolist() == []
