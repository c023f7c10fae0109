"""The live pages that are open: a limited number, altogether and from one address; the oldest make room."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from icefire.arena.web.socket_limits import SocketLimits


@dataclass(eq=False, slots=True)
class Watcher:
    """One live page."""

    address: str
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    dismissed: bool = False
    """Whether it has to make room for another one."""

    def dismiss(self) -> None:
        """Have it end."""
        self.dismissed = True
        self.woken.set()


class Watchers:
    """All live pages, the oldest first."""

    def __init__(self, limits: SocketLimits) -> None:
        self._limits = limits
        self._every: dict[Watcher, None] = {}

    def __len__(self) -> int:
        """Count those that are to stay."""
        return sum(1 for _ in self._staying())

    def _staying(self) -> Iterator[Watcher]:
        return (one for one in self._every if not one.dismissed)

    def add(self, address: str) -> Watcher:
        """Let one in; where there are too many, the oldest of this address or of the largest crowd has to go."""
        crowds = Counter(one.address for one in self._staying())
        if crowds[address] >= self._limits.watchers_by_address:
            self._dismiss_oldest(address)
        elif crowds.total() >= self._limits.watchers:
            self._dismiss_oldest(crowds.most_common(1)[0][0])
        watcher = Watcher(address)
        self._every[watcher] = None
        return watcher

    def _dismiss_oldest(self, address: str) -> None:
        next(one for one in self._staying() if one.address == address).dismiss()

    def remove(self, watcher: Watcher) -> None:
        """Forget one that has ended."""
        self._every.pop(watcher, None)

    def wake(self) -> None:
        """Tell all of them that something has changed."""
        for one in self._every:
            one.woken.set()
