"""One competition for all attacks: played once, copied for each, and entered by somebody of every role."""

from __future__ import annotations

import re
import shutil
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from sqlalchemy import select
from support.arena.fixtures import DAY, player, release_files
from support.arena.played import run_here

from icefire.arena.auth import passwords, sessions, tokens
from icefire.arena.auth.actor import Actor
from icefire.arena.clock import SetClock
from icefire.arena.contest.arena import Arena, open_arena
from icefire.arena.judge import sandbox
from icefire.arena.storage.tables import AccountRow, Base, EventRow
from icefire.arena.web import session as browser_session
from icefire.arena.web.app import create_app
from icefire.arena.web.fragments import FragmentCache
from threats.story import STAFF, Template, cheap_passwords, instant

Result = TypeVar("Result")
ROLES = ("anonymous", "other", "author", *STAFF)
in_a_sandbox = sandbox.run_task
"""The judge's tasks as they are really run; here they run in this process unless the sandbox is what is attacked."""


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
        self.arena.clock.set(instant(phase) if seconds is None else begins + timedelta(seconds=seconds))

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
            account = session.get_one(AccountRow, actor.account_id)
            opened = sessions.open_session(session, account, self.arena.now() + 30 * DAY)
        return Browser(self.server, opened.cookie, opened.csrf)

    def visitor(self) -> Browser:
        """Return a browser that has been shown a form and logged in nowhere."""
        made = Browser(self.server)
        made.csrf = re.findall(r'name="csrf" value="([^"]+)"', made.get("/login").text)[0]
        return made

    def token(self, role: str) -> str:
        """Return a token for programs of somebody."""
        with self.arena.database.transaction() as session:
            account = session.get_one(AccountRow, self.people[role].account_id)
            return tokens.new_token(session, account, "test", self.arena.now())

    def add(self, name: str, team: str | None = None, join: Any = None) -> Actor:
        """Add a player, who is then known by this name here too."""
        self.people[name] = player(self.arena, name, team, join=join)
        return self.people[name]

    def fresh(self) -> Arena:
        """Turn to a competition in which nothing has happened yet, while releases of its final are taken."""
        self.arena.database.close()
        folder = self.tmp / f"fresh{len(list(self.tmp.iterdir()))}"
        folder.mkdir(mode=0o700)
        for name in ("original.csv", "contest.toml"):
            shutil.copy(self.template.folder / name, folder)
        self.arena = open_arena(folder, self.url, SetClock(instant("anonymise")))
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
            return list(session.scalars(select(EventRow.kind).order_by(EventRow.number)))

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
        name = browser_session.cookie_name(self.server.app.state.arena)
        given = {"cookie": f"{name}={self.cookie}"} if self.cookie else {}
        answer = self.server.ask(method, path, headers={**given, **(headers or {})}, **more)
        self.cookie = answer.cookies.get(name) or self.cookie
        return answer


class Server:
    """The application: one for all copies, as making it takes longer than most attacks."""

    def __init__(self, template: Template) -> None:
        arena = open_arena(template.folder, clock=SetClock(instant("attack")))
        self.app: Any = create_app(arena, worker=False)
        arena.database.close()
        self._entered = ExitStack()
        self._portal = self._entered.enter_context(start_blocking_portal())

    def show(self, arena: Arena) -> None:
        """Have the application show this competition."""
        self.app.state.arena, self.app.state.fragments = arena, FragmentCache()

    def ask(self, method: str, path: str, address: str = "127.0.0.1", **more: Any) -> httpx.Response:
        """Send a request and wait for the answer."""
        client = self._client(address)
        client.cookies.clear()
        return self.run(client.request(method, path, **more))

    @cache  # noqa: B019 - there is one server, and it lives as long as the tests
    def _client(self, address: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 4711))
        return httpx.AsyncClient(transport=transport, base_url="http://arena.test", trust_env=False)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run something beside the application, in its loop."""

        async def awaited() -> Result:
            return await work

        return self._portal.call(awaited)

    def close(self) -> None:
        """End the loop."""
        self._entered.close()


@contextmanager
def opened(template: Template, server: Server, patch: pytest.MonkeyPatch, tmp: Path) -> Iterator[World]:
    """Open a fresh copy in the attack phase of the final; the judge works in this process."""
    patch.setattr(sandbox, "run_task", run_here)
    patch.setattr(passwords, "_hasher", cheap_passwords)
    folder = tmp / "arena"
    shutil.copytree(template.folder, folder)
    arena = open_arena(folder, clock=SetClock(instant("attack")))
    server.show(arena)
    world = World(template, arena, server, patch, tmp, dict(template.people))
    try:
        yield world
    finally:
        world.arena.database.close()
        passwords._unknown_account_hash.cache_clear()  # it was hashed in no time
