"""The names of measures and attacks on boards: the papers' codes where there are any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from icefire.core import registry
from icefire.core.registry import Entry, Question, Sort
from icefire.core.types import DataKind

Result = TypeVar("Result")


def key(entry: Entry) -> str:
    """Return what an entry goes by."""
    return entry.code or entry.name


def entries(sort: Sort, names: Sequence[str] | None, data: DataKind, question: Question = "origin") -> list[Entry]:
    """Return the entries a contest names or, if it names none, all that run unasked on such data."""
    if names is not None:
        return [registry.get(sort, name, data) for name in names]
    every = registry.entries(sort, data)
    fitting = [entry for entry in every if entry.question == question and entry.release == "rows"]
    return [entry for entry in fitting if not entry.explicit_only]


def by_key(sort: Sort, results: Mapping[str, Result]) -> dict[str, Result]:
    """Rename results that go by plain names."""
    return {key(registry.get(sort, name)): result for name, result in results.items()}
