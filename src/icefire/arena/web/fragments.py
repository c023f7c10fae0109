"""Parts of pages that many people see alike, drawn once for all of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from markupsafe import Markup

MOST = 500


class Fragments:
    """The newest parts, by everything they depend on."""

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, Markup] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Markup]) -> Markup:
        """Return a part; of many who ask at once one makes it and the others wait for that one."""
        with self._lock:
            found = self._find(key)
            if found is not None:
                return found
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                found = self._find(key)
            return self._keep(key, make) if found is None else found

    def _find(self, key: Hashable) -> Markup | None:
        found = self._made.get(key)
        if found is not None:
            self._made.move_to_end(key)
        return found

    def _keep(self, key: Hashable, make: Callable[[], Markup]) -> Markup:
        try:
            made = make()
            with self._lock:
                self._made[key] = made
                while len(self._made) > MOST:
                    self._made.popitem(last=False)
            return made
        finally:
            with self._lock:
                self._making.pop(key, None)
