"""Features of rows by which released numbers are predicted: equal numbers are none, whatever rounding makes of them."""

from __future__ import annotations

import numpy as np
import pytest

import icefire
from icefire.audit.obstacles.row_features import varies


def test_equal_numbers_whose_deviation_is_not_exactly_zero_do_not_vary() -> None:
    averages = np.full(123, 0.1 + 0.2)
    assert averages.std() > 0  # the mean was rounded
    assert not varies(averages)
    assert varies(np.array([1e15, 1e15 + 100.0]))
    assert not varies(np.array([np.nan, 2.0]))


@pytest.mark.parametrize("seed", [1, 2])
def test_averages_of_one_class_are_audited(seed: int) -> None:
    table = icefire.sample("households", 100, seed=seed)
    release = icefire.anonymize(table, {"step": [{"method": "k_anonymize", "k": 41}, {"method": "average"}]}, seed=seed)
    verdict = icefire.audit(table, release, attacks=["link"], measures=["U6"]).scorecard.verdict
    assert "correspondence" not in {reason.code for reason in verdict.reasons}
