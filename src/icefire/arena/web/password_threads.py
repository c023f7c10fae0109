"""Threads for hashing passwords, apart from those of the pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
from fastapi import Request

from icefire.arena.errors import TooMany

THREADS = 3
MOST_WAITING = 400
"""How many may wait for a thread before the next one is asked to come back."""
RETRY_SECONDS = 30
Result = TypeVar("Result")


class PasswordThreads:
    """A few threads in which passwords are hashed.

    When many log in at once, or somebody floods the server with wrong passwords, they wait here and leave the threads
    of the pages alone.
    """

    def __init__(self, threads: int = THREADS) -> None:
        self._threads = anyio.CapacityLimiter(threads)
        self._waiting = 0

    async def run_in_turn(self, work: Callable[[], Result]) -> Result:
        """Run slow work when it is its turn.

        Raises:
            TooMany: If too many wait already.
        """
        if self._waiting >= MOST_WAITING:  # counted here: of many who come at once, none waits for a thread yet
            raise TooMany(RETRY_SECONDS)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._waiting -= 1


async def in_password_thread(request: Request, work: Callable[[], Result]) -> Result:
    """Run work that hashes a password."""
    threads: PasswordThreads = request.app.state.password_threads
    return await threads.run_in_turn(work)
