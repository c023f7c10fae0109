"""Messages outside, for organisers: which wait or failed, and trying those given up again."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select, update

from icefire.arena.admin.permissions import acting, looking
from icefire.arena.auth.actor import Actor
from icefire.arena.contest.arena import Arena
from icefire.arena.storage import log
from icefire.arena.storage.tables import DeliveryRow

NEWEST = 200


def deliveries(arena: Arena, actor: Actor) -> Sequence[DeliveryRow]:
    """Return the newest messages, those that wait or were given up first."""
    with looking(arena, actor, judges=False) as session:
        order = (DeliveryRow.state == "sent", DeliveryRow.created.desc(), DeliveryRow.id)
        return session.scalars(select(DeliveryRow).order_by(*order).limit(NEWEST)).all()


def send_again(arena: Arena, actor: Actor) -> int:
    """Have every message that was given up tried again from the beginning; returns how many."""
    with acting(arena, actor) as session:
        again = (
            update(DeliveryRow)
            .where(DeliveryRow.state == "given_up")
            .values(state="waiting", tries=0, not_before=arena.now())
            .returning(DeliveryRow.id)
        )
        messages = len(session.scalars(again).all())
        log.write(session, arena.now(), actor.account_id or "", "sent_again", messages=messages)
        return messages
