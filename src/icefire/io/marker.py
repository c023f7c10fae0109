"""The marker of a folder that icefire wrote: what kind of folder it is, and each file by name and hash.

Only files that the marker lists and that have not changed since are ever replaced.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from icefire._version import __version__

MARKER = ".icefire.json"


class Marker(msgspec.Struct, frozen=True):
    """What a folder holds: its kind (release, sample, …) and the SHA-256 of each file by its relative path."""

    written_by: str
    kind: str
    files: dict[str, str]


def read_marker(folder: Path) -> Marker | None:
    """Return the marker of a folder; None if it has none that can be read."""
    try:
        return msgspec.json.decode((folder / MARKER).read_bytes(), type=Marker)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def mark(folder: Path, kind: str) -> None:
    """Write the marker of a folder that was just filled."""
    written = {name: _digest(folder / name) for name in _walk(folder) if name != MARKER and not name.endswith("/")}
    _write(folder, Marker(f"icefire {__version__}", kind, written))


def add_to_marker(file: Path) -> None:
    """List a file that was just written in the marker of its folder, if the folder has one."""
    marker = read_marker(file.parent)
    if marker is not None and file.name != MARKER:
        _write(file.parent, msgspec.structs.replace(marker, files={**marker.files, file.name: _digest(file)}))


def foreign_files(folder: Path) -> list[str]:
    """Name what icefire did not write or what has changed since: the whole content of a folder without marker."""
    marker = read_marker(folder)
    content = list(_walk(folder))
    if marker is None:
        return content
    return [name for name in content if name != MARKER and not _is_listed(folder, name, marker.files)]


def remove_listed(folder: Path) -> None:
    """Remove what the marker of a folder lists, and the folder if nothing else is in it."""
    marker = read_marker(folder)
    content = list(_walk(folder))
    for name in content:
        if name == MARKER or (marker is not None and name in marker.files):
            (folder / name).unlink(missing_ok=True)
    for path in [*sorted((folder / name for name in content if name.endswith("/")), reverse=True), folder]:
        if not any(path.iterdir()):
            path.rmdir()


def _is_listed(folder: Path, name: str, files: dict[str, str]) -> bool:
    if name.endswith("/"):
        return any(listed.startswith(name) for listed in files)
    path = folder / name
    return name in files and not path.is_symlink() and _digest(path) == files[name]


def _walk(folder: Path) -> Iterator[str]:
    """Yield the relative paths of everything in a folder, those of folders with a / at the end; links stay links."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield f"{entry.name}/"
            yield from (f"{entry.name}/{name}" for name in _walk(Path(entry.path)))
        else:
            yield entry.name


def _digest(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(folder: Path, marker: Marker) -> None:
    handle, name = tempfile.mkstemp(prefix=MARKER, dir=folder)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(marker), indent=1) + b"\n")
        place = folder / MARKER
        draft.chmod(stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o666 & ~umask())
        os.replace(draft, place)
    finally:
        draft.unlink(missing_ok=True)


def umask() -> int:
    """Return the permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
