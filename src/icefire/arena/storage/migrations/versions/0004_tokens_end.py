"""Tokens that end, with the role their account had when they were made."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this version; a token made before lives for 90 more days, with today's role."""
    op.add_column("token", sa.Column("expires", sa.DateTime(timezone=True), nullable=True))
    op.add_column("token", sa.Column("role", sa.String(length=16), nullable=False, server_default="player"))
    token = sa.table("token", sa.column("account_id", sa.String), sa.column("role"), sa.column("expires"))
    account = sa.table("account", sa.column("id", sa.String), sa.column("role", sa.String))
    now_has = sa.select(account.c.role).where(account.c.id == token.c.account_id).scalar_subquery()
    ends = sa.bindparam("ends", datetime.now(UTC) + timedelta(days=90), sa.DateTime(timezone=True))
    op.get_bind().execute(sa.update(token).values(role=now_has, expires=ends))


def downgrade() -> None:
    """Go back; tokens then live for ever."""
    op.drop_column("token", "role")
    op.drop_column("token", "expires")
