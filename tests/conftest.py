"""The tables of the paper, a survey and a browser, shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.chromium import browser  # noqa: F401
from support.small_tables import table

import icefire
from icefire.core import seeds
from icefire.core.dataset import Dataset


@pytest.fixture(autouse=True, scope="session")
def repeatable_seeds() -> Iterator[None]:
    """Releases without a seed of their own are the same in every run of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seeds, "drawn_seed", lambda: seeds.DEFAULT_SEED)
        yield


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
