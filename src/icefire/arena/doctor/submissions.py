"""Checks of the files handed in: complete, none too many, and unchanged since their receipts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from sqlalchemy import select

from icefire.arena.contest.arena import Arena
from icefire.arena.doctor.finding import FIXABLE, Finding
from icefire.arena.storage.store import Shelf, fingerprint
from icefire.arena.storage.tables import GuessRow, ReleaseRow
from icefire.contests.common.game import ANSWERS

BACKUP = "bring it back from the last bundle or backup"
SETTLED = 3600.0
"""Seconds after which a file without a row is no submission on its way."""


def _wanted(arena: Arena) -> dict[Shelf, tuple[str, ...]]:
    """The files of each shelf."""
    return {
        "handed": tuple(arena.game.handed_in),
        "release": tuple(arena.game.handed_out),
        "truth": tuple(arena.game.judge_files),
        "guess": (ANSWERS,),
    }


def _hashes(arena: Arena) -> tuple[dict[str, str], dict[str, str]]:
    """The hash on the receipt of each release that still has its files, and of each guess."""
    with arena.database.reading() as session:
        kept = select(ReleaseRow.id, ReleaseRow.sha256).where(ReleaseRow.removed.is_(None))
        releases = {one.id: one.sha256 for one in session.execute(kept)}
        guesses = {one.id: one.sha256 for one in session.execute(select(GuessRow.id, GuessRow.sha256))}
    return releases, guesses


def missing(arena: Arena) -> Iterator[Finding]:
    """Find submissions whose files are missing."""
    releases, guesses = _hashes(arena)
    for shelf, names in _wanted(arena).items():
        for one in guesses if shelf == "guess" else releases:
            for name in names:
                if not arena.store.has(shelf, one, name):
                    yield Finding("error", f"{shelf}/{one}/{name} is missing", BACKUP)


def changed(arena: Arena) -> Iterator[Finding]:
    """Find files that differ from their receipts."""
    releases, guesses = _hashes(arena)
    wanted = _wanted(arena)
    shelves: tuple[tuple[Shelf, dict[str, str]], ...] = (("handed", releases), ("guess", guesses))
    for shelf, hashes in shelves:
        for one, sha256 in hashes.items():
            if all(arena.store.has(shelf, one, name) for name in wanted[shelf]):
                digest = fingerprint({name: arena.store.get(shelf, one, name) for name in _stored(arena, shelf, one)})
                if digest != sha256:
                    yield Finding("error", f"{shelf}/{one} is not what the receipt says", BACKUP)


def _stored(arena: Arena, shelf: Shelf, one: str) -> list[str]:
    """The files of a submission: those it must have, and those it has of the others."""
    optional = arena.game.optional if shelf == "handed" else ()
    return [*_wanted(arena)[shelf], *(name for name in optional if arena.store.has(shelf, one, name))]


def orphans(arena: Arena) -> Iterator[Finding]:
    """Find files that belong to no submission; those of one being handed in are left alone."""
    releases, guesses = _hashes(arena)
    for shelf in _wanted(arena):
        known = guesses if shelf == "guess" else releases
        for one in arena.store.names(shelf):
            folder = arena.store.path(shelf, one, "x.csv").parent
            if one not in known and folder.stat().st_mtime < time.time() - SETTLED:
                text = f"{shelf}/{one} belongs to no submission"
                yield Finding("warning", text, FIXABLE, partial(arena.store.remove, shelf, one))
