"""Refuse places that must not be written: those of the user's own files, of inputs, the current folder, home."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from icefire.core.errors import OutputError, listing
from icefire.io.marker import MARKER, foreign_files, read_marker
from icefire.io.own_files import is_own

NAMES_OF_FILES = (".csv", ".tsv", ".txt", ".xlsx", ".json", ".jsonl", ".html")
"""How no folder is called by those who mean a folder."""
RELEASE = "release"
"""Kind of a folder that is handed out."""
TRUTH = "truth.csv"
SEED = "seed.txt"
"""What keeps who is who in a release, beside it; nothing else ever replaces them."""
READ_FROM_FOLDERS = (".csv", ".gz", ".parquet", ".pq", ".arrow", ".ipc", ".feather", ".toml", ".json")
"""Endings of the files that are read where a folder is given as input."""


def check_file(path: str | Path, force: bool = False, inputs: Iterable[str | Path] = (), secret: bool = False) -> None:
    """Refuse, before any work is done, a place where a file could not or must not be written after it.

    Args:
        path: The file to write.
        force: Whether a file that exists may be replaced.
        inputs: Files and folders that are read; none of them is ever replaced.
        secret: Whether the file tells who is who; then it must not lie in a folder that is handed out.

    Raises:
        OutputError: If the place is refused.
    """
    target = Path(path)
    if target.is_dir():
        raise OutputError(f"{str(target)!r} is a folder; give the name of a file")
    _check_input(target, inputs)
    if target.exists() and not target.is_file():
        raise OutputError(f"{str(target)!r} is no regular file; give a new name, or - where standard output is allowed")
    if target.exists() and not force:
        raise OutputError(f"{str(target)!r} exists already; choose another name, or pass --force to replace it")
    if target.name == MARKER:
        raise OutputError(f"{str(target)!r} is the name of icefire's own marker; choose another name")
    if target.name in (TRUTH, SEED) and target.exists() and read_marker(target.resolve().parent) is not None:
        raise OutputError(f"{str(target)!r} keeps who is who in a release; choose another name")
    folder = target.parent
    if not folder.is_dir():
        raise OutputError(f"cannot write {str(target)!r} (no such folder); make the folder or choose another place")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"cannot write {str(target)!r} (permission denied); choose another place")
    if secret:
        check_secret(target, named=str(path))


def check_secret(place: Path, named: str) -> None:
    """Refuse a place for what tells who is who, if it lies in a folder that is handed out, however deep.

    Args:
        place: The file or folder to write.
        named: How the user called it.

    Raises:
        OutputError: If a folder above it is a release.
    """
    for folder in place.resolve().parents:
        marker = read_marker(folder)
        if marker is not None and marker.kind == RELEASE:
            raise OutputError(
                f"{named!r} tells who is who, but {folder.name!r} is to be handed out; choose another folder"
            )


def check_own(path: str | Path, draft: Path) -> None:
    """Refuse to replace a file that icefire did not write.

    Args:
        path: The file to replace, if it exists.
        draft: The new file.

    Raises:
        OutputError: If somebody else wrote it.
    """
    target = Path(path)
    if target.is_file() and not is_own(target.read_bytes(), draft.read_bytes()):
        raise OutputError(
            f"{str(target)!r} is no file that icefire wrote, so it is never replaced; choose another name, or remove it"
        )


def check_folder(path: str | Path, kind: str, force: bool = False, inputs: Iterable[str | Path] = ()) -> None:
    """Refuse a place where a folder could not or must not be written.

    Args:
        path: The folder to write.
        kind: What it will hold; a folder of another kind is never replaced.
        force: Whether a folder that icefire wrote may be replaced.
        inputs: Files and folders that are read; none of them is ever replaced.

    Raises:
        OutputError: If the place is refused.
    """
    target, named = Path(path).resolve(), str(path)
    _check_special(target, named)
    _check_input(target, inputs)
    if not target.exists():
        if target.suffix.lower() in NAMES_OF_FILES:
            raise OutputError(
                f"{named!r} is the name of a file, and a folder is written; give the name of a folder, such as "
                f"{str(Path(path).with_suffix(''))!r}"
            )
        return
    if not target.is_dir():
        raise OutputError(f"{named!r} is a file; give the name of a new folder")
    inside = next((str(one) for one in inputs if target in Path(one).resolve().parents), None)
    if inside is not None:
        raise OutputError(f"{named!r} holds {inside!r}, which is read; choose another folder for the output")
    foreign = foreign_files(target)
    if foreign:
        names = listing((name for name in foreign if not name.endswith("/")), most=5) or listing(foreign, most=5)
        raise OutputError(
            f"{named!r} holds files that icefire did not write, or that were changed since: {names}; nothing was "
            "replaced: choose a new folder, or move these files away"
        )
    marker = read_marker(target)
    if marker is None:
        return
    if marker.kind != kind:
        raise OutputError(f"{named!r} holds another kind of output ({marker.kind}); choose a new folder")
    if not force:
        raise OutputError(f"{named!r} exists already; choose a new folder, or pass --force to replace it")


def _check_special(target: Path, named: str) -> None:
    """Refuse the current folder and home, what lies above them, and the roots of disks."""
    for special, words in ((Path.cwd(), "the current folder"), (_home(), "your home folder")):
        if special is not None and target == special:
            raise OutputError(f"{named!r} is {words}; give the name of a new folder")
        if special is not None and target in special.parents:
            raise OutputError(f"{named!r} lies above {words}; give the name of a new folder")
    if target.is_dir() and os.path.ismount(target):
        raise OutputError(f"{named!r} is the root of a disk; give the name of a new folder")


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None


def _check_input(target: Path, inputs: Iterable[str | Path]) -> None:
    for one in inputs:
        if any(_is_same(target, path) for path in _read_files(Path(one))):
            raise OutputError(f"{str(target)!r} is read by this command and would be overwritten; choose another name")


def _read_files(given: Path) -> list[Path]:
    """Return the files and folders that an input stands for."""
    if not given.is_dir():
        return [given]
    return [given, *(path for path in given.iterdir() if path.suffix.lower() in READ_FROM_FOLDERS)]


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
