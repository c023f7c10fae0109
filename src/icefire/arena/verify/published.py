"""A competition compared with what somebody has kept of it: a receipt, a head of the log, or a bundle."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.bundle import rows, unpacking
from icefire.arena.bundle.unpacking import Pack
from icefire.arena.contest import kept_head, signing
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import LogHead, Receipt
from icefire.arena.storage.tables import EventRow, GuessRow, ReleaseRow
from icefire.core.errors import InputError

MOST_BYTES = 1 << 20
"""Of a receipt or a head."""
RESULTS = {"measured": ("value",), "identified": ("hits", "targets", "rate")}
"""Tables of results, and the columns that nobody changes but the judge."""


def differences(arena: Arena, session: Session, path: Path) -> list[str]:
    """Return where the competition is not the one that a file tells of."""
    if zipfile.is_zipfile(path):
        with unpacking.opened(path) as pack:
            return [f"{path.name}: {one}" for one in _bundle(arena, session, pack)]
    return [f"{path.name}: {one}" for one in _statement(arena, session, _read(path))]


def differences_from_kept(arena: Arena, session: Session) -> list[str]:
    """Return where the log is not the one whose head the server has kept in the vault."""
    kept = kept_head.read(arena)
    if kept is None:
        return []
    return [f"vault/{kept_head.FILE}: {one}" for one in _line(session, kept.log_line, kept.log_hash)]


def _read(path: Path) -> Receipt | LogHead:
    try:
        data = path.read_bytes()[:MOST_BYTES]
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({error.strerror}); name a receipt, a head or a bundle"
        ) from None
    for decoder in (msgspec.json.Decoder(Receipt), msgspec.json.Decoder(LogHead)):
        try:
            return decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    raise InputError(f"{str(path)!r} is no receipt, no head of a log and no bundle; name one of these")


def _statement(arena: Arena, session: Session, kept: Receipt | LogHead) -> Iterator[str]:
    if not signing.verify(kept, arena.signer.public_key):
        yield "it was not signed by this competition, or was changed since; it proves nothing"
        return
    if kept.log_line is not None and kept.log_hash is not None:
        yield from _line(session, kept.log_line, kept.log_hash)
    if isinstance(kept, Receipt):
        yield from _receipt(session, kept)


def _line(session: Session, number: int, wanted: str) -> Iterator[str]:
    line = session.get(EventRow, number)
    if line is None:
        last = session.scalar(select(EventRow.number).order_by(EventRow.number.desc()).limit(1)) or 0
        yield f"line {number} of the log is gone; the log has {last} lines"
    elif line.hash != wanted:
        yield f"line {number} of the log is another one than was published: the log up to it was written anew"


def _receipt(session: Session, receipt: Receipt) -> Iterator[str]:
    handed: ReleaseRow | GuessRow | None = session.get(ReleaseRow, receipt.id) or session.get(GuessRow, receipt.id)
    if handed is None:
        yield f"the {receipt.kind} {receipt.label} ({receipt.id}) is not in the database"
        return
    name = f"the {receipt.kind} {receipt.label}"
    if handed.received != datetime.fromisoformat(receipt.at):
        yield f"{name} arrived at {receipt.at}; the database says {handed.received.isoformat()}"
    if handed.sha256 != receipt.sha256:
        yield f"{name} is another file in the database: its SHA-256 differs"


def _bundle(arena: Arena, session: Session, pack: Pack) -> Iterator[str]:
    about = pack.manifest
    if about.key != arena.signer.public_key:
        yield "it was made by another competition, or the competition has another key now"
        return
    if about.head is not None and not signing.verify(about.head, about.key):
        yield "the head of the log in it was not signed by this competition"
        return
    yield from _line(session, about.log_lines, about.log_head)
    yield from _lines(session, pack)
    judged_since = _judged_since(session, about.log_lines)
    for table, columns in RESULTS.items():
        yield from _rows(session, pack, table, columns, judged_since)
    yield from _rows(session, pack, "release", ("received", "round", "label"), set())


def _lines(session: Session, pack: Pack) -> Iterator[str]:
    """Name the first line of a judge's bundle that differs."""
    for kept in _kept(pack, "event"):
        line = session.get(EventRow, kept["number"])
        if line is None or line.hash != kept["hash"]:
            change = "is gone" if line is None else "was changed"
            details = f"{kept['kind']} by {kept['actor']} at {kept['at'].isoformat()}"
            yield f"line {kept['number']} of the log {change}: {details}"
            return


def _judged_since(session: Session, number: int) -> set[str]:
    """Return the releases of which the judge has had something to say since; of a guess, the release it is about."""
    since = session.scalars(select(EventRow).where(EventRow.number > number, EventRow.kind.in_(("judged", "scored"))))
    of_guesses = {one.id: one.release_id for one in session.scalars(select(GuessRow))}
    return {one.body.get("release") or of_guesses.get(one.body.get("guess", ""), "") for one in since}


def _rows(session: Session, pack: Pack, table: str, columns: tuple[str, ...], changed_since: set[str]) -> Iterator[str]:
    known = rows.TABLES[table]
    keys = [column.name for column in known.primary_key]
    stored = {tuple(one[key] for key in keys): one for one in session.execute(select(known)).mappings()}
    for kept in _kept(pack, table):
        if kept.get("release_id") in changed_since:
            continue
        key = tuple(kept[name] for name in keys)
        now = stored.get(key)
        if now is None:
            yield f"{table} {' '.join(map(str, key))} is not in the database any more"
            continue
        for column in columns:
            if kept[column] != now[column]:
                details = f"{table} {' '.join(map(str, key))}: {column}"
                yield f"{details} is {_shown(now[column])} in the database and was {_shown(kept[column])}"


def _kept(pack: Pack, table: str) -> Iterator[dict[str, Any]]:
    name = rows.name_of(table)
    return rows.unpacked(table, pack.read(name)) if name in pack.manifest.files else iter(())


def _shown(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else json.dumps(value)
