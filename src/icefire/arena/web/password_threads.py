"""Threads for hashing passwords, apart from those of the pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import anyio
from fastapi import Request

from icefire.arena.errors import TooMany
from icefire.arena.web.addresses import address_of

THREADS = 3
MOST_WAITING = 400
"""How many may wait for a thread before the next one is asked to come back."""
MOST_BY_ADDRESS = 200
"""How many of them may come from one address: a hall, but not all places."""
RETRY_SECONDS = 30
Result = TypeVar("Result")


class PasswordThreads:
    """A few threads in which passwords are hashed.

    When many log in at once, or somebody floods the server with wrong passwords, they wait here and leave the threads
    of the pages alone.
    """

    def __init__(self, threads: int = THREADS) -> None:
        self._threads = anyio.CapacityLimiter(threads)
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def place(self, address: str) -> Iterator[None]:
        """Take a place among those who wait.

        Raises:
            TooMany: If too many wait already, altogether or from one address.
        """
        if self._waiting.total() >= MOST_WAITING or self._waiting[address] >= MOST_BY_ADDRESS:
            raise TooMany(RETRY_SECONDS)
        self._waiting[address] += 1
        try:
            yield
        finally:
            self._waiting[address] -= 1
            self._waiting += Counter()  # forgets those that are zero

    async def run_work(self, work: Callable[[], Result]) -> Result:
        """Run work of somebody who has a place, when it is its turn."""
        return await anyio.to_thread.run_sync(work, limiter=self._threads)

    async def run_in_turn(self, work: Callable[[], Result], address: str) -> Result:
        """Run slow work when it is its turn."""
        with self.place(address):
            return await self.run_work(work)


async def in_password_thread(request: Request, work: Callable[[], Result]) -> Result:
    """Run work that hashes a password."""
    threads: PasswordThreads = request.app.state.password_threads
    return await threads.run_in_turn(work, address_of(request))
