"""A synthetic release has measures that compare distributions, and a sentence on what changed most."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit.limits import Gate
from icefire.core.errors import ParameterError, SchemaError

ROLES = {"qi": ("age", "job"), "sa": ("pay",)}


def people(rows, seed, more=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    frame = {"age": age + more, "job": rng.choice(["cook", "nurse"], rows), "pay": 10 * age + rng.normal(0, 60, rows)}
    return pl.DataFrame(frame)


def test_measures_that_need_no_correspondence_are_computed_and_the_largest_change_is_named():
    result = icefire.audit(people(80, 1), people(200, 2, more=9), synthetic=True, target="pay", **ROLES).scorecard
    assert {"marginal_distance", "pair_distance_max", "pmse_ratio", "task_score", "mean_error"} <= set(result.measures)
    assert not {"granularity", "information_loss", "k_min"} & set(result.measures)
    assert result.usefulness is not None
    assert "the largest change of a distribution is in age" in result.usefulness.text
    assert result.usefulness.text in result.verdict.text
    assert result.measures["task_score"].note.endswith("are not left out, as they are not known")


def test_columns_that_are_not_released_are_named_and_a_copy_says_that_nothing_moved():
    x = people(60, 1)
    result = icefire.audit(x, x.drop("job"), synthetic=True, **ROLES).scorecard
    assert result.usefulness.text == "What was lost: one column is not in the release (job)."
    assert result.usefulness.columns_lost == pytest.approx(1 / 3)


def test_distances_can_be_limited_and_other_measures_are_refused():
    x, y = people(60, 1), people(60, 2, more=30)
    limited = icefire.audit(x, y, synthetic=True, limits=[Gate("marginal_distance_max", 0.1)], **ROLES).scorecard
    assert any(not limit.passed for limit in limited.limits if limit.name == "marginal_distance_max")
    with pytest.raises(ParameterError, match="'k_min' needs released rows that come from people"):
        icefire.audit(x, y, synthetic=True, measures=["k_min"], **ROLES)
    with pytest.raises(SchemaError, match="target: no column 'job'"):
        icefire.audit(x, y.drop("job"), synthetic=True, target="job", **ROLES)
