"""Parts of pages that many people see alike: computed and drawn once for all of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Any, TypeVar, cast

from fastapi import Request
from markupsafe import Markup
from sqlalchemy import CompoundSelect, null, select, union_all
from sqlalchemy.orm import Session

from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.contest.phases import RoundNow
from icefire.arena.storage.tables import SettingRow, SnapshotRow
from icefire.arena.web import templating
from icefire.arena.web.changes import SeenChanges
from icefire.arena.web.preferences import language_of

MOST = 500
"""How many parts are kept."""
MOST_LETTERS = 64 << 20
"""How long those that are drawn may be together: the pictures of a large round have a million letters."""
APART = "apart from the log"
"""Under this name a session keeps what boards depend on beside the log."""
_APART: CompoundSelect[Any] = union_all(
    select(SnapshotRow.round, SnapshotRow.taken),
    select(SettingRow.name, null()).where(SettingRow.name.startswith("reference:")),
)
Value = TypeVar("Value")
CacheKey = tuple[Hashable, ...]


class FragmentCache:
    """The parts used last, by everything they depend on."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._values: OrderedDict[CacheKey, Any] = OrderedDict()
        self._pending: dict[CacheKey, threading.Lock] = {}
        self._newest: dict[CacheKey, CacheKey] = {}
        self._letters = 0
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

    def get_newest(self, place: CacheKey, key: CacheKey, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, and forget the one that was in its place before: large ones are kept once."""
        value = self.get(key, compute)
        with self._lock:
            before = self._newest.get(place)
            if before != key:
                self._newest[place] = key
                self._forget(before)
        return value

    def newest(self, place: CacheKey) -> Any:
        """Return what is in a place now, of whichever key it is; None if nothing is."""
        with self._lock:
            return self._values.get(self._newest.get(place, ()))

    def _forget(self, key: CacheKey | None) -> None:
        if key is not None and key in self._values:
            self._letters -= _letters(self._values.pop(key))

    def _kept(self, key: CacheKey) -> Any:
        self._values.move_to_end(key)
        return self._values[key]

    def _compute(self, key: CacheKey, compute: Callable[[], Value]) -> Value:
        try:
            value = compute()
            with self._lock:
                self._values[key] = value
                self._letters += _letters(value)
                while len(self._values) > self._most or (self._letters > MOST_LETTERS and len(self._values) > 1):
                    self._forget(next(iter(self._values)))
            return value
        finally:
            with self._lock:
                self._pending.pop(key, None)


def _letters(value: object) -> int:
    return len(value) if isinstance(value, str) else 0


def cached(request: Request, place: CacheKey, key: CacheKey, compute: Callable[[], Value]) -> Value:
    """Return a value computed once for all who may see the same, of which only the newest is kept.

    `place` says what it is, and `key` holds everything it depends on.
    """
    cache: FragmentCache = request.app.state.fragments
    return cache.get_newest(place, (*place, *key), compute)


def cached_before(request: Request, place: CacheKey) -> Any:
    """Return what `cached` holds in a place now, to make the next one from; None if it holds nothing."""
    cache: FragmentCache = request.app.state.fragments
    return cache.newest(place)


def fragment(request: Request, key: CacheKey, template: str, values: Callable[[], dict[str, Any]]) -> Markup:
    """Return a drawn part of a page, made once for all who may see the same.

    `key` must hold everything it depends on (see freshness); the language is added here. The part must not hold a
    form: the token in it belongs to one browser.
    """
    cache: FragmentCache = request.app.state.fragments
    full_key = (template, language_of(request), *key)
    return cache.get(full_key, lambda: templating.render_part(request, template, values()))


def freshness(
    request: Request, db: Session, rounds: list[RoundNow], actor: Actor, guesses_of: Collection[str] = ()
) -> CacheKey:
    """Return the key of a part that depends on the boards of rounds and on who looks at it.

    Judges see one thing, the members of a team another, and everybody else a third. A guess changes no board but that
    of the judges, its result none before the reveal; a part that shows who has attacked what names its rounds in
    `guesses_of`.
    """
    changes: SeenChanges = request.app.state.changes.seen_by(db)
    seen_by = "judges" if actor.judges else (actor.team_id or "everybody")
    now = tuple((one.name, one.phase, one.paused, one.revealed) for one in rounds)
    scored = tuple(changes.scored(one.name) for one in rounds if actor.judges or one.revealed)
    guessed = tuple(changes.guessed(one.name) for one in rounds if actor.judges or one.name in guesses_of)
    return (changes.rest, scored, guessed, now, _apart_from_the_log(db), seen_by)


def _apart_from_the_log(db: Session) -> CacheKey:
    """Return what boards depend on beside the log: which are frozen, and which originals are measured.

    A session sees one state of the database, so that it asks once, and one question is enough.
    """
    known: CacheKey | None = db.info.get(APART)
    if known is None:
        rows: Iterable[Any] = db.execute(_APART)
        known = db.info[APART] = tuple(sorted((str(row[0]), str(row[1])) for row in rows))
    return known


def board_viewer(actor: Actor) -> Actor:
    """Return with whose rights a board is read: all teams see the public one, so that one drawing serves them all."""
    return actor if actor.judges else VISITOR
