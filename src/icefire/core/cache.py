"""What attacks and measures on the same data share, made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Found = TypeVar("Found")


class Remembers:
    """Something with a `_memo`: costly things are made on first use and kept under a key."""

    __slots__ = ()
    _memo: dict[Any, Any]

    def remember(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """Return what was made under this key before, or make it now."""
        if key not in self._memo:
            self._memo[key] = make()
        found: Found = self._memo[key]
        return found
