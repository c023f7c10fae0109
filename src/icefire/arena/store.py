"""Files that were handed in: releases and guesses to hand out or score, and, apart from them, the judge's vault.

A file is stored under our own id, never under a name somebody sent. The vault is another folder, readable by the
server's account alone, and no route leads there.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Literal

from icefire import files
from icefire.errors import InputError

Shelf = Literal["release", "customers", "guess", "truth"]
SECRET: frozenset[Shelf] = frozenset({"truth", "guess"})
_ID = re.compile(r"[0-9a-f]{32}")


class Store:
    """Where the files of a competition lie."""

    def __init__(self, folder: Path) -> None:
        self._public, self._vault = folder / "store", folder / "vault"
        self._public.mkdir(exist_ok=True)
        self._vault.mkdir(mode=0o700, exist_ok=True)
        self._vault.chmod(0o700)

    def put(self, shelf: Shelf, name: str, content: bytes) -> str:
        """Store a file whole, to the disk itself, and return its SHA-256."""
        with files.whole_file(self.path(shelf, name)) as draft, draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if shelf in SECRET:
            self.path(shelf, name).chmod(0o600)
        return hashlib.sha256(content).hexdigest()

    def get(self, shelf: Shelf, name: str) -> bytes:
        """Return a stored file."""
        return self.path(shelf, name).read_bytes()

    def has(self, shelf: Shelf, name: str) -> bool:
        """Tell whether a file is there."""
        return self.path(shelf, name).is_file()

    def path(self, shelf: Shelf, name: str) -> Path:
        """Return where a file lies; the name must be one of our ids."""
        if not _ID.fullmatch(name):
            raise InputError("no such file")
        folder = (self._vault if shelf in SECRET else self._public) / shelf
        folder.mkdir(exist_ok=True)
        return folder / f"{name}.csv"
