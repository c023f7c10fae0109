"""Threats 1 and 17: other accounts of the machine, and a judge with the powers of root."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from icefire.arena.storage import private_files, store
from icefire.arena.submit import ice
from threats.story import ROUND
from threats.world import World


def neighbours_can_open_nothing(world: World) -> None:
    """Look from another account: the database, the store, the vault and the key are the server's alone."""
    before = os.umask(0o022)
    try:
        arena = world.fresh()
        ice.submit(arena, world.add("first", "Ice"), ROUND, world.files())
    finally:
        os.umask(before)
    ours = [arena.folder / name for name in ("arena.db", "store", "vault")]
    inside = [one for place in ours if place.is_dir() for one in place.rglob("*")]
    assert len(inside) > 5, "nothing was stored"
    journals = [one for one in arena.folder.iterdir() if one.name.startswith("arena.db-")]
    for path in (*ours, *inside, *journals):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert not mode & 0o077, f"{path.relative_to(arena.folder)} is open to others: {mode:o}"


def make_folders_for_everybody(world: World) -> None:
    world.patch.setattr(private_files, "make_folder", lambda path: path.mkdir(parents=True, exist_ok=True))


def let_sqlite_make_its_file(world: World) -> None:
    world.patch.setattr(private_files, "make_file", lambda _: None)


def write_files_for_everybody(world: World) -> None:
    real = store.whole_file

    def plain(path: Path, **more: Any) -> Any:
        return real(path, **{**more, "secret": False})

    world.patch.setattr(store, "whole_file", plain)
