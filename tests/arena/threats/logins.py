"""Threats 13 and 14: stolen sessions, and doors that are tried again and again."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets as chance
import threading
import unicodedata
from typing import Any

import httpx
from sqlalchemy import select

from icefire.arena import ids
from icefire.arena.auth import invitations, login, passwords, sessions, throttling
from icefire.arena.auth import names as names_module
from icefire.arena.storage.tables import AttemptRow, InviteRow
from icefire.arena.storage.tables import BrowserSessionRow as Stored
from icefire.arena.web import logging_in, password_threads, session
from icefire.arena.web.pages import _login_response
from icefire.arena.web.pages import account as account_page
from icefire.arena.web.pages import login as login_page
from threats.story import PASSWORD
from threats.world import Browser, World

# --- 13: sessions


def a_session_is_new_after_every_change(world: World) -> None:
    """Plant a session id before the login, keep one after: none is worth anything."""
    planted = Browser(world.server, cookie=chance.token_urlsafe(32))
    victim = world.visitor()
    for browser, name in ((planted, "the planted one"), (victim, "the one from before")):
        old = browser.cookie
        browser.csrf = _csrf(browser)
        _log_in(browser, "ann")
        assert browser.cookie != old, f"{name} is the session after the login too"
        assert _is_out(Browser(world.server, old)), f"{name} is logged in"
        assert not _is_out(browser)
    old = victim.cookie
    victim.csrf = _csrf(victim, "/account")
    assert victim.post("/logout").status_code == 303
    assert _is_out(Browser(world.server, old)), "the session lives on after the logout"


def a_new_password_or_role_ends_other_sessions(world: World) -> None:
    """Change the password, the role, have it reset, be shut out: whoever had a session before has none."""
    own, stolen = world.new_browser("author"), world.new_browser("author")
    changed = own.post("/account/password", {"old": PASSWORD, "new": "another long password"})
    assert changed.status_code == 303, changed.text
    assert _is_out(stolen), "a stolen session outlives a new password"
    assert not _is_out(own), "whoever changed the password is out"
    lonely = world.add("lonely")
    desk = f"/desk/accounts/{lonely.account_id}"
    ways = {"role": {"role": "judge"}, "password": {}, "disabled": {"disabled": "yes"}}
    for way, data in ways.items():
        kept = world.new_browser("lonely")
        assert world.as_("admin").post(f"{desk}/{way}", data).status_code in (200, 303)
        assert _is_out(kept), f"a session outlives a new {way}"


def cookies_are_for_the_server_alone(world: World) -> None:
    """Look at the cookies: no script reads them, no other site sends them, and over https nothing else carries them."""
    for secure in (False, True):
        world.server.app.state.secure = secure
        visitor = world.visitor()
        answer = _log_in(visitor, "ann")
        world.server.app.state.secure = False
        for cookie in (one for one in answer.headers.get_list("set-cookie") if one.startswith("icefire")):
            flags = {part.strip().lower() for part in cookie.split(";")[1:]}
            assert {"httponly", "samesite=lax"} <= flags, f"{cookie} can be read or sent by others"
            assert ("secure" in flags) == secure, f"{cookie} goes over any line"
    kept = {one.id for one in world.rows(Stored)}
    assert visitor.cookie not in kept, "the cookie itself is stored"
    assert ids.digest(visitor.cookie) in kept


def nobody_is_sent_elsewhere(world: World) -> None:
    """Ask to be sent to another site after the login."""
    ways = (
        *("https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)"),
        *("/\t/evil.example", "http:evil.example", "/%0d%0aLocation: x\r\n", " //evil.example", "///evil.example"),
    )
    for way in ways:
        browser = world.visitor()
        answer = _log_in(browser, "ann", way)
        place = answer.headers["location"]
        ours = place.startswith("/") and not place.startswith(("//", "/\\")) and "evil" not in place
        assert ours, f"{way!r} leads to {place!r}"


def _log_in(browser: Browser, name: str, path: str = "/") -> Any:
    answer = browser.post("/login", {"name": name, "password": PASSWORD, "next": path})
    assert answer.status_code == 303, answer.text
    return answer


def _csrf(browser: Browser, path: str = "/login") -> str:
    said = browser.get(path).text
    return said.partition('name="csrf" value="')[2].partition('"')[0] or browser.csrf


def _is_out(browser: Browser) -> bool:
    return bool(browser.get("/account").status_code == 303)


# --- 14: trying again and again


def guessing_passwords_is_slowed_down(world: World) -> None:
    """Try passwords for one account, from one address and from many, and after a restart."""
    waited = waits(world)
    for _ in range(throttling.TRIES["pair"]):
        assert attempt(world, "bob", "10.0.0.1").status_code == 401
    last = attempt(world, "bob", "10.0.0.1")
    assert last.status_code == 429, "an account can be tried for ever"
    assert 0 < int(last.headers.get("retry-after", 0)) <= throttling.WINDOW.total_seconds() + 1, (
        "it is not said for how long"
    )
    world.restart()
    assert attempt(world, "bob", "10.0.0.1").status_code == 429, "a restart forgives"
    assert attempt(world, "ＢＯＢ ", "10.0.0.1").status_code == 429, "another spelling is another door"
    page = world.visitor().post("/login", {"name": "bob", "password": PASSWORD}, address="10.0.0.1")
    assert page.status_code == 429, "the page is another door"
    world.patch.setitem(throttling.TRIES, "account", 30)
    tried = [attempt(world, "bob", f"10.1.0.{place}").status_code for place in range(25)]
    assert tried[:20] == [401] * 20
    assert tried[20:] == [429] * 5, "an account can be tried for ever from many addresses"
    assert not waited
    for place in range(throttling.TRIES["address"] + 1):
        attempt(world, f"name {place}", "10.1.1.1")
    assert len(waited) == 1, "an address can try as fast as it likes"


def waits(world: World) -> list[float]:
    """Return where the waiting times of tries are written down, instead of waited for."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    world.patch.setattr(logging_in, "sleep", sleep)
    return waited


