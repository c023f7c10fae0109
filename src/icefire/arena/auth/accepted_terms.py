"""Who has accepted the terms of the data; without that nobody downloads any of it."""

from __future__ import annotations

from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.contest import public_record, terms
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Clash, NotLoggedIn, TermsFirst
from icefire.arena.storage import log
from icefire.arena.storage.tables import AcceptedTermsRow


def check(session: Session, arena: Arena, actor: Actor) -> None:
    """Refuse to hand out data to somebody who has not accepted its terms, of whatever role."""
    if not terms.texts(arena.definition):
        return
    if not actor.known:
        raise NotLoggedIn("the data has terms; log in and accept them first")
    if not accepted(session, arena, actor):
        raise TermsFirst(
            "accept the terms of the data first, on the page /terms or with: icefire arena download --accept-terms"
        )


def accepted(session: Session, arena: Arena, actor: Actor) -> bool:
    """Tell whether somebody has accepted the terms as they are now."""
    key = (actor.account_id, terms.sha256(arena.definition))
    return actor.known and session.get(AcceptedTermsRow, key) is not None


def accept(session: Session, arena: Arena, actor: Actor, sha256: str) -> None:
    """Write down that somebody accepts the terms; `sha256` is that of the terms that were shown."""
    public_record.check(session)
    if sha256 != terms.sha256(arena.definition) or not terms.texts(arena.definition):
        raise Clash("the terms have changed, or there are none; read them again")
    if not accepted(session, arena, actor):
        session.add(AcceptedTermsRow(account_id=actor.account_id, sha256=sha256, at=arena.now()))
        log.write(session, arena.now(), actor.account_id or "", "terms", sha256=sha256)
