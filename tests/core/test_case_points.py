"""Both tables as points: missing numbers have their place, however they are written."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.core.dataset import Dataset
from icefire.core.errors import SchemaError
from icefire.core.release import Case
from icefire.core.roles import choose


def case(*, gap: float | None) -> Case:
    frame = pl.DataFrame({"age": [1, 2, 3], "pay": [1.0, gap, 3.0]}, schema_overrides={"pay": pl.Float64})
    roles = choose(frame, ["age"], ["pay"], ())
    return Case(Dataset(frame, roles), Dataset(frame.reverse(), roles))


@pytest.mark.parametrize("scale", ["raw", "standard"])
def test_numbers_that_are_none_lie_where_missing_ones_do(scale) -> None:
    missing, none = (case(gap=gap).points(scale=scale) for gap in (None, float("nan")))
    assert not np.isnan(none[0]).any()
    assert [side.tolist() for side in none] == [side.tolist() for side in missing]


def test_columns_that_are_not_there_are_refused() -> None:
    with pytest.raises(SchemaError, match="'pay'"):
        case(gap=None).points(["pai"])
