"""The round a page is about: the one asked for, or the current one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query, Request
from sqlalchemy.orm import Session

from icefire.arena.contest import phases
from icefire.arena.contest.arena import Arena
from icefire.arena.contest.phases import RoundNow
from icefire.arena.errors import Absent
from icefire.arena.web import frame

RoundParameter = Annotated[str, Query(alias="round", max_length=40)]
"""The round in an address: ?round=final; none is the current one."""


@dataclass(frozen=True, slots=True)
class RoundChoice:
    """A round among all of them."""

    every: list[RoundNow]
    here: RoundNow

    @property
    def last_revealed(self) -> RoundNow | None:
        """The newest round with public scores, if it is another one than this."""
        revealed = [one for one in self.every if one.revealed and one.name != self.here.name]
        return revealed[-1] if revealed and not self.here.revealed else None


def choose_round(request: Request, db: Session, arena: Arena, name: str) -> RoundChoice:
    """Return the round of a name, or the current one where none is given."""
    every = frame.rounds_now(request, db, arena)
    if not name:
        return RoundChoice(every, phases.current(every))
    for one in every:
        if one.name == name:
            return RoundChoice(every, one)
    raise Absent
