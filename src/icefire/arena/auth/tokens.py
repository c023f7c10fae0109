"""Tokens with which programs use the API."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.storage.tables import AccountRow, TokenRow


def new_token(session: Session, account: AccountRow, name: str, now: datetime) -> str:
    """Make a token for programs and return it, this one time."""
    secret = f"ifa_{ids.new_secret()}"
    session.add(
        TokenRow(
            id=ids.new_id(), account_id=account.id, secret=ids.digest(secret), name=name[:80] or "token", created=now
        )
    )
    return secret


def account_of(session: Session, secret: str) -> AccountRow | None:
    """Return the account a token belongs to."""
    token = session.scalars(select(TokenRow).where(TokenRow.secret == ids.digest(secret))).first()
    return session.get(AccountRow, token.account_id) if token else None
