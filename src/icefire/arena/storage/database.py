"""The same tables on SQLite and PostgreSQL.

On SQLite every transaction begins with BEGIN IMMEDIATE: a reader that later wants to write would otherwise meet
"database is locked" instead of waiting its turn.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from sqlalchemy import Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.orm import Session, sessionmaker

from icefire.arena.storage import private_files
from icefire.arena.storage.tables import Base
from icefire.core.errors import InputError

FILE = "arena.db"
MIGRATIONS = Path(__file__).parent / "migrations"
WAIT_SECONDS = 30
CONNECT_SECONDS = 10
LOG_KEY = "log_key"
"""Under this name every session knows the key of the log."""
FAILURES = "failures"
"""Under this name every session knows how many failures the contest allows, where it says so."""
POOL = 40
"""Connections kept open: as many as a server has threads for pages."""
REST_SECONDS = 3
"""After so long a connection to a database server is tried before it is used again; a page that needs it would fail."""
USED = "used"


class Database:
    """Where the facts are kept."""

    def __init__(
        self, url: str, log_key: bytes | None = None, failures: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        """Connect to the database; without the key of its log nothing can be written to the log."""
        self.url = url
        self.log_key = log_key
        self.engine = _engine(url)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False, info={LOG_KEY: log_key, FAILURES: failures})

    @property
    def is_sqlite(self) -> bool:
        """Tell the one that is a file."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Give a session whose changes are stored together, or not at all."""
        with self._sessions() as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give a session that sees one state of the database and changes nothing; what was read stays readable."""
        with self._sessions() as session:
            if self.is_sqlite:
                session.connection(execution_options={"read_only": True})
            else:
                session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            yield session

    def upgrade(self) -> None:
        """Bring the tables to the newest version; those of a newer icefire, or of another program, are refused."""
        from alembic import command
        from alembic.script import ScriptDirectory

        script = ScriptDirectory(str(MIGRATIONS))
        known, version = {one.revision for one in script.walk_revisions()}, self.version()
        if version is not None and version not in known:
            raise InputError(
                f"the database has tables of version {version!r}; this icefire knows them up to "
                f"{script.get_current_head()!r}: install a newer icefire, or name another database"
            )
        if version is None and self._is_taken():
            raise InputError("the database holds tables of another program; name an empty one with --database")
        command.upgrade(_alembic(self), "head")

    def _is_taken(self) -> bool:
        """Tell whether tables with our names are there that none of our versions made."""
        return bool(set(inspect(self.engine).get_table_names()) & set(Base.metadata.tables))

    def version(self) -> str | None:
        """Return the version of the tables."""
        from alembic.runtime.migration import MigrationContext

        with self.engine.connect() as connection:
            revision: str | None = MigrationContext.configure(connection).get_current_revision()
            return revision

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()


def at(
    folder: Path,
    url: str | None = None,
    log_key: bytes | None = None,
    failures: Mapping[str, int] = MappingProxyType({}),
) -> Database:
    """Return the database of a competition: the one named, or the file in its folder."""
    return Database(url or f"sqlite:///{folder / FILE}", log_key, failures)


def _engine(url: str) -> Engine:
    """Connect; what is stored is never part of an error's words, which end up in the server's log."""
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    if url.startswith("postgresql+psycopg://"):
        return _postgresql(url)
    if not url.startswith("sqlite:///"):
        raise InputError(f"database is {shown(url)!r}; it takes postgresql://… or sqlite:///FILE")
    if (file := url.removeprefix("sqlite:///")) not in ("", ":memory:") and Path(file).parent.is_dir():
        private_files.make_file(Path(file))  # its journals get the same permissions
    waiting = {"timeout": WAIT_SECONDS, "check_same_thread": False}
    engine = create_engine(url, hide_parameters=True, connect_args=waiting, pool_size=POOL, max_overflow=POOL)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _postgresql(url: str) -> Engine:
    try:
        address = make_url(url)
        waiting = {} if "connect_timeout" in address.query else {"connect_timeout": CONNECT_SECONDS}
        pool = {"pool_size": POOL // 2, "max_overflow": POOL // 2, "pool_timeout": WAIT_SECONDS}
        engine = create_engine(address, hide_parameters=True, connect_args=waiting, **pool)
    except (ArgumentError, ValueError):
        raise InputError(
            f"database is {shown(url)!r}, which is no address; it takes postgresql://NAME:PASSWORD@HOST:PORT/DATABASE, "
            "with characters such as @ and / in the password written as %40 and %2F"
        ) from None
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", _check_rested)
    return engine


def _note_use(_: Any, record: Any) -> None:
    record.info[USED] = time.monotonic()


def _check_rested(connection: Any, record: Any, _: Any) -> None:
    """Ask a connection that has rested for a while whether the server is still there; if not, another one is made."""
    if time.monotonic() - record.info.get(USED, -math.inf) < REST_SECONDS:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        connection.rollback()
    except Exception as error:
        raise DisconnectionError from error


def shown(url: str) -> str:
    """Return an address as it may be printed: nothing that could be part of a password is in it."""
    scheme, between, rest = url.partition("://")
    if not between:
        return "…"
    before, at, after = rest.rpartition("@")
    name = before.partition(":")[0]
    place = after.partition("?")[0]
    return f"{scheme}://{name}:…@{place}" if at and ":" in before else f"{scheme}://{before}{at}{place}"


def without_password(text: str, url: str | None) -> str:
    """Return a message without whatever of a database's address is, or could be, its password."""
    rest = (url or "").partition("://")[2]
    before, _, after = rest.rpartition("@")
    query = re.findall(r"[?&]password=([^&]*)", after)
    secrets = [
        part for one in (before.partition(":")[2], *query) for part in (one, unquote(one), *re.split("[@:/]", one))
    ]
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "…")
    return text


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy begins, not the driver
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        f"busy_timeout = {WAIT_SECONDS}000",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Any) -> None:
    read_only = connection.get_execution_options().get("read_only", False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def _alembic(database: Database) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["engine"] = database.engine
    config.attributes["log_key"] = database.log_key
    return config


def lock(session: Session, name: str) -> None:
    """Let one transaction at a time through here until it ends; on SQLite they are one at a time anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": name})
