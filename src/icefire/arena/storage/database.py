"""The same tables on SQLite and PostgreSQL.

On SQLite every transaction begins with BEGIN IMMEDIATE: a reader that later wants to write would otherwise meet
"database is locked" instead of waiting its turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.orm import Session, sessionmaker

from icefire.core.errors import InputError

FILE = "arena.db"
WAIT_SECONDS = 30
POOL = 40
"""Connections kept open: as many as a server has threads for pages."""


class Database:
    """Where the facts are kept."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _engine(url)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)

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
        """Bring the tables to the newest version."""
        from alembic import command

        command.upgrade(_alembic(self), "head")

    def version(self) -> str | None:
        """Return the version of the tables."""
        from alembic.runtime.migration import MigrationContext

        with self.engine.connect() as connection:
            revision: str | None = MigrationContext.configure(connection).get_current_revision()
            return revision

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()


def at(folder: Path, url: str | None = None) -> Database:
    """Return the database of a competition: the one named, or the file in its folder."""
    return Database(url or f"sqlite:///{folder / FILE}")


def _engine(url: str) -> Engine:
    """Connect; what is stored is never part of an error's words, which end up in the server's log."""
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    if url.startswith("postgresql+psycopg://"):
        return create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_size=POOL // 2, max_overflow=POOL // 2)
    if not url.startswith("sqlite:///"):
        raise InputError(f"database is {url!r}; it takes postgresql://… or sqlite:///FILE")
    waiting = {"timeout": WAIT_SECONDS, "check_same_thread": False}
    engine = create_engine(url, hide_parameters=True, connect_args=waiting, pool_size=POOL, max_overflow=POOL)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


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
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["engine"] = database.engine
    return config


def lock(session: Session, name: str) -> None:
    """Let one transaction at a time through here until it ends; on SQLite they are one at a time anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": name})
