"""One-time links, logins by a provider, accepted terms, divisions, addresses for mail, and messages to be sent."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this version."""
    op.add_column("account", sa.Column("mail", sa.String(length=254), nullable=True))
    op.add_column("team", sa.Column("division", sa.String(length=40), nullable=True))
    op.create_table(
        "one_time_link",
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.String(length=32), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"]),
        sa.PrimaryKeyConstraint("code"),
    )
    op.create_index("ix_one_time_link_account_id", "one_time_link", ["account_id"])
    op.create_table(
        "login_identity",
        sa.Column("issuer", sa.String(length=200), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("account_id", sa.String(length=32), nullable=False),
        sa.Column("shown", sa.String(length=200), nullable=False),
        sa.Column("linked", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"]),
        sa.PrimaryKeyConstraint("issuer", "subject"),
    )
    op.create_index("ix_login_identity_account_id", "login_identity", ["account_id"])
    op.create_table(
        "accepted_terms",
        sa.Column("account_id", sa.String(length=32), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"]),
        sa.PrimaryKeyConstraint("account_id", "sha256"),
    )
    op.create_table(
        "delivery",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("target", sa.String(length=254), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_delivery_state", "delivery", ["state"])


def downgrade() -> None:
    """Go back; what these tables held is lost."""
    for table in ("delivery", "accepted_terms", "login_identity", "one_time_link"):
        op.drop_table(table)
    op.drop_column("team", "division")
    op.drop_column("account", "mail")
