"""Everything public says what it does, takes and returns."""

from __future__ import annotations

import inspect

import pytest
from support import docstrings

import icefire
from icefire.core import registry

ENTRIES = [entry for sort in ("method", "measure", "attack") for entry in registry.entries(sort)]
FUNCTIONS = [one for name in icefire.__all__ if inspect.isfunction(one := getattr(icefire, name))]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.sort}-{entry.name}")
def test_a_registered_function_describes_its_arguments_and_its_result(entry: registry.Entry) -> None:
    assert docstrings.problems(entry.function) == []


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_public_function_describes_its_arguments_and_its_result(function: object) -> None:
    assert docstrings.problems(function) == []  # type: ignore[arg-type]


def test_a_missing_description_is_noticed() -> None:
    def function(one: int, two: int) -> int:
        """Add.

        Args:
            one: The first.
        """
        return one + two

    assert docstrings.problems(function) == [
        "argument 'two' is not described in Args",
        "there is no section Returns",
    ]