def attempt(world: World, name: str, address: str) -> Any:
    """Try a wrong password."""
    body = {"name": name, "password": "a wrong password"}
    return world.server.ask("POST", "/api/v1/tokens", address, json=body)


def look_alikes_are_refused(world: World) -> None:
    """Register names that look like another's."""
    for name in (
        "ann ",
        " Ann",
        "ａｎｎ",
        "ANN",
        "a\N{ZERO WIDTH SPACE}nn",
        "a\N{SOFT HYPHEN}nn",
        "ann\N{NO-BREAK SPACE}",
        "\N{CYRILLIC SMALL LETTER A}nn",
        "АΝN",
        "a n n",
        "ann\N{HANGUL FILLER}",
        "ann\N{BRAILLE PATTERN BLANK}",
        "a\N{COMBINING GRAPHEME JOINER}nn",
        "\N{HANGUL FILLER}",
        "\N{BRAILLE PATTERN BLANK}",
    ):
        answer = world.visitor().post("/register", {"name": name, "password": PASSWORD})
        assert answer.status_code in (409, 422), f"{name!r} was taken: {answer.status_code}"
    names = ("Ice", "ＩＣＥ", "ice ", "I\N{ZERO WIDTH JOINER}ce", "lce", "1ce", "Ісе", "I\N{HANGUL FILLER}ce", "I ce")
    world.add("lonely")
    for name in names:
        answer = world.as_("lonely").post("/team/found", {"name": name})
        assert answer.status_code in (409, 422), f"a team {name!r} was taken: {answer.status_code}"


def invitations_are_for_one_thing_and_one_time(world: World) -> None:
    """Use an invitation twice, late, for something else; try many."""
    arena = world.arena
    code = _code(world, "/team/invite", "author")
    assert _join(world, "first", code).status_code == 303, "an invitation lets nobody in"
    assert _join(world, "second", code).status_code == 403, "an invitation lets in two"
    late = _code(world, "/team/invite", "author")
    before = arena.now()
    arena.clock.move(invitations.INVITE_LIFE)
    assert _join(world, "third-one", late).status_code == 403, "an invitation never ends"
    arena.clock.set(before)
    general = _code(world, "/desk/accounts/invites", "admin", {"uses": "1"})
    assert _join(world, "fourth", general).status_code == 403, "an invitation to register lets join a team"
    assert all(code not in str(vars(one)) for one in world.rows(InviteRow)), "invitations are stored as they are"
    for place in range(throttling.TRIES["invite"]):
        last = _join(world, f"tries{place}", f"wrong {place}")
    assert last.status_code == 429, "invitations can be tried for ever"


def _code(world: World, path: str, role: str, data: Any = None) -> str:
    answer = world.as_(role).post(path, data)
    assert answer.status_code == 200, answer.text
    return re.findall(r"(?<![\w-])[\w-]{22}(?![\w-])", answer.text.partition("<main")[2])[0]


def _join(world: World, name: str, code: str) -> Any:
    world.add(name)
    return world.as_(name).post("/team/join", {"code": code})


