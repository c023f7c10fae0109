"""The frame of the pages: doors, forged forms, headers, limits, languages, times, live events."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from arena_fixtures import BEGIN, DAY, player
from markupsafe import Markup
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from icefire import arena as arena_package
from icefire.arena import doors, log, people
from icefire.arena.errors import Refused
from icefire.arena.tables import Account, Announcement, Attempt, Session
from icefire.arena.web import acquainted, languages, live, security, session, templating, times
from icefire.arena.web.app import create_app
from icefire.arena.web.caching import Fragments

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")
PASSWORD = "correct horse battery"
QUICK = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
STORED = doors.Hashed(QUICK.hash(PASSWORD))
CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@pytest.fixture(autouse=True)
def _quick_passwords(monkeypatch):
    """Hashes that take no time; those of the server take a tenth of a second each."""
    monkeypatch.setattr(doors, "_passwords", lambda: QUICK)
    monkeypatch.setattr(doors, "_nobody", lambda: str(STORED))


@pytest.fixture
def web(arena):
    """A browser that has just come."""
    from starlette.testclient import TestClient

    with TestClient(create_app(arena, worker=False), raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


@pytest.fixture
def another(web):
    """Make one more browser for the same server."""
    from starlette.testclient import TestClient

    return lambda: TestClient(web.app, raise_server_exceptions=False, follow_redirects=False)


def account(arena, name: str, role: str = "player") -> str:
    with arena.database.transaction() as session:
        return people.add_account(session, name, STORED, arena.now(), role).id


def csrf(browser, path: str = "/login") -> str:
    found = CSRF.search(browser.get(path).text)
    assert found, f"no form at {path}"
    return found.group(1)


def log_in(browser, name: str, password: str = PASSWORD, **fields: str):
    return browser.post("/login", data={"csrf": csrf(browser), "name": name, "password": password, **fields})


# --- the first page


def test_a_visitor_is_told_where_the_competition_stands(arena, web):
    page = web.get("/")
    assert page.status_code == 200
    assert "set-cookie" not in page.headers
    assert "Teams make the data anonymous" in page.text
    assert 'data-until="2026-05-02T00:00:00Z"' in page.text
    assert "12:00:00" in page.text
    assert "Sat 2 May 2026 09:00 JST" in page.text
    arena.clock.set(BEGIN + 2.5 * DAY)
    assert "Teams attack one another" in web.get("/").text


def test_announcements_are_shown_as_text(arena, web):
    with arena.database.transaction() as session:
        session.add(Announcement(id="a" * 32, at=arena.now(), text="<script>alert(1)</script>"))
    page = web.get("/").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_every_page_for_visitors_answers_and_asks_nothing_of_other_hosts(web):
    for path in ("/", "/rules", "/login", "/register", "/api"):
        for lang in languages.LANGUAGES:
            page = web.get(path, params={"lang": lang})
            assert page.status_code == 200, path
            assert not re.search(r'(?:src|href|action)="(?:https?:)?//', page.text), path
            assert not re.search(r"<script(?! src=\"/static/)|<style| style=| on\w+=\"", page.text), path


# --- doors


def test_registering_gives_an_account_and_a_fresh_session(arena, web):
    token = csrf(web, "/register")
    before = web.cookies[session.COOKIE]
    answer = web.post("/register", data={"csrf": token, "name": "Ann", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/team?said=welcome")
    assert web.cookies[session.COOKIE] != before
    assert "Your account is made" in web.get(answer.headers["location"]).text
    again = web.post("/register", data={"csrf": csrf(web, "/account"), "name": "aNN ", "password": PASSWORD})
    assert again.status_code == 409
    assert "this name is taken" in again.text


def test_the_cookie_changes_at_login_and_the_old_one_is_worth_nothing(arena, web, another):
    account(arena, "Ann")
    token = csrf(web)
    planted = web.cookies[session.COOKIE]
    answer = web.post("/login", data={"csrf": token, "name": "ann", "password": PASSWORD, "next": "/rules"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/rules")
    assert web.cookies[session.COOKIE] != planted
    thief = another()
    thief.cookies.set(session.COOKIE, planted)
    assert thief.get("/account").headers["location"].startswith("/login")
    assert "Ann" in web.get("/account").text


def test_an_id_the_server_never_gave_is_not_taken_up(arena, web):
    account(arena, "Ann")
    web.cookies.set(session.COOKIE, "chosen-by-a-thief")
    log_in(web, "Ann")
    given = {cookie.value for cookie in web.cookies.jar if cookie.name == session.COOKIE}
    with arena.database.reading() as db:
        assert doors.find_session(db, "chosen-by-a-thief", arena.now()) is None
        assert any(doors.find_session(db, one, arena.now()) for one in given)


def test_flags_of_the_cookie(arena):
    from starlette.testclient import TestClient

    for secure in (False, True):
        with TestClient(create_app(arena, worker=False, secure_cookies=secure)) as client:
            answer = client.get("/login")
            flags = answer.headers["set-cookie"].lower()
            assert "httponly" in flags
            assert "samesite=lax" in flags
            assert ("secure" in flags) is secure
            assert ("strict-transport-security" in answer.headers) is secure


def test_visitors_who_look_at_a_form_leave_nothing_behind(arena, another):
    tokens = {csrf(another()) for _ in range(3)}
    assert len(tokens) == 3
    with arena.database.reading() as db:
        assert db.query(Session).count() == 0


def test_a_form_left_open_over_the_end_of_a_session_still_logs_in(arena, web):
    account(arena, "Ann")
    log_in(web, "Ann")
    arena.clock.move(doors.SESSION_LIFE)
    assert web.get("/account").status_code == 303
    assert log_in(web, "Ann").status_code == 303


def test_logging_out_ends_the_session_in_the_database(arena, web, another):
    account(arena, "Ann")
    log_in(web, "Ann")
    stolen = web.cookies[session.COOKIE]
    web.post("/logout", data={"csrf": csrf(web, "/account")})
    thief = another()
    thief.cookies.set(session.COOKIE, stolen)
    assert thief.get("/account").status_code == 303
    with arena.database.reading() as db:
        assert db.query(Session).filter(Session.account_id.is_not(None)).count() == 0


def test_a_new_password_logs_out_the_other_browsers(arena, web, another):
    account(arena, "Ann")
    other = another()
    log_in(web, "Ann")
    log_in(other, "Ann")
    wrong = web.post("/account/password", data={"csrf": csrf(web, "/account"), "old": "x" * 12, "new": "y" * 12})
    assert wrong.status_code == 403
    assert other.get("/account").status_code == 200
    before = web.cookies[session.COOKIE]
    web.post("/account/password", data={"csrf": csrf(web, "/account"), "old": PASSWORD, "new": "y" * 12})
    assert web.cookies[session.COOKIE] != before
    assert web.get("/account").status_code == 200
    assert other.get("/account").status_code == 303
    assert log_in(another(), "Ann").status_code == 401
    assert log_in(another(), "Ann", "y" * 12).status_code == 303


def test_logging_in_as_somebody_else_ends_the_session_before(arena, web, another):
    account(arena, "Ann")
    account(arena, "Bob")
    log_in(web, "Ann")
    before = web.cookies[session.COOKIE]
    web.post("/login", data={"csrf": csrf(web, "/account"), "name": "Bob", "password": PASSWORD})
    assert "Bob" in web.get("/account").text
    old = another()
    old.cookies.set(session.COOKIE, before)
    assert old.get("/account").status_code == 303


@pytest.mark.parametrize(
    "path", ["//evil.example", "///evil.example", "https://evil.example", "/\\evil.example", "evil", "/\t/evil", ""]
)
def test_nobody_is_sent_to_another_site_after_login(arena, web, path):
    account(arena, "Ann")
    assert log_in(web, "Ann", next=path).headers["location"] == "/"


def test_a_page_for_members_leads_to_the_login_and_back(arena, web):
    account(arena, "Ann")
    answer = web.get("/team?round=final")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=/team%3Fround%3Dfinal")
    shown = web.get(answer.headers["location"]).text
    assert 'name="next" value="/team?round=final"' in shown


def test_guessing_a_password_is_slowed_down_for_account_and_address(arena, web, another, monkeypatch):
    account(arena, "Ann")
    monkeypatch.setitem(doors.TRIES, "account", 3)
    for _ in range(3):
        assert log_in(web, "Ann", "wrong wrong wrong").status_code == 401
    slowed = log_in(another(), "Ann")
    assert slowed.status_code == 429
    assert 0 < int(slowed.headers["retry-after"]) <= doors.WINDOW.total_seconds() + 1
    monkeypatch.setitem(doors.TRIES, "address", 4)
    assert log_in(web, "Bob").status_code == 401
    assert log_in(web, "Cyd").status_code == 429
    arena.clock.move(doors.WINDOW)
    assert log_in(web, "Ann").status_code == 303


def test_a_rival_cannot_keep_a_team_out_of_a_browser_it_has_used(arena, web, another, monkeypatch):
    ann = account(arena, "Ann")
    account(arena, "Eve")
    monkeypatch.setitem(doors.TRIES, "account", 2)
    rival = another()
    log_in(web, "Ann")
    log_in(rival, "Eve")
    for browser in (web, rival):
        browser.post("/logout", data={"csrf": csrf(browser, "/account")})
    assert [log_in(rival, "Ann", "wrong wrong wrong").status_code for _ in range(3)] == [401, 401, 429]
    assert log_in(another(), "Ann").status_code == 429
    rival.cookies.clear()
    rival.cookies.set(acquainted.COOKIE, f"{ann}.{'a' * 32}.{'0' * 32}", path="/login")
    assert log_in(rival, "Ann").status_code == 429
    assert log_in(web, "Ann").status_code == 303


def test_a_browser_that_is_known_has_no_endless_tries_either(arena, web, monkeypatch):
    account(arena, "Ann")
    monkeypatch.setitem(doors.TRIES, "browser", 2)
    log_in(web, "Ann")
    web.post("/logout", data={"csrf": csrf(web, "/account")})
    assert [log_in(web, "Ann", "wrong wrong wrong").status_code for _ in range(3)] == [401, 401, 429]


def test_an_unknown_name_is_answered_like_a_wrong_password(arena, web):
    account(arena, "Ann")
    answers = [log_in(web, name, "wrong wrong wrong") for name in ("Ann", "Nobody")]
    texts = {re.sub(r'value="[^"]*"|data-\w+="[^"]*"', "", one.text) for one in answers}
    assert {one.status_code for one in answers} == {401}
    assert len(texts) == 1


def test_mass_registration_is_slowed_down_though_it_succeeds(arena, another, monkeypatch):
    monkeypatch.setitem(doors.TRIES, "register", 2)
    monkeypatch.setattr(doors, "hashed", lambda password: STORED)
    answers = []
    for number in range(3):
        browser = another()
        fields = {"csrf": csrf(browser, "/register"), "name": f"n{number}", "password": PASSWORD}
        answers.append(browser.post("/register", data=fields).status_code)
    assert answers == [303, 303, 429]


def test_a_proxy_is_believed_only_where_there_is_one(arena):
    from starlette.testclient import TestClient

    kept = {}
    for behind in (False, True):
        with TestClient(create_app(arena, worker=False, behind_proxy=behind), client=("10.0.0.1", 5)) as client:
            client.headers["x-forwarded-for"] = "6.6.6.6, 2001:db8:1:2:3:4:5:6"
            client.post("/login", data={"csrf": csrf(client), "name": "Ann", "password": "x"})
        with arena.database.transaction() as db:
            kept[behind] = {one.key for one in db.query(Attempt) if one.key.startswith("address:")}
            db.query(Attempt).delete()
    assert kept == {False: {"address:10.0.0.1"}, True: {"address:2001:db8:1:2::/64"}}


def test_a_crowd_at_the_door_leaves_the_pages_alone(arena, web, monkeypatch):
    """More logins wait than the server has threads; a page is answered meanwhile."""
    hold = threading.Event()
    monkeypatch.setattr(doors, "fits", lambda password, stored: hold.wait(20) and False)
    monkeypatch.setitem(doors.TRIES, "account", 1000)
    monkeypatch.setitem(doors.TRIES, "address", 1000)
    token = csrf(web)
    with ThreadPoolExecutor(60) as crowd:
        waiting = [
            crowd.submit(web.post, "/login", data={"csrf": token, "name": "Ann", "password": "x"}) for _ in range(60)
        ]
        try:
            assert web.get("/rules").status_code == 200
            assert not any(one.done() for one in waiting)
        finally:
            hold.set()
        assert {one.result().status_code for one in waiting} == {401}


def test_the_doors_on_both_databases(make_arena, database_url):
    """Names with a zero byte, the same name twice at once, failures at once: no answer but the ones meant."""
    from starlette.testclient import TestClient

    arena = make_arena(database_url)
    with TestClient(create_app(arena, worker=False), raise_server_exceptions=False, follow_redirects=False) as web:
        token = csrf(web)
        zero = web.post("/login", data={"csrf": token, "name": "A\0", "password": "x"})
        assert zero.status_code == 422
        assert web.post("/api/v1/tokens", json={"name": "A\0", "password": "x"}).status_code in (401, 422)

        def register(_: int):
            return people.register(arena.database, arena.definition, "Ann", STORED, "", "1.2.3.4", arena.now())

        def attempt(work, number: int):
            try:
                return work(number)
            except Refused as refusal:
                return refusal.status

        def fail(_: int):
            return doors.login(arena.database, "Ann", "wrong wrong wrong", "1.2.3.4", arena.now())

        with ThreadPoolExecutor(6) as pool:
            made = list(pool.map(partial(attempt, register), range(6)))
            assert sorted(one for one in made if isinstance(one, int)) == [409] * 5
            failed = list(pool.map(partial(attempt, fail), range(doors.TRIES["account"] + 5)))
        assert (failed.count(401), failed.count(429)) == (doors.TRIES["account"], 5)
        arena.clock.move(doors.WINDOW)
        assert log_in(web, "Ann").status_code == 303


# --- forged forms

FORMS = ("/logout", "/account/password", "/account/tokens", "/team/found", "/team/join", "/team/invite", "/team/leave")


@pytest.mark.parametrize(
    ("token", "headers"),
    [
        (None, {}),
        ("", {}),
        ("häß\U0001f525", {}),
        ("other", {}),
        ("own", {"sec-fetch-site": "cross-site"}),
        ("own", {"sec-fetch-site": "same-site"}),
        ("own", {"origin": "https://evil.example"}),
        ("own", {"sec-fetch-site": "cross-site", "origin": "http://testserver"}),
    ],
)
def test_a_forged_form_changes_nothing(arena, web, another, token, headers):
    account(arena, "Ann")
    log_in(web, "Ann")
    sent = {"own": csrf(web, "/account"), "other": csrf(another())}.get(token or "", token)
    fields = {"name": "Snow", "code": "x", "old": PASSWORD, "new": "y" * 12, **({} if sent is None else {"csrf": sent})}
    for path in FORMS:
        assert web.post(path, data=fields, headers=headers).status_code == 403, path
        assert web.get(path).status_code in (404, 405), path
    page = web.get("/team").text
    assert "You are in no team yet" in page
    assert "Snow" not in page
    assert log_in(another(), "Ann").status_code == 303


@pytest.mark.parametrize(
    "headers", [{"sec-fetch-site": "same-origin"}, {"origin": "http://testserver"}, {"origin": "null"}]
)
def test_an_honest_form_is_taken(arena, web, headers):
    account(arena, "Ann")
    log_in(web, "Ann")
    fields = {"csrf": csrf(web, "/team"), "name": "Snow"}
    assert web.post("/team/found", data=fields, headers=headers).status_code == 303
    assert "Snow" in web.get("/team").text


def test_a_program_needs_no_form_token_but_a_browser_does(arena, web):
    made = account(arena, "Ann")
    with arena.database.transaction() as db:
        secret = doors.new_token(db, db.get(Account, made), "laptop", arena.now())
    release = "/api/v1/releases/" + "a" * 32 + "/withdraw"
    by_token = {"authorization": f"Bearer {secret}"}
    assert web.post(release, headers=by_token).status_code == 404
    assert web.post(release, headers={"authorization": "Bearer ifa_wrong"}).status_code == 401
    log_in(web, "Ann")
    assert web.post(release).status_code == 403
    assert web.post(release, headers={"x-csrf-token": csrf(web, "/account")}).status_code == 404
    assert web.get("/account", headers=by_token).status_code == 200


# --- teams


def test_a_captain_invites_and_somebody_joins(arena, web, another):
    for name in ("Ann", "Bob"):
        account(arena, name)
    bob = another()
    log_in(web, "Ann")
    log_in(bob, "Bob")
    web.post("/team/found", data={"csrf": csrf(web, "/team"), "name": "Snow"})
    page = web.post("/team/invite", data={"csrf": csrf(web, "/team")}).text
    code = re.search(r'<code class="copy">([^<]+)', page).group(1)
    wrong = bob.post("/team/join", data={"csrf": csrf(bob, "/team"), "code": "a guess"})
    assert wrong.status_code == 403
    assert "not valid" in wrong.text
    joined = bob.post("/team/join", data={"csrf": csrf(bob, "/team"), "code": code})
    assert joined.headers["location"] == "/team?said=joined"
    assert "Snow" in bob.get("/team").text
    assert bob.post("/team/invite", data={"csrf": csrf(bob, "/team")}).status_code == 403
    bob.post("/team/leave", data={"csrf": csrf(bob, "/team")})
    assert "You are in no team yet" in bob.get("/team").text


def test_wrong_codes_are_counted(arena, web, monkeypatch):
    monkeypatch.setitem(doors.TRIES, "invite", 2)
    account(arena, "Ann")
    log_in(web, "Ann")
    token = csrf(web, "/team")
    assert [web.post("/team/join", data={"csrf": token, "code": "x"}).status_code for _ in range(3)] == [403, 403, 429]


def test_a_form_sent_twice_at_once_founds_one_team(arena, web):
    account(arena, "Ann")
    log_in(web, "Ann")
    token = csrf(web, "/team")
    with ThreadPoolExecutor(2) as pool:
        sent = [pool.submit(web.post, "/team/found", data={"csrf": token, "name": f"Snow {n}"}) for n in (1, 2)]
    assert sorted(one.result().status_code for one in sent) == [303, 409]


def test_names_are_shown_as_text(arena, web):
    made = player(arena, "<b>Ann</b>", "<img src=x onerror=alert(1)>")
    with arena.database.transaction() as db:
        db.get(Account, made.account_id).password = str(STORED)
    log_in(web, "<b>Ann</b>")
    for path in ("/", "/team", "/account"):
        assert "<b>Ann" not in web.get(path).text
        assert "<img src=x" not in web.get(path).text


def test_a_token_is_shown_once_and_can_be_taken_away(arena, web, another):
    account(arena, "Ann")
    account(arena, "Bob")
    log_in(web, "Ann")
    page = web.post("/account/tokens", data={"csrf": csrf(web, "/account"), "name": "laptop"}).text
    secret = re.search(r"ifa_[\w-]+", page).group(0)
    later = web.get("/account").text
    assert "laptop" in later
    assert secret not in later
    remove = re.search(r'action="(/account/tokens/\w+/remove)"', later).group(1)
    bob = another()
    log_in(bob, "Bob")
    assert bob.post(remove, data={"csrf": csrf(bob, "/account")}).status_code == 404
    assert web.get("/account", headers={"authorization": f"Bearer {secret}"}).status_code == 200
    web.post(remove, data={"csrf": csrf(web, "/account")})
    assert web.get("/api/v1/contest", headers={"authorization": f"Bearer {secret}"}).status_code == 401


# --- what surrounds every answer


def test_headers_of_every_kind_of_answer(arena, web):
    for path, kept in (
        ("/", "no-store"),
        ("/nothing", "no-store"),
        ("/api/v1/contest", "no-store"),
        (templating.asset("arena.css"), "immutable"),
        ("/favicon.ico", "no-store"),
    ):
        headers = web.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert kept in headers["cache-control"]


def test_a_failure_of_the_program_shows_no_trace(arena, web, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(templating, "theme_of", fail)
    page = web.get("/rules")
    assert page.status_code == 500
    assert "secret detail" not in page.text
    assert "RuntimeError" not in page.text
    assert "something went wrong" in page.text
    assert "content-security-policy" in page.headers
    monkeypatch.undo()
    monkeypatch.setattr(live, "newest", fail)
    assert "secret detail" not in web.get("/rules").text


def test_errors_are_pages_for_people_and_json_for_programs(web):
    page = web.get("/nothing")
    assert page.status_code == 404
    assert "there is nothing here" in page.text
    assert "<html" in page.text
    assert web.get("/api/v1/nothing").json() == {"error": "there is nothing here", "problems": []}
    assert web.get("/rules%00").status_code == 404
    assert web.get("/board?round=%00").status_code == 404
    assert web.request("TRACE", "/rules").status_code == 405


def test_a_body_is_counted_while_it_comes(arena, web):
    token = csrf(web)
    small = {"csrf": token, "name": "Ann", "password": "x" * 100}
    assert web.post("/login", data=small).status_code == 401
    large = {**small, "password": "x" * security.SMALL_BODY}
    assert web.post("/login", data=large).status_code == 413

    def unannounced():
        yield f"csrf={token}&name=Ann&password=".encode()
        for _ in range(40):
            yield b"x" * (security.SMALL_BODY // 20)

    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = web.post("/login", content=unannounced(), headers=headers)
    assert answer.status_code == 413
    assert "256 kB" in answer.text
    assert (
        web.post("/api/v1/tokens", json={"name": "x" * security.SMALL_BODY}).json()["error"].startswith("this is too")
    )


def test_uploads_may_be_as_large_as_the_rules_say(make_arena):
    from starlette.testclient import TestClient

    arena = make_arena(more="max_upload_mb = 1")
    made = player(arena, "Ann", "Snow")
    with arena.database.transaction() as db:
        secret = doors.new_token(db, db.get(Account, made.account_id), "laptop", arena.now())
    with TestClient(create_app(arena, worker=False), headers={"authorization": f"Bearer {secret}"}) as web:

        def send(size: int):
            files = {name: (f"{name}.csv", b"x" * size) for name in ("released", "correspondence")}
            return web.post("/api/v1/releases", files=files)

        assert send(1 << 19).status_code == 422
        told = send((1 << 20) + 1)
        assert (told.status_code, "1 MB" in told.json()["error"]) == (413, True)
        assert send(3 << 20).status_code == 413


# --- languages


def test_both_languages_have_the_same_words_with_the_same_values():
    english, japanese = (languages.read(name) for name in ("en", "ja"))
    assert english.keys() == japanese.keys()
    for key, word in english.items():
        told = japanese[key]
        assert isinstance(word, str) == isinstance(told, str), key
        one, other = (each if isinstance(each, str) else each["other"] for each in (word, told))
        assert languages.fields(one) == languages.fields(other), key


def test_every_word_a_template_asks_for_is_there():
    known = languages.read("en")
    folder = Path(templating.__file__).parent / "templates"
    asked = {
        (path.name, key)
        for path in folder.rglob("*.html")
        for key in re.findall(r"""\bt(?:\.plain)?\(["']([\w.]+)["'][,)]""", path.read_text(encoding="utf-8"))
    }
    assert len(asked) > 100
    assert sorted(one for one in asked if one[1] not in known) == []


def test_words_are_escaped_and_counted():
    words = languages.of("en")
    assert words("home.why", rate="3 %", by="<b>") == "3 % identified at most, by &lt;b&gt;"
    assert words("home.why", rate="3 %", by=Markup("<b>x</b>")).endswith("<b>x</b>")
    assert words("home.why_fire", identified=1, tests=1000, n=1) == "identified 1 of 1,000 records in 1 release"
    assert words("home.why_fire", identified=1, tests=1000, n=2).endswith("in 2 releases")


@pytest.mark.parametrize(
    ("asked", "cookie", "accepted", "spoken"),
    [
        ("ja", "en", "en", "ja"),
        (None, "ja", "en", "ja"),
        ("xx", "../ja", "ja;q=0.2, en-GB;q=0.7", "en"),
        (None, None, "fr, ja-JP;q=0.9, en;q=0.5", "ja"),
        (None, None, "ja;q=0, *", "en"),
        (None, None, "", "en"),
        (None, None, ";;;q=x,,ja;q=", "en"),
    ],
)
def test_which_language_is_spoken(asked, cookie, accepted, spoken):
    assert languages.chosen(asked, cookie, accepted) == spoken


def test_language_and_theme_are_kept_without_a_script(web):
    page = web.get("/rules?lang=ja&theme=dark&round=final")
    assert 'lang="ja" data-theme="dark"' in page.text
    assert 'href="/rules?round=final&amp;lang=en"' in page.text
    assert 'lang="ja" data-theme="dark"' in web.get("/").text
    assert 'lang="en" data-theme="auto"' in web.get("/?lang=en&theme=auto").text


def test_what_the_server_says_is_translated_with_what_it_holds(arena, web):
    assert languages.translated("released.csv: row 3, column age: 'x' is not allowed; one of a, b", "ja") == (
        "released.csv：行 3、列 age：'x' は使えません。次のどれかにしてください：a, b"
    )
    assert languages.translated("something nobody ever said", "ja") == "something nobody ever said"
    assert languages.translated("a password has 10 to 200 characters", "en").startswith("a password")
    web.cookies.set(languages.COOKIE, "ja")
    assert "名前またはパスワードが違います" in log_in(web, "Ann").text
    assert "ここには何もありません" in web.get("/nothing").text


def refusals() -> list[str]:
    """Every sentence the arena refuses something with to people; what is filled in is 7."""
    names = {one.__name__ for one in Refused.__subclasses__()} | {"Refused"}
    files = [path for path in Path(arena_package.__file__).parent.rglob("*.py") if path.parent.name != "api"]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    calls = [one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.args]
    return [said for one in calls if one.func.id in names and (said := sentence(one.args[0]))]


def sentence(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(one.value if isinstance(one, ast.Constant) else "7" for one in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_every_refusal_is_known_in_japanese():
    said = refusals()
    assert len(said) > 60
    assert sorted({one for one in said if languages.translated(one, "ja") == one}) == []


# --- times


def test_times_are_told_in_the_zone_and_in_utc():
    at = datetime(2026, 5, 1, 20, 30, tzinfo=UTC)
    told = times.when(at, ZoneInfo("Asia/Tokyo"), "en")
    assert 'datetime="2026-05-01T20:30:00Z"' in told
    assert "Sat 2 May 2026 05:30 JST" in told
    assert "(Fri 1 May 2026 20:30 UTC)" in told
    assert "2026年5月2日(土) 05:30 JST" in times.when(at, ZoneInfo("Asia/Tokyo"), "ja")
    assert "UTC)" not in times.when(at, ZoneInfo("UTC"), "en")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "00:00:00"), (-5, "00:00:00"), (3725, "01:02:05"), (86399, "23:59:59"), (93600, "1 d 2 h")],
)
def test_time_left(seconds, told):
    assert times.left(seconds, languages.of("en")) == told


