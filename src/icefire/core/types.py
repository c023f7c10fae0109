"""Types that every stage shares: array types, and the callback that reports progress."""

from __future__ import annotations

from collections.abc import Callable

from icefire.kernels.types import Bool, Float, Int

__all__ = ["Bool", "Float", "Int", "Progress", "no_progress"]

Progress = Callable[[str], None]
"""Called with the name of each stage of a long job."""


def no_progress(_: str) -> None:
    """Report nothing."""
