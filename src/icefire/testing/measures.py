"""The contract of measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from icefire.core.errors import UndefinedError
from icefire.core.registry import Entry
from icefire.core.release import NO_ANSWER, Truth
from icefire.testing.examples import Example
from icefire.testing.repeated import run_twice

TOLERANCE = 1e-12


def check_measure(entry: Entry, examples: Sequence[Example]) -> None:
    """Check that a measure is finite or undefined, needs no truth unless declared, and finds no error unchanged."""
    for example in examples:
        _check_value(entry, example)
        if entry.data == "table" and "truth" not in entry.needs and "population" not in entry.needs:
            _check_without_truth(entry, example)
        if entry.better == "lower" and "original" in entry.needs:
            _check_no_error(entry, example.unchanged())


def _check_value(entry: Entry, example: Example) -> None:
    value = run_twice(entry, [example.original, example.released], lambda: _value(entry, example), repr)
    assert value is None or np.isfinite(value), f"{entry.name}: a measure is finite, or says it is undefined"


def _check_without_truth(entry: Entry, example: Example) -> None:
    """Releases without correspondence, such as synthetic ones, have no truth: every row comes from nobody."""
    nobody = Truth(np.full(example.released.people, NO_ANSWER))
    try:
        value = _value(entry, replace(example, truth=nobody))
    except Exception as error:
        raise AssertionError(f'{entry.name}: a measure without "truth" in needs takes a release without one') from error
    assert value is None or np.isfinite(value), f"{entry.name}: a measure is finite, or says it is undefined"


def _check_no_error(entry: Entry, unchanged: Example) -> None:
    value = _value(entry, unchanged)
    assert value is not None, f"{entry.name}: is defined for an unchanged {unchanged.original.kind}"
    assert abs(value) < TOLERANCE, f"{entry.name}: an unchanged {unchanged.original.kind} has no error"


def _value(entry: Entry, example: Example) -> float | None:
    try:
        return float(entry.function(example.comparison(), **entry.bind({})))
    except UndefinedError:
        return None