# --- parts of pages made once


def test_of_many_who_ask_at_once_one_makes_the_part():
    made, begin = [], threading.Barrier(8)
    cache = Fragments()

    def make() -> Markup:
        made.append(1)
        time.sleep(0.05)
        return Markup("")

    def ask(_: int) -> Markup:
        begin.wait()
        return cache.get("key", make)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
    assert len(made) == 1
    cache.get("another", make)
    assert len(made) == 2


def test_a_part_that_could_not_be_made_is_tried_again():
    cache = Fragments()
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: Markup(1 // 0))
    assert cache.get("key", lambda: Markup("made")) == "made"


# --- live events


@pytest.fixture
def served(arena):
    """A real server on a port of its own; its clock is the test's."""
    import uvicorn

    config = uvicorn.Config(create_app(arena, worker=False), port=0, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield server, thread, f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)


def marks(lines, wanted: int) -> list[str]:
    """Read so many events from a stream."""
    found: list[str] = []
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        if line.startswith("data: ") and kind == "change":
            found.append(line.removeprefix("data: "))
        if len(found) == wanted:
            break
    return found


def test_watchers_hear_of_public_events_and_of_phases_and_of_nothing_else(arena, served):
    _, _, address = served
    with httpx.stream("GET", f"{address}/events", timeout=20) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        lines = stream.iter_lines()
        assert marks(lines, 1) == ["0.anonymise"]
        with arena.database.transaction() as db:
            log.write(db, arena.now(), "judge", "scored", guess="secret-id")
            log.write(db, arena.now(), "ann", "login")
        time.sleep(1.5 * live.EVERY_SECONDS)
        with arena.database.transaction() as db:
            log.write(db, arena.now(), "ann", "team", team="x")
        assert marks(lines, 1) == ["3.anonymise"]
        arena.clock.set(BEGIN + 2.5 * DAY)  # in line 4 the board is frozen
        assert marks(lines, 1) == ["4.attack"]
    assert 'data-mark="4.attack"' in httpx.get(address).text


PATIENT = """
import sys, socket, uvicorn
from pathlib import Path
from icefire.arena.arena import open_arena
from icefire.arena.web.app import create_app
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
app = create_app(open_arena(Path(sys.argv[1])), worker=False)
uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=None)).run([listener])
"""


def test_a_server_that_waits_for_all_answers_stops_though_somebody_watches(arena):
    with subprocess.Popen([sys.executable, "-c", PATIENT, str(arena.folder)], stdout=subprocess.PIPE) as server:
        try:
            address = f"http://127.0.0.1:{int(server.stdout.readline())}"
            with httpx.stream("GET", f"{address}/events", timeout=60) as stream:
                assert marks(stream.iter_lines(), 1)
                server.terminate()
                server.wait(30)
        finally:
            server.kill()


def test_the_judge_works_inside_the_server_if_it_is_told_to(arena):
    from starlette.testclient import TestClient

    def judging() -> list[str]:
        return [one.name for one in threading.enumerate() if one.name == "icefire-worker"]

    with TestClient(create_app(arena, worker=False)):
        assert judging() == []
    arena.clock.move(timedelta(seconds=1))
    with TestClient(create_app(arena, worker=True)):
        assert len(judging()) == 1
    assert judging() == []
