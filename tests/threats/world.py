"""One competition for all attacks: played once, copied for each, and entered by somebody of every role."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import httpx
import numpy as np
import pytest
from arena_fixtures import BEGIN, DAY, lines, player, release_files
from arena_played import TOML, run_here
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import select

from icefire.arena import doors, fire, ice, sandbox, worker
from icefire.arena.actor import Actor
from icefire.arena.arena import Arena, open_arena
from icefire.arena.clock import SetClock
from icefire.arena.tables import Account, Base, Event, Identified, Release
from icefire.arena.web.app import create_app
from icefire.arena.web.caching import Fragments

Result = TypeVar("Result")
ROUND = "final"
ROLES = ("anonymous", "other", "author", "judge", "organiser", "admin")
STAFF = ("judge", "organiser", "admin")
PHASES = ("before", "anonymise", "freeze", "attack", "reveal")
PASSWORD = "correct horse battery"
MARKS = {
    "team": (76543, 98765, 0.477501),
    "sample": (54321, 87654, 0.319701),
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
        arena = open_arena(folder, clock=SetClock(_instant("anonymise") - 4 * DAY))
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
    fire.submit(arena, author, early, lines(np.random.default_rng(59).permutation(30)))
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
        for one in session.scalars(select(Identified).join(Release).where(Release.round == ROUND)):
            one.hits, one.targets, one.rate = MARKS[one.source]


def _instant(phase: str) -> Any:
    """The middle of a phase of the final."""
    return BEGIN + 4 * DAY + DAY / 2 + (PHASES.index(phase) - 1) * DAY


@dataclass
class World:
    """A copy of the competition, and the application in front of it."""

    template: Template
    arena: Arena
    server: Server
    patch: pytest.MonkeyPatch
    tmp: Path
    people: dict[str, Actor]
    url: str | None = None
    """Where a fresh competition has its database; None is its own file."""
    _browsers: dict[str, Browser] = field(default_factory=dict)

    @property
    def original(self) -> Any:
        return self.template.original

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
        actor = self.people.get(role)
        if actor is None:
            return self.visitor()
        with self.arena.database.transaction() as session:
            account = session.get_one(Account, actor.account_id)
            opened = doors.open_session(session, account, self.arena.now() + 30 * DAY)
        return Browser(self.server, opened.cookie, opened.csrf)

    def visitor(self) -> Browser:
        """Return a browser that has been shown a form and logged in nowhere."""
        made = Browser(self.server)
        made.csrf = re.findall(r'name="csrf" value="([^"]+)"', made.get("/login").text)[0]
        return made

    def token(self, role: str) -> str:
        """Return a token for programs of somebody."""
        with self.arena.database.transaction() as session:
            account = session.get_one(Account, self.people[role].account_id)
            return doors.new_token(session, account, "test", self.arena.now())

    def add(self, name: str, team: str | None = None, join: Any = None) -> Actor:
        """Add a player, who is then known by this name here too."""
        self.people[name] = player(self.arena, name, team, join=join)
        return self.people[name]

    def fresh(self) -> Arena:
        """Turn to a competition in which nothing has happened yet, while releases of its final are taken."""
        self.arena.database.close()
        folder = self.tmp / f"fresh{len(list(self.tmp.iterdir()))}"
        folder.mkdir()
        for name in ("original.csv", "contest.toml"):
            shutil.copy(self.template.folder / name, folder)
        self.arena = open_arena(folder, self.url, SetClock(_instant("anonymise")))
        self.people, self._browsers = {}, {}
        self.server.show(self.arena)
        return self.arena

    def files(self, seed: int = 1, **how: Any) -> dict[str, bytes]:
        """Return a submission."""
        return release_files(self.original, seed, **how)

    def restart(self) -> None:
        """Stop the server and start it again."""
        self.arena.database.close()
        self.arena = open_arena(self.arena.folder, clock=self.arena.clock)
        self.server.show(self.arena)

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

    server: Server
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
        given = {"cookie": f"icefire={self.cookie}"} if self.cookie else {}
        answer = self.server.ask(method, path, headers={**given, **(headers or {})}, **more)
        self.cookie = answer.cookies.get("icefire") or self.cookie
        return answer


class Server:
    """The application, asked in this very thread: one for all copies, as making it takes longer than most attacks."""

    def __init__(self, template: Template) -> None:
        arena = open_arena(template.folder, clock=SetClock(_instant("attack")))
        self.app: Any = create_app(arena, worker=False)
        arena.database.close()
        self._loop = asyncio.Runner()

    def show(self, arena: Arena) -> None:
        """Have the application show this competition."""
        self.app.state.arena, self.app.state.fragments = arena, Fragments()

    def ask(self, method: str, path: str, address: str = "127.0.0.1", **more: Any) -> httpx.Response:
        """Send a request and wait for the answer."""

        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 4711))
            client = httpx.AsyncClient(transport=transport, base_url="http://arena.test", trust_env=False)
            return await client.request(method, path, **more)

        return self.run(answer())

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run something beside the application."""
        return self._loop.run(work)

    def close(self) -> None:
        """Let go of the threads."""
        self._loop.close()


@contextmanager
def opened(template: Template, server: Server, patch: pytest.MonkeyPatch, tmp: Path) -> Iterator[World]:
    """Open a fresh copy in the attack phase of the final; the judge works in this process."""
    patch.setattr(sandbox, "run", run_here)
    patch.setattr(doors, "_passwords", _cheap)
    folder = tmp / "arena"
    shutil.copytree(template.folder, folder)
    arena = open_arena(folder, clock=SetClock(_instant("attack")))
    server.show(arena)
    world = World(template, arena, server, patch, tmp, dict(template.people))
    try:
        yield world
    finally:
        world.arena.database.close()
        doors._nobody.cache_clear()  # it was hashed in no time

