"""Skeletons of names in place of folded ones, so that accounts are found by them.

Where two old names look alike, the later one keeps a key of its own: it can still log in, and no third one is taken.
"""

import sqlalchemy as sa
from alembic import op

from icefire.arena import ids

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this version."""
    _rewrite(ids.name_key)


def downgrade() -> None:
    """Go back."""
    _rewrite(ids.folded_name)


def _rewrite(key_of) -> None:  # type: ignore[no-untyped-def]
    for name in ("account", "team"):
        table = sa.table(name, sa.column("id"), sa.column("name"), sa.column("name_key"), sa.column("created"))
        connection = op.get_bind()
        rows = connection.execute(sa.select(table.c.id, table.c.name).order_by(table.c.created, table.c.id)).all()
        taken: set[str] = set()
        keys = {}
        for row in rows:
            key = key_of(row.name)
            keys[row.id] = key if key and key not in taken else f"{key}\n{row.id}"
            taken.add(keys[row.id])
        for one in keys:  # out of the way first, for the keys must differ at every moment
            connection.execute(table.update().where(table.c.id == one).values(name_key=f"\n{one}"))
        for one, key in keys.items():
            connection.execute(table.update().where(table.c.id == one).values(name_key=key))