def a_flood_of_passwords_waits(world: World) -> None:
    """Send more passwords at once than can be hashed: a few are at work, others wait, and the rest is sent away."""
    crowd, taken, begun, go_on = 40, 12, [], threading.Event()

    def slow(password: str, stored: str | None) -> bool:
        begun.append(password)
        go_on.wait(20)
        return False

    world.patch.setattr(passwords, "matches", slow)
    world.patch.setattr(password_threads, "MOST_WAITING", taken)

    async def flood() -> tuple[int, list[int]]:
        transport = httpx.ASGITransport(world.server.app, raise_app_exceptions=False)
        client = httpx.AsyncClient(transport=transport, base_url="http://arena.test", trust_env=False)
        bodies = [{"name": f"n{place}", "password": PASSWORD} for place in range(crowd)]
        sent = [asyncio.create_task(client.post("/api/v1/tokens", json=body)) for body in bodies]
        threads = world.server.app.state.password_threads._threads
        while sum(one.done() for one in sent) + threads.statistics().tasks_waiting + len(begun) < crowd:
            await asyncio.sleep(0.01)
        at_once = len(begun)
        go_on.set()
        return at_once, [one.status_code for one in await asyncio.gather(*sent)]

    at_once, came = world.server.run(flood())
    assert at_once == password_threads.THREADS, f"{at_once} passwords were hashed at once"
    assert came.count(429) == crowd - taken, f"{came.count(429)} of {crowd} were asked to come back later"


# --- sabotages


def keep_the_session(world: World) -> None:
    def kept(request: Any, account: Any) -> Any:
        cookie = request.cookies.get(session.cookie_name(world.arena), "")
        with world.arena.database.transaction() as stored:
            opened = sessions.open_session(stored, account, world.arena.now())
            stored.flush()
            stored.merge(Stored(id=ids.digest(cookie), account_id=account.id, csrf=opened.csrf, expires=_later(world)))
        return sessions.OpenedSession(cookie, opened.csrf, account.id)

    world.patch.setattr(_login_response, "begin_session", kept)


def _later(world: World) -> Any:
    return world.arena.now() + sessions.SESSION_LIFE


def end_no_session(world: World) -> None:
    world.patch.setattr(sessions, "close_session", lambda *_: None)


def end_no_other_session(world: World) -> None:
    world.patch.setattr(sessions, "close_all", lambda *_: None)


def give_plain_cookies(world: World) -> None:
    def plain(_: Any, response: Any, cookie: str) -> None:
        response.set_cookie(session.cookie_name(world.arena), cookie)

    for module in (session, _login_response, account_page):
        world.patch.setattr(module, "give_cookie", plain)


def send_them_anywhere(world: World) -> None:
    world.patch.setattr(login_page, "local_path", lambda asked, otherwise="/": asked or otherwise)


def count_nothing(world: World) -> None:
    world.patch.setattr(throttling, "count_failure", lambda *_: None)


def forget_other_addresses(world: World) -> None:
    world.patch.setattr(login, "_refuses", lambda _, key, *__: key.startswith("pair:"))


def count_in_memory(world: World) -> None:
    """Forget all at a restart: tries are counted for as long as the connection lives."""
    real = World.restart

    def forget(self: World) -> None:
        with self.arena.database.transaction() as stored:
            for one in stored.scalars(select(AttemptRow)):
                stored.delete(one)
        real(self)

    world.patch.setattr(World, "restart", forget)


def compare_names_letter_by_letter(world: World) -> None:
    world.patch.setattr(ids, "name_key", lambda name: name)
    world.patch.setattr(ids, "look_alike", lambda one, other: one == other)


def compare_folded_names(world: World) -> None:
    """Know width and case, as before, and nothing of other alphabets."""
    world.patch.setattr(ids, "look_alike", lambda one, other: ids.folded_name(one) == ids.folded_name(other))
    world.patch.setattr(ids, "invisible", lambda sign: unicodedata.category(sign)[0] == "C")
    world.patch.setattr(ids, "name_key", ids.folded_name)


def take_names_as_they_are(world: World) -> None:
    world.patch.setattr(names_module, "clean_name", lambda name, _: name)
    compare_names_letter_by_letter(world)


def let_invitations_live(world: World) -> None:
    def used(stored: Any, code: str, _: Any) -> Any:
        return stored.get(InviteRow, ids.digest(code.strip()))

    world.patch.setattr(invitations, "use_invite", used)


def hash_as_many_as_come(world: World) -> None:
    world.patch.setitem(world.server.app.state._state, "password_threads", password_threads.PasswordThreads(1000))


def let_everybody_wait(world: World) -> None:
    world.patch.setattr(password_threads.PasswordThreads, "place", lambda *_: contextlib.nullcontext())
