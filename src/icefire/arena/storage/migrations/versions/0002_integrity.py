"""The keyed log, waiting for the judge, and who came with whose invitation.

The lines of an older log keep their plain hashes. A line "keyed", the first one whose hash is made with the
competition's key, closes them: from then on none of them can be changed without the key.
"""

import hashlib
import hmac
import json
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import context, op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this version."""
    op.add_column("account", sa.Column("invited_by", sa.String(length=32), nullable=True))
    op.add_column("invite", sa.Column("by_organiser", sa.Boolean(), nullable=False, server_default=sa.text("false")))
    op.add_column("release", sa.Column("log_line", sa.Integer(), nullable=True))
    op.add_column("release", sa.Column("removed", sa.DateTime(timezone=True), nullable=True))
    op.add_column("guess", sa.Column("log_line", sa.Integer(), nullable=True))
    op.add_column("job", sa.Column("not_before", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "account_address",
        sa.Column("account_id", sa.String(length=32), nullable=False),
        sa.Column("address", sa.String(length=32), nullable=False),
        sa.Column("last", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"]),
        sa.PrimaryKeyConstraint("account_id", "address"),
    )
    op.create_index("ix_account_address_address", "account_address", ["address"])
    _close_plain_lines()


def _close_plain_lines() -> None:
    """Write the line that closes a log of plain hashes."""
    event = sa.table(
        "event",
        sa.column("number", sa.Integer),
        sa.column("at", sa.DateTime(timezone=True)),
        sa.column("actor", sa.String),
        sa.column("kind", sa.String),
        sa.column("body", sa.JSON),
        sa.column("before", sa.String),
        sa.column("hash", sa.String),
    )
    connection = op.get_bind()
    last = connection.execute(sa.select(event).order_by(event.c.number.desc()).limit(1)).first()
    if last is None:
        return
    number, now = last.number + 1, datetime.now(UTC)
    line = [number, now.isoformat(timespec="microseconds"), "server", "keyed", {"lines": last.number}, last.hash]
    packed = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    digest = hmac.digest(context.config.attributes["log_key"], packed, hashlib.sha256).hex()
    values = {"number": number, "at": now, "actor": line[2], "kind": line[3], "body": line[4]}
    connection.execute(event.insert().values(**values, before=last.hash, hash=digest))


def downgrade() -> None:
    """Go back; a log that has lines with keyed hashes can be read by the older version, not verified."""
    op.drop_table("account_address")
    for table, columns in {
        "job": ["not_before"],
        "guess": ["log_line"],
        "release": ["removed", "log_line"],
        "invite": ["by_organiser"],
        "account": ["invited_by"],
    }.items():
        for column in columns:
            op.drop_column(table, column)
