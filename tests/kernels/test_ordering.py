"""Rows in the order of their values, sorted range by range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icefire.kernels.common.ordering import rows_in_order

NUMBERS = st.lists(st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, 3.0, np.inf]), max_size=60)


@given(NUMBERS, st.integers(1, 20))
def test_the_order_is_that_of_sorting_at_once(numbers: list[float], at_once: int) -> None:
    values = np.array(numbers, float)
    assert rows_in_order(values, at_once).tolist() == np.argsort(values, kind="stable").tolist()


@pytest.mark.parametrize("values", [np.zeros(5000), np.repeat([1.0, 2.0], 2500), np.arange(5000.0)[::-1]])
def test_ties_go_by_row_in_long_columns(values: np.ndarray) -> None:
    assert rows_in_order(values, 700).tolist() == np.argsort(values, kind="stable").tolist()


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(-3, 3), max_size=60))
def test_whole_numbers_have_the_order_of_sorting(numbers: list[int]) -> None:
    values = np.array(numbers, np.int64)
    assert rows_in_order(values).tolist() == np.argsort(values, kind="stable").tolist()
