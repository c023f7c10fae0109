"""${message}"""

from alembic import op
import sqlalchemy as sa
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this version."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Bring the tables back to the version before."""
    ${downgrades if downgrades else "pass"}
