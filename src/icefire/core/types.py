"""Types that every stage shares: the kind of data, and the callback that reports progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

DataKind = Literal["table", "history"]
"""A table has one row per person, a history many."""

Progress = Callable[[str], None]
"""Called with the name of each stage of a long job."""


def no_progress(_: str) -> None:
    """Report nothing."""
