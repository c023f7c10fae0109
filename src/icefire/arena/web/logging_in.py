"""Logging in over the web: a try waits if it must, and its password is looked at in a thread for passwords."""

from __future__ import annotations

from functools import partial

from anyio import sleep
from fastapi import Request

from icefire.arena.auth import login
from icefire.arena.auth.login import KnownBrowser, LoginFrom
from icefire.arena.storage.tables import AccountRow
from icefire.arena.web.password_threads import PasswordThreads
from icefire.arena.web.requester import Requester


async def log_in(
    request: Request, requester: Requester, name: str, password: str, known: KnownBrowser | None = None
) -> AccountRow:
    """Return the account for a name and password.

    Raises:
        NotLoggedIn: If they do not belong together.
        TooMany: If there were too many tries, or too many wait.
    """
    arena, threads = requester.arena, _threads(request)
    where = LoginFrom(requester.address, arena.signer.digest(requester.address), known)
    with threads.place(requester.address):
        attempt = await threads.run_work(partial(login.begin, arena.database, name, where, arena.now()))
        if attempt.wait:
            await sleep(attempt.wait)
        return await threads.run_work(partial(login.finish, arena.database, attempt, password))


def _threads(request: Request) -> PasswordThreads:
    threads: PasswordThreads = request.app.state.password_threads
    return threads
