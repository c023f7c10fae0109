"""The trees of a fingerprint: paths, what figures add, and writing them down."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.audit.fingerprint.trees import BoostedTrees, DecisionTree, FingerprintModel, model_from_bytes


def tree() -> DecisionTree:
    """Figure 0 above 0.5 adds 1; otherwise figure 1 above 2 takes 2 away, and else nothing."""
    return DecisionTree(
        feature=np.array([0, 1, -1, -1, -1]),
        threshold=np.array([0.5, 2.0, 0.0, 0.0, 0.0]),
        left=np.array([1, 3, 0, 0, 0]),
        right=np.array([2, 4, 0, 0, 0]),
        value=np.array([0.1, -0.5, 1.0, 0.0, -2.0]),
    )


@pytest.mark.parametrize(
    ("figures", "odds", "added"),
    [
        ([0.9, 9.0], 1.25, [0.9, 0.0]),  # 0.1 → 1.0
        ([0.1, 1.0], 0.25, [-0.6, 0.5]),  # 0.1 → -0.5 → 0.0
        ([0.1, 3.0], -1.75, [-0.6, -1.5]),  # 0.1 → -0.5 → -2.0
        ([float("nan"), 3.0], -1.75, [-0.6, -1.5]),  # a missing figure is not above anything
    ],
)
def test_what_figures_add_leads_from_the_root_to_the_answer(
    figures: list[float], odds: float, added: list[float]
) -> None:
    model = BoostedTrees(0.25, [tree()])
    assert model.log_odds(np.array(figures)) == pytest.approx(odds)
    assert model.contributions(np.array(figures)) == pytest.approx(added)


def test_a_model_is_the_same_after_writing_and_reading() -> None:
    model = FingerprintModel(("a", "b"), {"noise": BoostedTrees(0.25, [tree()])}, {"seed": 1})
    packed = model.to_bytes()
    again = model_from_bytes(packed)
    assert again.to_bytes() == packed
    assert again.features == ("a", "b")
    assert again.methods["noise"].log_odds(np.array([0.9, 9.0])) == pytest.approx(1.25)
