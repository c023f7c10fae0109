"""Checks of the server: tables, log, clock, vault, disk."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

from alembic.script import ScriptDirectory
from sqlalchemy import select

from icefire.arena.contest import signing
from icefire.arena.contest.arena import Arena
from icefire.arena.doctor.finding import FIXABLE, Finding
from icefire.arena.storage import database, log
from icefire.arena.storage.tables import EventRow

LITTLE, TOO_LITTLE = 2 << 30, 200 << 20
SLACK = timedelta(minutes=1)


def tables(arena: Arena) -> Iterator[Finding]:
    """Find tables of another version."""
    wanted = ScriptDirectory(str(Path(database.__file__).parent / "migrations")).get_current_head()
    version = arena.database.version()
    if version != wanted:
        yield Finding(
            "error",
            f"the tables have version {version}; this icefire works with {wanted}",
            "install the icefire the competition was last served with, or a newer one",
        )


def the_log(arena: Arena) -> Iterator[Finding]:
    """Find lines of the log that do not follow from the one before."""
    with arena.database.reading() as session:
        problems = log.verify(session)
    for problem in problems:
        yield Finding("error", f"the log was tampered with: {problem}", "compare with the last bundle that was made")


def the_clock(arena: Arena) -> Iterator[Finding]:
    """Find a clock that was set back."""
    with arena.database.reading() as session:
        last = session.scalars(select(EventRow).order_by(EventRow.number.desc()).limit(1)).first()
    if last is not None and last.at > arena.now() + SLACK:
        yield Finding(
            "error",
            f"the last line of the log is from {last.at.isoformat()}, and the clock says {arena.now().isoformat()}",
            "set the server's clock: every deadline hangs on it",
        )


def vault(arena: Arena) -> Iterator[Finding]:
    """Find a vault that other accounts of the machine can read."""
    for path, allowed in ((arena.store.vault, 0o700), (arena.store.vault / signing.KEY, 0o600)):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & ~allowed:
            name = path.relative_to(arena.folder)
            yield Finding("error", f"{name} is open to others (mode {mode:o})", FIXABLE, partial(path.chmod, allowed))


def disk(arena: Arena) -> Iterator[Finding]:
    """Find a disk without room for what teams will hand in."""
    free = shutil.disk_usage(arena.folder).free
    if free < LITTLE:
        level = "error" if free < TOO_LITTLE else "warning"
        yield Finding(level, f"only {free >> 20:,} MB are free on the disk of the competition", "make room")  # type: ignore[arg-type]
