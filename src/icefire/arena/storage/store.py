"""The files of a contest: releases to hand out and, apart from them, the judge's vault.

A file lies in a folder named by our own id, under a name that the game knows, never one that somebody sent. The vault
is another folder, readable by the server's account alone, and no route leads there.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from icefire.arena.storage import private_files
from icefire.core.errors import InputError
from icefire.io.writing import whole_file

Shelf = Literal["release", "handed", "truth", "guess"]
SECRET: frozenset[Shelf] = frozenset({"handed", "truth", "guess"})
"""All but what attackers may download: a submission as it came, the truth of the shuffled release, and guesses."""
_ID = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[a-z0-9_]{1,40}\.csv")
_HANDED_NAME = re.compile(rf"{_NAME.pattern}|recipe\.toml")
"""Of a submission as it came, which nobody can download."""


class Store:
    """Where the files of a competition lie."""

    def __init__(self, folder: Path) -> None:
        self._public, self._vault = folder / "store", folder / "vault"
        for place in (self._public, self._vault):
            private_files.make_folder(place)

    @property
    def vault(self) -> Path:
        """The judge's folder."""
        return self._vault

    def put(self, shelf: Shelf, name: str, content: Mapping[str, bytes]) -> None:
        """Store files whole, to the disk itself."""
        for file, data in content.items():
            path = self.path(shelf, name, file)
            private_files.make_folder(path.parent)
            with whole_file(path, force=True, secret=True) as draft, draft.open("wb") as opened:
                opened.write(data)
                opened.flush()
                os.fsync(opened.fileno())

    def get(self, shelf: Shelf, name: str, file: str) -> bytes:
        """Return a stored file."""
        return self.path(shelf, name, file).read_bytes()

    def has(self, shelf: Shelf, name: str, file: str) -> bool:
        """Tell whether a file is there."""
        return self.path(shelf, name, file).is_file()

    def remove(self, shelf: Shelf, name: str) -> None:
        """Take away what was stored for a submission that was refused after all."""
        shutil.rmtree(self.path(shelf, name, "x.csv").parent, ignore_errors=True)

    def names(self, shelf: Shelf) -> list[str]:
        """Return the ids that have something on a shelf."""
        folder = self._folder(shelf)
        return sorted(path.name for path in folder.iterdir() if _ID.fullmatch(path.name)) if folder.is_dir() else []

    def path(self, shelf: Shelf, name: str, file: str) -> Path:
        """Return where a file lies; the name must be one of our ids, and the file one the game knows."""
        if not _ID.fullmatch(name) or not (_HANDED_NAME if shelf == "handed" else _NAME).fullmatch(file):
            raise InputError("no such file")
        return self._folder(shelf) / name / file

    def _folder(self, shelf: Shelf) -> Path:
        return (self._vault if shelf in SECRET else self._public) / shelf


def fingerprint(content: Mapping[str, bytes]) -> str:
    """Return one SHA-256 over files by name; that of a single file is the file's own."""
    if len(content) == 1:
        return hashlib.sha256(next(iter(content.values()))).hexdigest()
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(content.items()))
    return hashlib.sha256(lines.encode()).hexdigest()
