"""Writing a bundle. The judge's bundle holds every secret of the contest and is written at the server's terminal."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire._version import __version__
from icefire.arena.admin import permissions
from icefire.arena.auth.actor import Actor
from icefire.arena.boards import freezing
from icefire.arena.bundle import manifest, rows, sources
from icefire.arena.bundle import public as publishing
from icefire.arena.contest import definition as definitions
from icefire.arena.contest import log_head, signing
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Refused
from icefire.arena.storage import log
from icefire.arena.storage.store import Shelf
from icefire.arena.storage.tables import EventRow, GuessRow, ReleaseRow
from icefire.io.writing import whole_file

OPERATOR = "operator"
"""In the log, whoever has the server's terminal."""
LEFT_OUT = ("session", "attempt")
"""Tables that mean nothing on another server."""
TIGHT = 20
"""What shrinks more than this is packed as it is, so that no bundle of ours looks like a bomb."""
SHELVES: dict[type[ReleaseRow | GuessRow], tuple[Shelf, ...]] = {
    ReleaseRow: ("release", "handed", "truth"),
    GuessRow: ("guess",),
}


def export(arena: Arena, actor: Actor | None, target: Path, *, public: bool, force: bool = False) -> Path:
    """Write a bundle to a file; an actor of None is the operator at the server's own terminal.

    Organisers get the public bundle, which holds nothing a visitor may not see. The judge's, with every
    correspondence, guess, password hash and the key, is for nobody who comes through the web.
    """
    if actor is not None:
        permissions.check(actor)
        if not public:
            raise Refused("the judge's bundle holds every secret; make it on the server: icefire arena export")
    freezing.keep_up(arena)
    now = arena.now()
    by = OPERATOR if actor is None else actor.account_id or ""
    with arena.database.transaction() as session:
        log.write(session, now, by, "export", public=public)
    with whole_file(target, force, secret=not public) as draft, arena.database.reading() as session:
        _write(draft, _about(session, arena, now, public), _contents(session, arena, now, public))
    return target


def write_everything(draft: Path, arena: Arena, now: datetime) -> None:
    """Write a bundle of all files and rows, open sessions included: for the same competition on the same address."""
    with arena.database.reading() as session:
        _write(draft, _about(session, arena, now, is_public=False), _everything(session, arena, ()))


def _about(session: Session, arena: Arena, now: datetime, is_public: bool) -> manifest.Manifest:
    last = session.scalars(select(EventRow).order_by(EventRow.number.desc()).limit(1)).one()
    return manifest.Manifest(
        public=is_public,
        title=arena.definition.title,
        made=now,
        software=__version__,
        tables=arena.database.version(),
        key=arena.signer.public_key,
        log_lines=last.number,
        log_head=last.hash,
        head=log_head.signed_head(arena, last),
    )


def _contents(session: Session, arena: Arena, now: datetime, is_public: bool) -> Iterator[tuple[str, bytes]]:
    yield from publishing.contents(session, arena, now) if is_public else _everything(session, arena, LEFT_OUT)


def _everything(session: Session, arena: Arena, left_out: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Every file and row of a competition; a file that is missing here will be missing there."""
    yield definitions.FILE, (arena.folder / definitions.FILE).read_bytes()
    yield from sources.data_files(arena, arena.definition.rounds)
    for name, table in rows.TABLES.items():
        if name not in left_out:
            stored = session.execute(select(table).order_by(*table.primary_key)).mappings()
            yield rows.name_of(name), rows.packed(dict(one) for one in stored)
    for kind, shelves in SHELVES.items():
        for one in session.scalars(select(kind.id).order_by(kind.id)):
            for shelf in shelves:
                yield from sources.stored_files(arena, shelf, one)
    yield f"vault/{signing.KEY}", (arena.store.vault / signing.KEY).read_bytes()


def _write(draft: Path, about: manifest.Manifest, contents: Iterator[tuple[str, bytes]]) -> None:
    listed: dict[str, manifest.Packed] = {}
    with zipfile.ZipFile(draft, "w") as archive:
        for name, data in contents:
            listed[name] = manifest.packed(data)
            _add(archive, name, data)
        whole = msgspec.structs.replace(about, files=listed)
        _add(archive, manifest.FILE, msgspec.json.format(msgspec.json.encode(whole)))


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name)  # with the same date always: the same competition gives the same bytes
    entry.external_attr = 0o600 << 16
    tight = len(data) > TIGHT * len(zlib.compress(data, 1))
    archive.writestr(entry, data, zipfile.ZIP_STORED if tight else zipfile.ZIP_DEFLATED)
