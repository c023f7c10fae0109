"""How Alembic reaches the database: through the engine it was handed."""

from __future__ import annotations

from alembic import context

from icefire.arena.tables import Base


def run() -> None:
    """Run the migrations in one transaction."""
    engine = context.config.attributes["engine"]
    with engine.begin() as connection:
        context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
        with context.begin_transaction():
            context.run_migrations()


run()
