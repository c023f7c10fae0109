"""Addresses from which accounts came, as digests: only whether two accounts share one can be told."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from icefire.arena.storage.tables import AccountAddressRow


def remember(session: Session, account_id: str, digest: str, now: datetime) -> None:
    """Write down that an account came from an address, given as the competition's own digest of it."""
    session.merge(AccountAddressRow(account_id=account_id, address=digest, last=now))
