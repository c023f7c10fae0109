"""Folders of the judge's tasks: in the vault, locked while they are used, so that those left behind are known.

Whoever kills the server with all its children leaves the folder of a task behind. It lies in the vault like the truth
it holds, never in a temporary folder of the system, and the next server, worker or doctor removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from icefire.arena.storage import private_files

FOLDER = private_files.TASKS
LOCK = ".lock"
OLD_PREFIX = "icefire-judge-"
"""Of the folders that older versions made in the system's temporary folder."""
YOUNG_SECONDS = 60.0
"""Within which a folder without a lock may be one that is just being made."""


@contextlib.contextmanager
def task_folder(vault: Path | None) -> Iterator[Path]:
    """Give an empty folder for one task; without a vault, as for data that nobody handed in, a temporary one."""
    if vault is None:
        with tempfile.TemporaryDirectory(prefix="icefire-task-") as place:
            yield Path(place)
        return
    folder = vault.resolve() / FOLDER / secrets.token_hex(16)
    private_files.make_folder(folder)
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, private_files.FILE)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def left_behind(vault: Path) -> list[Path]:
    """Return the folders of tasks whose process has ended without removing them."""
    place = vault / FOLDER
    return sorted(one for one in place.iterdir() if not _in_use(one)) if place.is_dir() else []


def left_in_temporary_folders() -> list[Path]:
    """Return the folders that tasks of older versions have left in the system's temporary folder, if they are ours."""
    folders = []
    for one in Path(tempfile.gettempdir()).glob(f"{OLD_PREFIX}*"):
        with contextlib.suppress(OSError):
            about = one.lstat()
            if about.st_uid == os.geteuid() and about.st_mtime < time.time() - 60 * YOUNG_SECONDS:
                folders.append(one)
    return sorted(folders)


def _in_use(folder: Path) -> bool:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        with contextlib.suppress(OSError):
            return folder.stat().st_mtime > time.time() - YOUNG_SECONDS
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def remove(folder: Path) -> None:
    """Remove what a task has left behind."""
    shutil.rmtree(folder, ignore_errors=True)


def remove_left_behind(vault: Path) -> None:
    """Remove what tasks have left in the vault."""
    for folder in left_behind(vault):
        remove(folder)
