"""Values that several attacks and measures need, computed once per case."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")


class CachedProperties:
    """A mixin for types with a `_cache`: costly values are computed on first use and kept under a key."""

    __slots__ = ()
    _cache: dict[Any, Any]

    def cached(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return the value kept under this key, or compute it now."""
        if key not in self._cache:
            self._cache[key] = compute()
        value: Value = self._cache[key]
        return value
