"""Rows and means in the cells of a cross table, against a slow obvious version."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.kernels.common.interpreted import always_compiled
from icefire.kernels.grouping import cell_means as kernel
from icefire.kernels.grouping.packed_keys import Digit


def slow(digits: list[Digit], columns: list[np.ndarray], rows: int, size: int) -> tuple[list[int], list[list[float]]]:
    held, values = [0] * size, [[[] for _ in range(size)] for _ in columns]
    for row in range(rows):
        cell = 0
        for digit in digits:
            cell = cell * digit.size + int(digit.values[row]) - digit.lowest
        held[cell] += 1
        for place, column in enumerate(columns):
            if not np.isnan(column[row]):
                values[place][cell].append(float(column[row]))
    return held, [[np.mean(cell) if cell else np.nan for cell in column] for column in values]


@pytest.mark.parametrize("rows", [0, 1, 50, 3000])
def test_against_the_slow_version(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "TILE", 700)
    rng = np.random.default_rng(rows)
    digits = [
        Digit(rng.integers(3, 6, rows).astype(np.int8), 3, 3),
        Digit(rng.integers(-2, 2, rows), -2, 4),
    ]
    amounts = np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows))
    columns = [amounts, rng.integers(0, 9, rows).astype(np.int32)]
    held, means = kernel.cell_means(digits, columns, rows, 12)
    with always_compiled():
        again = kernel.cell_means(digits, columns, rows, 12)
    expected = slow(digits, columns, rows, 12)
    assert held.tolist() == expected[0]
    assert means == pytest.approx(np.array(expected[1]), nan_ok=True)
    assert np.array_equal(means, again[1], equal_nan=True)


def test_without_columns_rows_are_counted() -> None:
    held, means = kernel.cell_means([Digit(np.array([1, 1, 2]), 1, 2)], [], 3, 2)
    assert held.tolist() == [2, 1]
    assert means.shape == (0, 2)
