"""Workers: each takes one job after the other. Any number may run, in the server or beside it."""

from __future__ import annotations

import logging
import os
import socket
import threading
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from icefire.arena import ids
from icefire.arena.boards import freezing
from icefire.arena.contest.arena import Arena
from icefire.arena.judge import judging, retention, sandbox
from icefire.arena.storage import jobs, outages

IDLE_SECONDS = 0.5
TROUBLE_SECONDS = 5.0
_logger = logging.getLogger(__name__)


def new_name() -> str:
    """Return a name for a worker that no other has."""
    return f"{socket.gethostname()[:16]}-{os.getpid()}-{ids.new_id()[:8]}"


def run_jobs(arena: Arena, stop: threading.Event, name: str | None = None) -> None:
    """Work until told to stop; a database that is away for a moment is waited for."""
    worker = name or new_name()
    sandbox.warm(arena.definition.rules)
    while not stop.is_set():
        try:
            idle = not step(arena, worker)
        except SQLAlchemyError as error:
            if outages.is_outage(error):
                outages.tell(error)
            else:
                _logger.exception("the database refused something; trying again")
            stop.wait(TROUBLE_SECONDS)
            continue
        if idle:
            stop.wait(IDLE_SECONDS)


def step(arena: Arena, worker: str) -> bool:
    """Do one job, if there is one; tells whether there was."""
    freezing.keep_up(arena)
    with arena.database.reading() as session:
        waiting = jobs.any_waiting(session, arena.now())
    if not waiting:
        retention.remove_old(arena)
        return False
    job = jobs.claim(arena.database, worker, arena.now())
    if job is None:
        return False
    judging.work(arena, job, worker)
    return True


def finish(arena: Arena, worker: str = "worker") -> int:
    """Do all that waits, here and now; returns how many jobs that were."""
    done = 0
    while step(arena, worker):
        done += 1
    return done


def in_background(arena: Arena) -> Any:
    """Start a worker in a thread of this process; returns a function that stops it."""
    stop = threading.Event()
    thread = threading.Thread(target=run_jobs, args=(arena, stop), name="icefire-worker", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join(timeout=10)

    return end
