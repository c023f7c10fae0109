"""The files of a contest, by the names they have in a bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from icefire.arena.bundle import unpacking
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.definition import Round
from icefire.arena.storage.store import Shelf
from icefire.core.errors import InputError

File = tuple[str, bytes]


def named_by(rounds: Iterable[Round]) -> set[str]:
    """Return the names of the data files of some rounds."""
    return {name for one in rounds for name in (one.data, one.customers) if name is not None}


def packed_name(name: str) -> str:
    """Return what a data file is called in a bundle."""
    packed = f"{unpacking.DATA}{Path(name).as_posix()}"
    if not unpacking.is_data_name(packed):
        raise InputError(f"the data file {name!r} has a name that no bundle takes; give it a plain one")
    return packed


def data_files(arena: Arena, rounds: Iterable[Round]) -> Iterator[File]:
    """Give the data files of some rounds."""
    for name in sorted(named_by(rounds)):
        yield packed_name(name), (arena.folder / name).read_bytes()


def stored_files(arena: Arena, shelf: Shelf, name: str) -> Iterator[File]:
    """Give the files of one submission on one shelf."""
    folder = arena.store.path(shelf, name, "x.csv").parent
    for path in sorted(path for path in folder.glob("*") if path.suffix in (".csv", ".toml")):
        yield path.relative_to(arena.folder).as_posix(), path.read_bytes()
