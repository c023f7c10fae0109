"""Files and folders that only the server's account may open: folders 0700, files 0600."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER, FILE, OTHERS = 0o700, 0o600, 0o077
PRIVATE = ("arena.db", "arena.db-wal", "arena.db-shm", "store", "vault", "spool")
"""What only the server reads, beside the folder itself."""
TASKS = "tasks"
"""Folder of the vault in which the judge works: it is closed as a whole, and changes all the time."""


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """Something that other accounts of the machine can open."""

    path: Path
    name: str
    mode: int
    cure: str = "run: icefire arena doctor --fix"

    def close(self) -> None:
        """Let nobody else open it."""
        self.path.chmod(FOLDER if self.path.is_dir() else FILE)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner alone."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(mode=FOLDER, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file for the owner alone, if there is none."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, FILE))


def open_places(folder: Path, everything: bool = False) -> Iterator[OpenPlace]:
    """Find what others can open: the folder, database, store, vault and key; with `everything`, all inside them too."""
    yield from _if_open(folder, folder)
    for name in PRIVATE:
        path = folder / name
        if not path.exists():
            continue
        yield from _if_open(folder, path)
        inside = path.rglob("*") if everything and path.is_dir() else path.glob("key")
        for one in inside if path.is_dir() else ():
            if TASKS not in one.relative_to(path).parts[:-1]:
                yield from _if_open(folder, one)


def _if_open(folder: Path, path: Path) -> Iterator[OpenPlace]:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:  # a draft that was just moved to its place
        return
    if not stat.S_ISLNK(mode) and stat.S_IMODE(mode) & OTHERS:
        yield OpenPlace(path, str(path.relative_to(folder)) if path != folder else "the folder", stat.S_IMODE(mode))
