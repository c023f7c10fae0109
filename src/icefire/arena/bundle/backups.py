"""Backups of a running contest: the judge's bundle with the open sessions, under a name made of the time.

The rows are of one instant; the files of a submission are written before its rows and never changed, so that both fit
together whatever is handed in meanwhile. A backup is read again and checked before it gets its name.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from icefire.arena.bundle import packing, unpacking
from icefire.arena.contest.arena import Arena
from icefire.arena.storage import log
from icefire.core.errors import OutputError
from icefire.io.writing import whole_file

_NAME = re.compile(r"icefire-\d{8}T\d{6}Z\.zip")


def backup(arena: Arena, folder: Path, keep: int | None = None) -> Path:
    """Write a backup to a folder and return its path; with `keep`, only so many of the newest backups stay there."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{str(folder)!r} is a file; name a folder for backups")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    now = arena.now()
    with arena.database.transaction() as session:
        log.write(session, now, packing.OPERATOR, "export", backup=True)
    target = folder / _name(now)
    with whole_file(target, secret=True) as draft:
        packing.write_everything(draft, arena, now)
        with unpacking.opened(draft) as pack:
            pack.check_all()
    if keep is not None:
        _remove_older(folder, keep)
    return target


def _name(now: datetime) -> str:
    return f"icefire-{now:%Y%m%dT%H%M%S}Z.zip"


def _remove_older(folder: Path, keep: int) -> None:
    """Take away the oldest backups; files with other names are not ours."""
    ours = sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file())
    for path in ours[: max(0, len(ours) - keep)]:
        path.unlink()
