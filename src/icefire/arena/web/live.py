"""Live pages: one task polls the database once a second and tells every open page when something has changed.

What is sent is a mark, and how many watch, so that not all of them ask at once; a page fetches itself again, with the
rights of whoever looks at it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from icefire.arena.boards import freezing
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import EventRow

PUBLIC = (
    "team",
    "release",
    "withdrawn",
    "guess",
    "judged",
    "announcement",
    "phase",
    "frozen",
    "pause",
    "resume",
    "disqualified",
    "reveal",
)
"""Kinds of log lines that everybody may know to have been written."""
EVERY_SECONDS = 1.0
HEARTBEAT_SECONDS = 15
MOST_WATCHERS = 5000
logger = logging.getLogger("icefire.arena")
router = APIRouter(include_in_schema=False)


def newest_event(session: Session) -> int:
    """Return the number of the newest public line of the log."""
    last = select(EventRow.number).where(EventRow.kind.in_(PUBLIC)).order_by(EventRow.number.desc()).limit(1)
    return session.scalar(last) or 0


def mark(session: Session, rounds: list[RoundNow]) -> str:
    """Return what is different whenever a page may look different to the public: by an event, or by the clock."""
    clock = "-".join(one.phase + ("-paused" if one.paused else "") for one in rounds)
    return f"{newest_event(session)}.{clock}"


class Live:
    """The task that polls the database, and the pages that wait for a change."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._changed = asyncio.Event()
        self.mark = ""
        self.watchers = 0

    async def poll(self) -> None:
        """Read the mark again and again; a database that does not answer for a while ends nothing."""
        while True:
            try:
                mark = await run_in_threadpool(self._read_mark)
            except Exception:
                logger.exception("the live pages could not read the log")
            else:
                if mark != self.mark:
                    self.mark = mark
                    waiting, self._changed = self._changed, asyncio.Event()
                    waiting.set()
            await asyncio.sleep(EVERY_SECONDS)

    def _read_mark(self) -> str:
        freezing.keep_up(self._arena)  # here, once for everybody who looks at a board
        with self._arena.database.reading() as session:
            return mark(session, self._arena.rounds(session))

    async def changes(self) -> AsyncIterator[ServerSentEvent]:
        """Tell the present mark at once, so that nobody misses what happened before they came; then every new one."""
        self.watchers += 1
        try:
            while True:
                changed = self._changed
                if self.mark:
                    yield ServerSentEvent(str(self.watchers), event="crowd")
                    yield ServerSentEvent(self.mark, event="change", retry=3000)
                await changed.wait()
        finally:
            self.watchers -= 1


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
    if live.watchers >= MOST_WATCHERS:
        return Response("too many are watching; the page still works, load it again yourself\n", 503)
    return EventSourceResponse(live.changes(), ping=HEARTBEAT_SECONDS, send_timeout=30)
