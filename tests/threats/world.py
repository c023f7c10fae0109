"""One competition for all attacks: played once, copied for each, and entered by somebody of every role."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from anyio.from_thread import start_blocking_portal
from arena_fixtures import BEGIN, DAY, lines, player, release_files
from arena_played import TOML, run_here
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import select
from starlette.testclient import TestClient

from icefire.arena import doors, fire, ice, sandbox, worker
from icefire.arena.actor import Actor
from icefire.arena.arena import Arena, open_arena
from icefire.arena.clock import SetClock
from icefire.arena.tables import Account, Base, Event, Identified
from icefire.arena.web.app import create_app
from icefire.arena.web.caching import Fragments

ROUND = "final"
ROLES = ("anonymous", "other", "author", "judge", "organiser", "admin")
STAFF = ("judge", "organiser", "admin")
PHASES = ("before", "anonymise", "freeze", "attack", "reveal")
PASSWORD = "correct horse battery"
MARKS = {
    "team": (76543, 98765, 0.775001),
    "sample": (54321, 87654, 0.619701),
    "aya": (65432, 76549, 0.850601),
}
"""Hits, targets and rate that the judge could never find: whoever shows one of them shows a hidden score."""


@dataclass(frozen=True)
class Template:
    """The competition as it was played."""

    folder: Path
    original: Any
    people: dict[str, Actor]
    releases: dict[str, str]
    guesses: dict[str, str]


def build(folder: Path, original: Any) -> Template:
    """Play two rounds: Ice is the author everybody is after, Fire its attacker, Snow a third team."""
    folder.mkdir()
    original.write_csv(folder / "original.csv")
    (folder / "contest.toml").write_text(TOML.format(more='description = "Two rounds."'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "run", run_here)
        patch.setattr(doors, "_passwords", _cheap)
        arena = open_arena(folder, clock=SetClock(_instant("before") - 4 * DAY))
        people = {"author": player(arena, "ann", "Ice"), "other": player(arena, "bob", "Fire")}
        people |= {"third": player(arena, "cat", "Snow")}
        people |= {role: player(arena, f"the-{role}", role=role) for role in STAFF}
        _give_passwords(arena)
        releases, guesses = _play(arena, original, people)
        _mark_scores(arena)
        arena.database.close()
    return Template(folder, original, people, releases, guesses)


_CHEAP = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))


def _cheap() -> PasswordHash:
    """Passwords that are hashed in no time; what is tested is not the hash."""
    return _CHEAP


def _give_passwords(arena: Arena) -> None:
    stored = str(doors.hashed(PASSWORD))
    with arena.database.transaction() as session:
        for account in session.scalars(select(Account)):
            account.password = stored


def _play(arena: Arena, original: Any, people: dict[str, Actor]) -> tuple[dict[str, str], dict[str, str]]:
    author, other, third = (people[name] for name in ("author", "other", "third"))
    early = ice.submit(arena, other, "preliminary", release_files(original, 40)).id
    arena.clock.set(arena.definition.rounds[0].attack + DAY / 2)
    fire.submit(arena, author, early, lines(range(30)))
    arena.clock.set(_instant("anonymise"))
    handed = {
        "withdrawn": (author, 50, 0.0),
        "author": (author, 51, 0.3),
        "other": (other, 52, 0.1),
        "third": (third, 53, 0.6),
    }
    made = {
        name: ice.submit(arena, team, ROUND, release_files(original, seed, noise=noise)).id
        for name, (team, seed, noise) in handed.items()
    }
    ice.withdraw(arena, author, made["withdrawn"])
    worker.finish(arena)
    arena.clock.set(_instant("freeze"))
    worker.finish(arena)
    arena.clock.set(_instant("attack"))
    asked = {"other": (other, "author", 60), "third": (third, "author", 61), "author": (author, "other", 62)}
    guesses = {
        name: fire.submit(arena, team, made[target], lines(np.random.default_rng(seed).permutation(30))).id
        for name, (team, target, seed) in asked.items()
    }
    worker.finish(arena)
    return {"early": early, **made}, guesses


def _mark_scores(arena: Arena) -> None:
    with arena.database.transaction() as session:
        for one in session.scalars(select(Identified)):
            one.hits, one.targets, one.rate = MARKS[one.source]


def _instant(phase: str) -> Any:
    """The middle of a phase of the final."""
    return BEGIN + 4 * DAY + DAY / 2 + (PHASES.index(phase) - 1) * DAY


@dataclass
class World:
    """A copy of the competition, and the application in front of it."""

    template: Template
    arena: Arena
    client: TestClient
    patch: pytest.MonkeyPatch
    tmp: Path
    _browsers: dict[str, Browser] = field(default_factory=dict)

    @property
    def original(self) -> Any:
        return self.template.original

    @property
    def people(self) -> dict[str, Actor]:
        return self.template.people

    @property
    def releases(self) -> dict[str, str]:
        return self.template.releases

    @property
    def guesses(self) -> dict[str, str]:
        return self.template.guesses

    def go(self, phase: str, seconds: float | None = None) -> None:
        """Set the clock to the middle of a phase of the final, or to so many seconds after it begins."""
        begins = self.arena.definition.rounds[1].starts().get(phase)
        self.arena.clock.set(_instant(phase) if seconds is None else begins + timedelta(seconds=seconds))

    def as_(self, role: str) -> Browser:
        """Return a browser in which somebody of a role is logged in."""
        if role not in self._browsers:
            self._browsers[role] = self.new_browser(role)
        return self._browsers[role]

    def new_browser(self, role: str) -> Browser:
        """Return another browser of somebody."""
        with self.arena.database.transaction() as session:
            actor = self.people.get(role)
            account = session.get(Account, actor.account_id) if actor else None
            opened = doors.open_session(session, account, self.arena.now() + 30 * DAY)
        return Browser(self.client, opened.cookie, opened.csrf)

    def token(self, role: str) -> str:
        """Return a token for programs of somebody."""
        with self.arena.database.transaction() as session:
            account = session.get_one(Account, self.people[role].account_id)
            return doors.new_token(session, account, "test", self.arena.now())

    def actor(self, name: str, team: str | None = None, role: str = "player", join: Any = None) -> Any:
        """Add somebody."""
        return player(self.arena, name, team, role, join)

    def files(self, seed: int = 1, **how: Any) -> dict[str, bytes]:
        """Return a submission."""
        return release_files(self.original, seed, **how)

    def enter(self, arena: Arena) -> None:
        """Have the application show this competition."""
        state: Any = self.client.app.state  # type: ignore[attr-defined]
        state.arena, state.fragments = arena, Fragments()

    def restart(self) -> None:
        """Stop the server and start it again."""
        self.arena.database.close()
        self.arena = open_arena(self.arena.folder, clock=self.arena.clock)
        self.enter(self.arena)

    def state(self) -> dict[str, list[Any]]:
        """Return all that is stored, but for sessions and counted tries."""
        kept = [table for table in Base.metadata.sorted_tables if table.name not in ("session", "attempt")]
        with self.arena.database.reading() as session:
            return {table.name: sorted(map(repr, session.execute(select(table)))) for table in kept}

    def events(self) -> list[str]:
        """Return the kinds of all lines of the log."""
        with self.arena.database.reading() as session:
            return list(session.scalars(select(Event.kind).order_by(Event.number)))

    def rows(self, table: Any) -> list[Any]:
        """Return all rows of a table."""
        with self.arena.database.reading() as session:
            return list(session.scalars(select(table)))


@dataclass
class Browser:
    """Sends requests with a cookie of its own, and follows nothing."""

    client: TestClient
    cookie: str = ""
    csrf: str = ""

    def get(self, path: str, **more: Any) -> Any:
        """Ask for a page."""
        return self.send("GET", path, **more)

    def post(self, path: str, data: Any = None, *, csrf: str | None = None, **more: Any) -> Any:
        """Send a form with its token, or an API request with it in the header."""
        token = self.csrf if csrf is None else csrf
        if path.startswith("/api/"):
            headers = {"x-csrf-token": token.encode(), **more.pop("headers", {})} if token else more.pop("headers", {})
            return self.send(more.pop("method", "POST"), path, data=data, headers=headers, **more)
        return self.send("POST", path, data={**(data or {}), "csrf": token} if token else data, **more)

    def send(self, method: str, path: str, headers: Any = None, **more: Any) -> Any:
        """Send any request; a cookie that the answer sets is taken over."""
        self.client.cookies.clear()
        given = {"cookie": f"icefire={self.cookie}"} if self.cookie else {}
        answer = self.client.request(method, path, headers={**given, **(headers or {})}, **more)
        fresh = answer.cookies.get("icefire")
        self.cookie = fresh or self.cookie
        self.client.cookies.clear()
        return answer


@contextmanager
def application(template: Template) -> Iterator[TestClient]:
    """One application for all copies: making it takes longer than most attacks."""
    arena = open_arena(template.folder, clock=SetClock(_instant("attack")))
    app = create_app(arena, worker=False)
    arena.database.close()
    client = TestClient(app, raise_server_exceptions=False, follow_redirects=False)
    with start_blocking_portal() as portal:
        client.portal = portal
        yield client


@contextmanager
def opened(template: Template, client: TestClient, patch: pytest.MonkeyPatch, tmp: Path) -> Iterator[World]:
    """Open a fresh copy in the attack phase of the final; the judge works in this process."""
    patch.setattr(sandbox, "run", run_here)
    patch.setattr(doors, "_passwords", _cheap)
    folder = tmp / "arena"
    shutil.copytree(template.folder, folder)
    arena = open_arena(folder, clock=SetClock(_instant("attack")))
    world = World(template, arena, client, patch, tmp)
    world.enter(arena)
    try:
        yield world
    finally:
        world.arena.database.close()

