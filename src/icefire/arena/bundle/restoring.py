"""Restoring a contest, or a record of one, from a bundle: into an empty folder, whole or not at all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from icefire.arena.bundle import rows, sources, unpacking
from icefire.arena.bundle.manifest import Manifest
from icefire.arena.bundle.unpacking import Pack
from icefire.arena.clock import Clock
from icefire.arena.contest import definition as definitions
from icefire.arena.contest import signing
from icefire.arena.contest.definition import Definition
from icefire.arena.storage import database as databases
from icefire.arena.storage import log
from icefire.arena.storage.database import Database
from icefire.arena.storage.store import Store
from icefire.core.errors import InputError, OutputError
from icefire.io.writing import whole_folder

OPERATOR = "operator"
CHUNK = 1000
PLAIN_LOG = "0001"
"""Version of the tables whose log had plain hashes."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was made, and what is wrong with it though it could be made."""

    folder: Path
    manifest: Manifest
    problems: tuple[str, ...]
    """Of the log: lines that were changed or are missing."""


def restore(bundle: Path, folder: Path, url: str | None = None, clock: Clock | None = None) -> Restored:
    """Make the competition in a bundle anew in an empty folder and, where an address is given, an empty database."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{str(folder)!r} holds something already; name a new or an empty folder")
    with unpacking.opened(bundle) as pack:
        if definitions.FILE not in pack.manifest.files:
            raise InputError(f"{str(bundle)!r} was made before anything was revealed; it can be read, not restored")
        unpacking.check_room(pack, folder)
        with ExitStack() as undo:
            with whole_folder(folder, None, secret=True) as draft:
                _unpack(pack, draft)
                _check_data(pack, definitions.load(draft))
                key = signing.signer(Store(draft).vault).log_key
                problems = _fill_database(pack, databases.at(draft, url, key), clock or Clock())
                if url is not None:
                    undo.callback(_clear, url)
            undo.pop_all()  # the folder is in its place
    return Restored(folder, pack.manifest, tuple(problems))


def _unpack(pack: Pack, draft: Path) -> None:
    """Write the files; what is secret is for the server's account alone from the beginning."""
    for name in pack.manifest.files:
        place = unpacking.place_of(name)
        if place is None:
            continue
        secret = place.parts[0] == "vault"
        if secret:
            (draft / "vault").mkdir(mode=0o700, exist_ok=True)
        pack.unpack(name, draft / place)
        if secret:
            (draft / place).chmod(0o600)


def _check_data(pack: Pack, definition: Definition) -> None:
    """Refuse a definition that uses other files as its data than the bundle has as data."""
    named = {sources.packed_name(name) for name in sources.named_by(definition.rounds)}
    there = {name for name in pack.manifest.files if name.startswith(unpacking.DATA)}
    if named != there:
        odd = min(named.symmetric_difference(there))
        raise InputError(f"the bundle's definition and its data files differ about {odd!r}; nothing was written")


def _fill_database(pack: Pack, database: Database, clock: Clock) -> list[str]:
    """Write all rows in one transaction; returns what is wrong with the log."""
    try:
        _check_empty(database)
        database.upgrade()
        with _told(), database.transaction() as session:
            _fill(session, pack)
            if pack.manifest.tables == PLAIN_LOG and log.newest(session) is not None:
                log.close_plain_lines(session, clock.now())
            problems = log.verify(session)
            log.write(session, clock.now(), OPERATOR, "restored", made=pack.manifest.made.isoformat())
            return problems
    finally:
        database.close()


def _check_empty(database: Database) -> None:
    """Refuse a database in which another competition lives."""
    there = set(inspect(database.engine).get_table_names())
    with database.reading() as session:
        for name, table in rows.TABLES.items():
            if name in there and session.execute(select(table).limit(1)).first() is not None:
                raise InputError(f"the database holds a competition already (table {name!r}); give an empty one")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", error)).strip().splitlines()[0]
        raise InputError(f"the bundle's rows do not fit together: {said}; nothing was written") from None


def _fill(session: Session, pack: Pack) -> None:
    known = {rows.name_of(name): name for name in rows.TABLES}
    packed = {name for name in pack.manifest.files if name.startswith("tables/")}
    if packed - set(known):
        raise InputError(
            f"the bundle has {min(packed - set(known))!r}, which this icefire does not know; use a newer one"
        )
    for file, table in known.items():  # in the order in which rows refer to one another
        if file in packed:
            unpacked = rows.unpacked(table, pack.read(file))
            while chunk := list(itertools.islice(unpacked, CHUNK)):
                session.execute(insert(rows.TABLES[table]), chunk)


def _clear(url: str) -> None:
    """Take back what was written to a database outside the folder."""
    database = Database(url)
    with database.transaction() as session:
        for table in reversed(rows.TABLES.values()):
            session.execute(table.delete())
    database.close()
