"""The receipts of releases and guesses."""

from __future__ import annotations

from typing import Literal

from sqlalchemy.orm import Session

from icefire.arena.contest.arena import Arena
from icefire.arena.contest.signing import Receipt
from icefire.arena.storage.tables import EventRow, GuessRow, ReleaseRow, TeamRow


def release_receipt(arena: Arena, session: Session, release: ReleaseRow) -> Receipt:
    """Return the receipt of a release; it can be made again at any time and is always the same."""
    return _receipt(arena, session, "release", release, release)


def guess_receipt(arena: Arena, session: Session, guess: GuessRow) -> Receipt:
    """Return the receipt of a guess."""
    release = session.get(ReleaseRow, guess.release_id)
    assert release is not None
    return _receipt(arena, session, "guess", guess, release)


def _receipt(
    arena: Arena, session: Session, kind: Literal["release", "guess"], handed: ReleaseRow | GuessRow, about: ReleaseRow
) -> Receipt:
    team = session.get(TeamRow, handed.team_id)
    assert team is not None
    line = session.get(EventRow, handed.log_line) if handed.log_line is not None else None
    return arena.signer.sign(
        Receipt(
            kind=kind,
            id=handed.id,
            round=about.round,
            label=about.label,
            team=team.name,
            sha256=handed.sha256,
            at=handed.received.isoformat(timespec="microseconds"),
            key=arena.signer.public_key,
            signature="",
            log_line=line.number if line else None,
            log_hash=line.hash if line else None,
        )
    )
