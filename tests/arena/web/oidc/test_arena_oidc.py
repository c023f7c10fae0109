"""Login by a provider of OpenID Connect, against a provider in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from sqlalchemy import select
from starlette.testclient import TestClient
from support.arena import oidc_provider
from support.arena.fixtures import player
from support.arena.web import PASSWORD, STORED, _quick_passwords, account, csrf, log_in  # noqa: F401

from icefire.arena import admin
from icefire.arena.contest import settings
from icefire.arena.storage.tables import AccountRow, EventRow, LoginIdentityRow
from icefire.arena.web.app import create_app
from icefire.core.errors import InputError


class At:
    """The provider: its address, what it is told to say, and how a browser goes through it."""

    def __init__(self, port: str) -> None:
        self.issuer = f"http://127.0.0.1:{port}"

    def say(self, **told) -> None:
        httpx.post(f"{self.issuer}/control", json=told, trust_env=False)

    def back(self, address: str) -> str:
        """Log in at an address of the provider; returns the path and query it sends the browser back to."""
        assert address.startswith(self.issuer)
        split = urlsplit(httpx.get(address, trust_env=False).headers["location"])
        assert f"{split.scheme}://{split.netloc}" == "http://testserver"
        return f"{split.path}?{split.query}"


@pytest.fixture(scope="module")
def running():
    command = [sys.executable, str(Path(oidc_provider.__file__))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield At(process.stdout.readline().strip())
        process.terminate()


@pytest.fixture
def provider(running, monkeypatch):
    monkeypatch.setenv(settings.OIDC_SECRET, oidc_provider.SECRET)
    running.say()
    return running


@pytest.fixture
def opened(make_arena, provider):
    """Make a competition with the provider and a browser: opened(register=True, **more)."""
    browsers = []

    def make(register: bool = True, more: str = ""):
        arena = make_arena(
            more=f'address = "http://testserver"\n{more}\n[oidc]\nissuer = "{provider.issuer}"\n'
            f'client_id = "cup"\nname = "School"\nregister = {str(register).lower()}'
        )
        arena.clock.set(datetime.now(UTC))
        browsers.append(TestClient(create_app(arena, worker=False), follow_redirects=False).__enter__())
        return arena, browsers[-1]

    yield make
    for one in browsers:
        one.__exit__(None, None, None)


def rows(arena, table):
    with arena.database.reading() as session:
        return session.scalars(select(table)).all()


def log_in_there(browser, provider, path="/login/oidc"):
    return browser.get(provider.back(browser.get(path).headers["location"]))


def test_somebody_new_gets_an_account_and_comes_back_to_it(opened, provider):
    arena, browser = opened()
    provider.say(claims={"preferred_username": "ann", "sub": "ann-1"})
    assert "Log in by School" in browser.get("/login").text
    asked = {
        name: value[0]
        for name, value in parse_qs(urlsplit(browser.get("/login/oidc").headers["location"]).query).items()
    }
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == "http://testserver/login/oidc/callback"
    done = log_in_there(browser, provider, "/login/oidc?next=/team")
    assert (done.status_code, done.headers["location"]) == (303, "/team")
    assert "ann" in browser.get("/account").text
    browser.cookies.clear()
    assert log_in_there(browser, provider).headers["location"] == "/"
    assert [one.name for one in rows(arena, AccountRow)] == ["ann"]
    kinds = [one.kind for one in rows(arena, EventRow)]
    assert (kinds.count("identity"), kinds.count("login")) == (1, 2)
    removed = browser.post("/account/provider/remove", data={"csrf": csrf(browser, "/account")})
    assert removed.status_code == 409, "an account without a password lost its only way in"


def test_a_name_is_no_proof(opened, provider):
    """Whoever calls themselves as an account at the provider does not get into it."""
    arena, browser = opened()
    account(arena, "Ann")
    account(arena, "boss", "admin")
    for number, claims in enumerate(
        ({"preferred_username": "Ann"}, {"name": "boss"}, {"email": "ann@x.org", "email_verified": True}), start=1
    ):
        browser.cookies.clear()
        provider.say(claims={**claims, "sub": f"stranger-{number}"})
        assert log_in_there(browser, provider).status_code == 303
    names = {one.id: one.name for one in rows(arena, AccountRow)}
    assert sorted(names.values()) == ["Ann", "Ann 2", "ann 3", "boss", "boss 2"]
    assert {names[one.account_id] for one in rows(arena, LoginIdentityRow)} == {"Ann 2", "ann 3", "boss 2"}


@pytest.mark.parametrize(("register", "more"), [(False, ""), (True, 'registration = "invite"')])
def test_where_accounts_are_not_for_everybody_a_stranger_stays_out(opened, provider, register, more):
    arena, browser = opened(register, more)
    answer = log_in_there(browser, provider)
    assert answer.status_code == 403
    assert "belongs to no account here" in answer.text
    assert rows(arena, AccountRow) == []


def connect(browser, provider, password=PASSWORD):
    page = browser.post("/account/provider", data={"csrf": csrf(browser, "/account"), "password": password})
    return browser.get(provider.back(link_in(page.text))) if page.status_code == 200 else page


def link_in(page):
    return re.search(r'class="button" href="([^"]+)"', page).group(1).replace("&amp;", "&")


def test_an_account_is_connected_by_its_owner_and_disconnected(opened, provider):
    arena, browser = opened(register=False)
    ann = account(arena, "Ann")
    log_in(browser, "Ann")
    assert connect(browser, provider, "wrong password").status_code == 403
    assert connect(browser, provider).headers["location"] == "/account?said=connected"
    browser.cookies.clear()
    assert log_in_there(browser, provider).status_code == 303
    assert "Connected: School" in browser.get("/account").text
    other = account(arena, "Bob")
    browser.cookies.clear()
    log_in(browser, "Bob")
    assert connect(browser, provider).status_code == 409, "an identity was taken from another account"
    assert [one.account_id for one in rows(arena, LoginIdentityRow)] == [ann] != [other]
    browser.cookies.clear()
    log_in_there(browser, provider)
    assert browser.post("/account/provider/remove", data={"csrf": csrf(browser, "/account")}).status_code == 303
    browser.cookies.clear()
    assert log_in_there(browser, provider).status_code == 403


def test_connecting_ends_where_another_account_is_logged_in(opened, provider):
    arena, browser = opened(register=False)
    account(arena, "Ann")
    account(arena, "Mallory")
    log_in(browser, "Ann")
    page = browser.post("/account/provider", data={"csrf": csrf(browser, "/account"), "password": PASSWORD}).text
    back = provider.back(link_in(page))
    browser.cookies.delete("icefire")
    for name in [one for one in browser.cookies if one.startswith("icefire") and "oidc" not in one]:
        browser.cookies.delete(name)
    log_in(browser, "Mallory")
    assert browser.get(back).status_code == 403
    assert rows(arena, LoginIdentityRow) == []


def test_staff_are_not_entered_by_the_provider(opened, provider):
    arena, browser = opened()
    ann, boss = account(arena, "Ann"), player(arena, "Boss", role="admin")
    log_in(browser, "Ann")
    connect(browser, provider)
    admin.set_role(arena, boss, ann, "organiser")
    assert rows(arena, LoginIdentityRow) == [], "a role given later came with the old login"
    browser.cookies.clear()
    log_in(browser, "Ann")
    assert connect(browser, provider).status_code == 403
    with arena.database.transaction() as session:  # as if it had been written by hand
        session.add(LoginIdentityRow(issuer=provider.issuer, subject="1", account_id=ann, shown="", linked=arena.now()))
    browser.cookies.clear()
    assert log_in_there(browser, provider).status_code == 403


def test_a_shut_out_or_recovered_account_has_no_other_way_in(opened, provider):
    arena, browser = opened(register=False)
    ann, boss = account(arena, "Ann"), player(arena, "Boss", role="admin")
    log_in(browser, "Ann")
    connect(browser, provider)
    admin.reset_password(arena, boss, ann)
    assert rows(arena, LoginIdentityRow) == []
    browser.cookies.clear()
    assert log_in_there(browser, provider).status_code == 403


LIES = {
    "another issuer": {"claims": {"iss": "https://evil.example"}},
    "another audience": {"claims": {"aud": "other"}},
    "several audiences without azp": {"claims": {"aud": ["cup", "other"]}},
    "another party": {"claims": {"azp": "other"}},
    "another nonce": {"claims": {"nonce": "replayed"}},
    "no nonce": {"claims": {"nonce": None}},
    "expired": {"claims": {"exp": int(time.time()) - 3600}},
    "no end": {"claims": {"exp": None}},
    "from the future": {"claims": {"iat": int(time.time()) + 3600}},
    "nobody": {"claims": {"sub": ""}},
    "no subject": {"claims": {"sub": None}},
    "another key": {"key": "wrong"},
    "unsigned": {"algorithm": "none"},
    "signed with the public key as a secret": {"algorithm": "HS256"},
    "an answer of another provider": {"answer_iss": "https://evil.example"},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_proves_nothing_lets_nobody_in(opened, provider, lie):
    arena, browser = opened()
    provider.say(**LIES[lie])
    answer = log_in_there(browser, provider)
    assert answer.status_code == 403
    assert "the login by the provider failed" in answer.text
    assert rows(arena, AccountRow) == []


def test_a_provider_that_calls_itself_otherwise_is_not_asked(opened, provider):
    _, browser = opened()
    provider.say(issuer="https://evil.example")
    assert browser.get("/login/oidc").status_code == 403


def test_only_the_browser_that_began_can_finish_and_once(opened, provider):
    arena, browser = opened()
    back = provider.back(browser.get("/login/oidc").headers["location"])
    stranger = TestClient(browser.app, follow_redirects=False)
    assert stranger.get(back).status_code == 403, "a login was finished by another browser"
    other = provider.back(stranger.get("/login/oidc").headers["location"])
    assert browser.get(other).status_code == 403, "a login of somebody else was put under this browser"
    assert browser.get(re.sub("state=[^&]+", f"state={quote('тайна')}", back)).status_code == 403
    assert browser.get("/login/oidc/callback?error=access_denied&state=x").status_code == 403
    kept = browser.cookies.get("icefire-oidc")
    assert browser.get(back).status_code == 303
    assert browser.get(back).status_code == 403, "the same answer was taken twice"
    forged = TestClient(browser.app, follow_redirects=False, cookies={"icefire-oidc": kept[:-1] + "0"})
    assert forged.get(back).status_code == 403
    late = TestClient(browser.app, follow_redirects=False)
    back = provider.back(late.get("/login/oidc").headers["location"])
    arena.clock.move(timedelta(minutes=11))
    assert late.get(back).status_code == 403


def test_a_provider_that_is_away_is_told(opened, make_arena, monkeypatch):
    arena = make_arena(more='address = "http://testserver"\n[oidc]\nissuer = "http://127.0.0.1:9"\nclient_id = "cup"')
    with TestClient(create_app(arena, worker=False), follow_redirects=False) as browser:
        answer = browser.get("/login/oidc")
        assert answer.status_code == 503
        assert browser.get("/login").status_code == 200


def test_without_a_provider_there_is_no_way(arena):
    with TestClient(create_app(arena, worker=False), follow_redirects=False) as browser:
        assert browser.get("/login/oidc").status_code == 404
        assert "oidc" not in browser.get("/login").text


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('[oidc]\nissuer = "https://id.example"\nclient_id = "cup"', "needs address"),
        ('address = "https://c.example"\n[oidc]\nissuer = "http://id.example"\nclient_id = "cup"', "oidc.issuer"),
    ],
)
def test_a_provider_is_named_with_tls_and_with_the_way_back(make_arena, more, told):
    with pytest.raises(InputError, match=told):
        make_arena(more=more)
