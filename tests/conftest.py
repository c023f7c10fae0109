"""Tables small enough to check by hand, shared by all tests."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from chromium import browser  # noqa: F401

import icefire
from icefire.dataset import Dataset
from icefire.release import Case, Comparison, Truth

QI = ("q1", "q2", "q3")
SA = ("s1", "s2")


def table(*rows: tuple[int, ...]) -> Dataset:
    """A dataset with three quasi-identifiers and two sensitive attributes."""
    frame = pl.DataFrame(rows, schema=[*QI, *SA], orient="row")
    return icefire.read(frame, qi=QI, sa=SA)


def compare(x: Dataset, y: Dataset, truth: list[int] | None = None) -> Comparison:
    """A comparison of two tables, row by row unless a truth is given."""
    rows = np.arange(y.height) if truth is None else np.array(truth)
    return Comparison(Case(x, y), Truth(rows))


@pytest.fixture
def paper_x() -> Dataset:
    """P0 Table 2: the original."""
    return table((2, 1, 1, 100, 100), (2, 1, 1, 200, 400), (1, 1, 2, 300, 200), (1, 1, 2, 400, 500))


@pytest.fixture
def paper_b() -> Dataset:
    """P0 Table 3: X with noise on the sensitive attributes."""
    return table((2, 1, 1, 110, 90), (2, 1, 1, 220, 390), (1, 1, 2, 280, 210), (1, 1, 2, 390, 520))


@pytest.fixture
def paper_d() -> Dataset:
    """P0 Table 4: X with the third quasi-identifier unified to 1."""
    return table((2, 1, 1, 100, 100), (2, 1, 1, 200, 400), (1, 1, 1, 300, 200), (1, 1, 1, 400, 500))


@pytest.fixture(scope="session")
def households() -> Dataset:
    """A survey of 500 households."""
    return icefire.sample("households", 500)
