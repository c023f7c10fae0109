"""Live pages: one task polls the database once a second and tells every open page when something has changed.

What is sent is a mark, and how many watch, so that not all of them ask at once; a page fetches itself again, with the
rights of whoever looks at it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass

from fastapi import APIRouter, Request
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from icefire.arena.boards import freezing
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.kept_head import HeadKeeper
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage import log, outages
from icefire.arena.web.addresses import UNKNOWN, address_of
from icefire.arena.web.changes import GUESS
from icefire.arena.web.socket_limits import SocketLimits, of_this_process
from icefire.arena.web.watchers import Watchers

EVERY_SECONDS = 1.0
HEARTBEAT_SECONDS = 15
RETRY_MILLISECONDS, LATER_MILLISECONDS = 3000, 60_000
logger = logging.getLogger("icefire.arena")
router = APIRouter(include_in_schema=False)


def mark(session: Session, rounds: list[RoundNow], *, guesses: bool = True) -> str:
    """Return what is different whenever a page may look different to the public: by an event, or by the clock.

    Without guesses it is the mark of pages that show boards and no matrix: a guess changes nothing there.
    """
    return marks(session, rounds)[0 if guesses else 1]


def marks(session: Session, rounds: list[RoundNow]) -> tuple[str, str]:
    """Return the mark of all pages, and that of pages that show boards and no matrix."""
    clock = "-".join(one.phase + ("-paused" if one.paused else "") for one in rounds)
    everything, boards = log.newest_public_numbers(session, without=(GUESS,))
    return f"{everything}.{clock}", f"{boards}.{clock}"


def head(session: Session) -> str:
    """Return the number and the hash of the newest public line of the log."""
    line = log.newest_public(session)
    return f"{line.number} {line.hash}" if line else ""


@dataclass(frozen=True, slots=True)
class LiveMarks:
    """What open pages are told: the mark of all pages, that of boards, and the head of the log."""

    everything: str = ""
    boards: str = ""
    head: str = ""


class Live:
    """The task that polls the database, and the pages that wait for a change."""

    def __init__(self, arena: Arena, limits: SocketLimits | None = None) -> None:
        self._arena = arena
        self._crowd = Watchers(limits or of_this_process())
        self.marks = LiveMarks()
        self._head = HeadKeeper(arena)

    @property
    def watchers(self) -> int:
        """How many pages are open."""
        return len(self._crowd)

    async def poll(self) -> None:
        """Read the mark again and again; a database that does not answer for a while ends nothing."""
        while True:
            try:
                marks = await run_in_threadpool(self._read)
            except SQLAlchemyError as error:
                outages.tell(error)
            except Exception:
                logger.exception("the live pages could not read the log")
            else:
                changed = marks.everything != self.marks.everything
                self.marks = marks
                if changed:
                    self._crowd.wake()
            await asyncio.sleep(EVERY_SECONDS)

    def _read(self) -> LiveMarks:
        freezing.keep_up(self._arena)  # here, once for everybody who looks at a board
        with self._arena.database.reading() as session:
            self._head.keep_up(session)
            rounds = self._arena.rounds(session)
            return LiveMarks(mark(session, rounds), mark(session, rounds, guesses=False), head(session))

    async def changes(self, address: str = UNKNOWN) -> AsyncIterator[ServerSentEvent]:
        """Tell the present mark at once, so that nobody misses what happened before they came; then every new one.

        A page that has to make room for others is told to come back, later than others would.
        """
        watcher = self._crowd.add(address)
        try:
            while not watcher.dismissed:
                watcher.woken.clear()
                if self.marks.everything:
                    yield ServerSentEvent(str(self.watchers), event="crowd")
                    yield ServerSentEvent(self.marks.head, event="head")
                    yield ServerSentEvent(self.marks.boards, event="boards")
                    yield ServerSentEvent(self.marks.everything, event="change", retry=RETRY_MILLISECONDS)
                await watcher.woken.wait()
            yield ServerSentEvent("", event="full", retry=LATER_MILLISECONDS)
        finally:
            self._crowd.remove(watcher)


@contextlib.asynccontextmanager
async def polling(live: Live) -> AsyncIterator[None]:
    """Poll the database while the server runs."""
    task = asyncio.create_task(live.poll())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@router.get("/events")
async def events(request: Request) -> Response:
    """Send an event whenever something changes."""
    live: Live = request.app.state.live
    return EventStream(live.changes(address_of(request)), ping=HEARTBEAT_SECONDS, send_timeout=30)


class EventStream(EventSourceResponse):
    """A stream whose reader may stop reading: that ends it, and is nothing to write down."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until either side has enough."""
        try:
            await super().__call__(scope, receive, send)
        except* SendTimeoutError:
            pass
