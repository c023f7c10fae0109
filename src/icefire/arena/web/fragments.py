"""Parts of pages that many people see alike: computed and drawn once for all of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from fastapi import Request
from markupsafe import Markup
from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import EventRow, SnapshotRow
from icefire.arena.web import templating
from icefire.arena.web.preferences import language_of

MOST = 500
"""How many parts are kept."""
UNSEEN = ("login", "token", "export")
"""Lines of the log after which every page looks as before."""
Value = TypeVar("Value")
CacheKey = tuple[Hashable, ...]


class FragmentCache:
    """The parts used last, by everything they depend on."""

    def __init__(self) -> None:
        self._values: OrderedDict[CacheKey, Any] = OrderedDict()
        self._pending: dict[CacheKey, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: CacheKey, compute: Callable[[], Value]) -> Value:
        """Return the value of a key; of many who ask for it at once one computes it and the others wait."""
        with self._lock:
            if key in self._values:
                return cast(Value, self._kept(key))
            pending = self._pending.setdefault(key, threading.Lock())
        with pending:
            with self._lock:
                if key in self._values:
                    return cast(Value, self._kept(key))
            return self._compute(key, compute)

    def _kept(self, key: CacheKey) -> Any:
        self._values.move_to_end(key)
        return self._values[key]

    def _compute(self, key: CacheKey, compute: Callable[[], Value]) -> Value:
        try:
            value = compute()
            with self._lock:
                self._values[key] = value
                while len(self._values) > MOST:
                    self._values.popitem(last=False)
            return value
        finally:
            with self._lock:
                self._pending.pop(key, None)


def cached(request: Request, key: CacheKey, compute: Callable[[], Value]) -> Value:
    """Return a value computed once for all who may see the same; `key` holds everything it depends on."""
    cache: FragmentCache = request.app.state.fragments
    return cache.get(key, compute)


def fragment(request: Request, key: CacheKey, template: str, values: Callable[[], dict[str, Any]]) -> Markup:
    """Return a drawn part of a page, made once for all who may see the same.

    `key` must hold everything it depends on (see freshness); the language is added here. The part must not hold a
    form: the token in it belongs to one browser.
    """
    full_key = (template, language_of(request), *key)
    return cached(request, full_key, lambda: templating.render_part(request, template, values()))


def freshness(db: Session, rounds: list[RoundNow], actor: Actor) -> CacheKey:
    """Return the key of a part that depends on facts and on who looks at it.

    Judges see one thing, the members of a team another, and everybody else a third.
    """
    seen_by = "judges" if actor.judges else (actor.team_id or "everybody")
    now = tuple((one.name, one.phase, one.paused, one.revealed) for one in rounds)
    frozen = tuple(tuple(row) for row in db.execute(select(SnapshotRow.round, SnapshotRow.taken)))
    last = select(EventRow.number).where(EventRow.kind.not_in(UNSEEN)).order_by(EventRow.number.desc()).limit(1)
    return (db.scalar(last), now, frozen, seen_by)


def board_viewer(actor: Actor) -> Actor:
    """Return with whose rights a board is read: all teams see the public one, so that one drawing serves them all."""
    return actor if actor.judges else VISITOR
