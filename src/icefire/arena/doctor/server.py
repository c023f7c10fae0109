"""Checks of the server: tables, log, clock, vault, disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta

from alembic.script import ScriptDirectory
from sqlalchemy import select

from icefire.arena import verify
from icefire.arena.contest.arena import Arena
from icefire.arena.doctor.finding import FIXABLE, Finding
from icefire.arena.storage import database, private_files
from icefire.arena.storage.tables import EventRow

LITTLE, TOO_LITTLE = 2 << 30, 200 << 20
SLACK = timedelta(minutes=1)


def tables(arena: Arena) -> Iterator[Finding]:
    """Find tables of another version."""
    wanted = ScriptDirectory(str(database.MIGRATIONS)).get_current_head()
    version = arena.database.version()
    if version != wanted:
        yield Finding(
            "error",
            f"the tables have version {version}; this icefire works with {wanted}",
            "install the icefire the competition was last served with, or a newer one",
        )


def the_log(arena: Arena) -> Iterator[Finding]:
    """Find lines of the log that do not follow from the one before, and facts that differ from the log."""
    with arena.database.reading() as session:
        problems = verify.problems(arena, session)
    for problem in problems:
        cure = "compare with receipts and bundles: icefire arena audit verify --against FILE"
        yield Finding("error", f"the log was tampered with: {problem}", cure)


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


def open_files(arena: Arena) -> Iterator[Finding]:
    """Find files and folders that other accounts of the machine can open: the database, the store, the vault."""
    for one in private_files.open_places(arena.folder, everything=True):
        text = f"{one.name} is open to others (mode {one.mode:o})"
        yield Finding("error", text, FIXABLE, one.close)


def disk(arena: Arena) -> Iterator[Finding]:
    """Find a disk without room for what teams will hand in."""
    free = shutil.disk_usage(arena.folder).free
    if free < LITTLE:
        level = "error" if free < TOO_LITTLE else "warning"
        yield Finding(level, f"only {free >> 20:,} MB are free on the disk of the competition", "make room")  # type: ignore[arg-type]
