"""Run something twice on the same data: the same result both times, and the data stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import polars as pl

from icefire.core.registry import Entry

Result = TypeVar("Result")

MISSING = "\N{SYMBOL FOR NULL}"


def run_twice(
    entry: Entry, tables: Sequence[Any], run: Callable[[], Result], content: Callable[[Result], Any]
) -> Result:
    """Run twice and return the first result.

    Args:
        entry: What is run; named in messages.
        tables: The data handed in, which must not change.
        run: Runs it once, with the same seed each time.
        content: What must be equal in both results.

    Returns:
        The first result.
    """
    before = [written(table) for table in tables]
    results = []
    for _ in range(2):
        results.append(run())
        unchanged = [written(table) for table in tables] == before
        assert unchanged, f"{entry.name}: the data handed in are not changed"
    first, second = map(content, results)
    assert first == second, f"{entry.name}: the same data and the same seed give the same result"
    return results[0]


def written(data: Any) -> str:
    """Write a table or a history with its types as text, every digit of it: equal texts are equal data."""
    frames = [data.frame, getattr(data, "customers", None)]
    return "\n".join(_text(frame) for frame in frames if frame is not None)


def _text(frame: pl.DataFrame) -> str:
    return f"{frame.schema}\n{frame.write_csv(null_value=MISSING)}"
