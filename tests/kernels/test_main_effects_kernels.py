"""Counts of joint tables and products of regression rows, against the obvious version."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.kernels.common.sparse_rows import product, transposed_product
from icefire.kernels.grouping.joint_counts import joint_counts


@pytest.mark.parametrize(("columns", "sizes"), [([1], [3]), ([3, 1], [3, 5]), ([2, 0, 3], [3, 4, 3])])
def test_joint_counts_are_those_of_a_loop(columns, sizes):
    codes = np.random.default_rng(1).integers(0, 3, (4, 50)).astype(np.int32)
    counts = np.zeros(sizes, np.int64)
    for row in range(50):
        counts[tuple(codes[column, row] for column in columns)] += 1
    assert (joint_counts(codes[columns], np.array(sizes)) == counts.reshape(-1)).all()


def test_products_are_those_of_the_full_matrix():
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=(20, 2))
    levels = np.column_stack([rng.integers(2, 6, 20), rng.integers(5, 8, 20)]).astype(np.int32)
    levels[levels == [2, 5]] = -1  # the reference level of each category
    matrix = np.zeros((20, 8))
    matrix[:, 0], matrix[:, 1:3] = 1, numbers
    for row, columns in enumerate(levels):
        for column in columns[columns >= 0]:
            matrix[row, column] += 1
    beta, weights = rng.normal(size=8), rng.normal(size=20)
    assert product(numbers, levels, beta) == pytest.approx(matrix @ beta)
    assert transposed_product(numbers, levels, weights, 8) == pytest.approx(matrix.T @ weights)
