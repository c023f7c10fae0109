"""The tables of the paper, a survey and a browser, shared by all tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from support.chromium import browser  # noqa: F401
from support.small_tables import table

import icefire
from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.io import given_roles


@pytest.fixture(autouse=True, scope="session")
def repeatable_seeds() -> Iterator[None]:
    """Releases without a seed of their own are the same in every run of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seeds, "drawn_seed", lambda: seeds.DEFAULT_SEED)
        yield


@pytest.fixture(autouse=True, scope="session")
def inferred_roles_are_agreed_to() -> Iterator[None]:
    """Tests whose tables have no roles take those that are inferred; tests/io/test_given_roles.py does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(given_roles, "check_inferred", lambda schema: None)
        yield


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """What a test has done to the logs ends with it; its standard error is closed then and must not be written to."""
    levels = {name: logging.getLogger(name).level for name in (None, "icefire", "icefire.arena.access")}
    before = set(logging.getLogger().handlers)
    yield
    for handler in set(logging.getLogger().handlers) - before:
        if type(handler) is logging.StreamHandler:
            logging.getLogger().removeHandler(handler)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


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
