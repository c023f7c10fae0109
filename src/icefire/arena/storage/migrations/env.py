"""The environment of Alembic: it migrates the database of the engine it was given."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from sqlalchemy import text

from icefire.arena.storage.tables import Base, Instant


def written_plainly(kind: str, item: Any, _: Any) -> str | Literal[False]:
    """A migration names the database's own types: it must not change when our classes do."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(item, Instant) else False


def migrate() -> None:
    """Run the migrations in one transaction."""
    engine = context.config.attributes["engine"]
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":  # of two servers that start at once, one brings the tables up
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('migrations'))"))
        context.configure(
            connection=connection, target_metadata=Base.metadata, render_as_batch=True, render_item=written_plainly
        )
        with context.begin_transaction():
            context.run_migrations()


migrate()
