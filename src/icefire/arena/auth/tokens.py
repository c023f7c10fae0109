"""Tokens with which programs use the API: they end by themselves, and never may more than when they were made."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from icefire.arena import ids
from icefire.arena.errors import Clash
from icefire.arena.storage.database import lock
from icefire.arena.storage.tables import AccountRow, TokenRow

TOKEN_LIFE = timedelta(days=90)
MOST_TOKENS = 20


def new_token(session: Session, account: AccountRow, name: str, now: datetime) -> str:
    """Make a token for programs and return it, this one time."""
    lock(session, f"tokens {account.id}")
    own = TokenRow.account_id == account.id
    session.execute(delete(TokenRow).where(own, TokenRow.expires <= now))
    if (session.scalar(select(func.count()).select_from(TokenRow).where(own)) or 0) >= MOST_TOKENS:
        raise Clash(f"you have {MOST_TOKENS} tokens already; take one away on your account page first")
    secret = f"ifa_{ids.new_secret()}"
    session.add(
        TokenRow(
            id=ids.new_id(),
            account_id=account.id,
            secret=ids.digest(secret),
            name=name[:80] or "token",
            created=now,
            expires=now + TOKEN_LIFE,
            role=account.role,
        )
    )
    session.flush()
    return secret


def find(session: Session, secret: str, now: datetime) -> TokenRow | None:
    """Return the token that a program sent, if it is one and has not ended."""
    token = session.scalars(select(TokenRow).where(TokenRow.secret == ids.digest(secret))).first()
    return token if token is not None and token.expires is not None and now < token.expires else None


def end_all(session: Session, account_id: str) -> None:
    """End every token of an account, as after a new password."""
    session.execute(delete(TokenRow).where(TokenRow.account_id == account_id))
