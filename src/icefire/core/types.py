"""Types that every stage shares: array types, and the callback that reports progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from icefire.kernels.types import Bool, Float, Int

__all__ = ["Bool", "DataKind", "Float", "Int", "Progress", "no_progress"]

DataKind = Literal["table", "history"]
"""A table has one row per person, a history many."""

Progress = Callable[[str], None]
"""Called with the name of each stage of a long job."""


def no_progress(_: str) -> None:
    """Report nothing."""
