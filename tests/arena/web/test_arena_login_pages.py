"""Doors and forms: who gets in, what a forged form can do, and what an account shows."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from support.arena.fixtures import player
from support.arena.web import PASSWORD, STORED, _quick_passwords, account, another, csrf, log_in, web  # noqa: F401

from icefire.arena.auth import accounts, login, passwords, sessions, throttling
from icefire.arena.auth import tokens as tokens_module
from icefire.arena.errors import Refused
from icefire.arena.storage.tables import AccountRow, AttemptRow, BrowserSessionRow
from icefire.arena.web import known_browsers, logging_in, session
from icefire.arena.web.app import create_app

# --- doors


def test_registering_gives_an_account_and_a_fresh_session(arena, web):
    token = csrf(web, "/register")
    before = web.cookies[session.cookie_name(arena)]
    answer = web.post("/register", data={"csrf": token, "name": "Ann", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/team?said=welcome")
    assert web.cookies[session.cookie_name(arena)] != before
    assert "Your account is made" in web.get(answer.headers["location"]).text
    again = web.post("/register", data={"csrf": csrf(web, "/account"), "name": "aNN ", "password": PASSWORD})
    assert again.status_code == 409
    assert "this name is taken" in again.text


def test_the_cookie_changes_at_login_and_the_old_one_is_worth_nothing(arena, web, another):
    account(arena, "Ann")
    token = csrf(web)
    planted = web.cookies[session.cookie_name(arena)]
    answer = web.post("/login", data={"csrf": token, "name": "ann", "password": PASSWORD, "next": "/rules"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/rules")
    assert web.cookies[session.cookie_name(arena)] != planted
    thief = another()
    thief.cookies.set(session.cookie_name(arena), planted)
    assert thief.get("/account").headers["location"].startswith("/login")
    assert "Ann" in web.get("/account").text


def test_an_id_the_server_never_gave_is_not_taken_up(arena, web):
    account(arena, "Ann")
    web.cookies.set(session.cookie_name(arena), "chosen-by-a-thief")
    log_in(web, "Ann")
    given = {cookie.value for cookie in web.cookies.jar if cookie.name == session.cookie_name(arena)}
    with arena.database.reading() as db:
        assert sessions.session_owner(db, "chosen-by-a-thief", arena.now()) is None
        assert any(sessions.session_owner(db, one, arena.now()) for one in given)


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
        assert db.query(BrowserSessionRow).count() == 0


def test_a_form_left_open_over_the_end_of_a_session_still_logs_in(arena, web):
    account(arena, "Ann")
    log_in(web, "Ann")
    arena.clock.move(sessions.SESSION_LIFE)
    assert web.get("/account").status_code == 303
    assert log_in(web, "Ann").status_code == 303


def test_logging_out_ends_the_session_in_the_database(arena, web, another):
    account(arena, "Ann")
    log_in(web, "Ann")
    stolen = web.cookies[session.cookie_name(arena)]
    web.post("/logout", data={"csrf": csrf(web, "/account")})
    thief = another()
    thief.cookies.set(session.cookie_name(arena), stolen)
    assert thief.get("/account").status_code == 303
    with arena.database.reading() as db:
        assert db.query(BrowserSessionRow).filter(BrowserSessionRow.account_id.is_not(None)).count() == 0


def test_a_new_password_logs_out_the_other_browsers(arena, web, another):
    account(arena, "Ann")
    other = another()
    log_in(web, "Ann")
    log_in(other, "Ann")
    wrong = web.post("/account/password", data={"csrf": csrf(web, "/account"), "old": "x" * 12, "new": "y" * 12})
    assert wrong.status_code == 403
    assert other.get("/account").status_code == 200
    before = web.cookies[session.cookie_name(arena)]
    web.post("/account/password", data={"csrf": csrf(web, "/account"), "old": PASSWORD, "new": "y" * 12})
    assert web.cookies[session.cookie_name(arena)] != before
    assert web.get("/account").status_code == 200
    assert other.get("/account").status_code == 303
    assert log_in(another(), "Ann").status_code == 401
    assert log_in(another(), "Ann", "y" * 12).status_code == 303


def test_logging_in_as_somebody_else_ends_the_session_before(arena, web, another):
    account(arena, "Ann")
    account(arena, "Bob")
    log_in(web, "Ann")
    before = web.cookies[session.cookie_name(arena)]
    web.post("/login", data={"csrf": csrf(web, "/account"), "name": "Bob", "password": PASSWORD})
    assert "Bob" in web.get("/account").text
    old = another()
    old.cookies.set(session.cookie_name(arena), before)
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
    monkeypatch.setitem(throttling.TRIES, "pair", 3)
    for _ in range(3):
        assert log_in(web, "Ann", "wrong wrong wrong").status_code == 401
    slowed = log_in(another(), "Ann")
    assert slowed.status_code == 429
    assert 0 < int(slowed.headers["retry-after"]) <= throttling.WINDOW.total_seconds() + 1
    monkeypatch.setitem(throttling.TRIES, "address", 4)
    waited = []
    monkeypatch.setattr(login, "SLOW_SECONDS", 0.001)
    real = logging_in.sleep
    monkeypatch.setattr(logging_in, "sleep", lambda seconds: waited.append(seconds) or real(0))
    assert log_in(web, "Bob").status_code == 401
    assert waited == []
    assert log_in(web, "Cyd").status_code == 401
    assert waited == [0.001]
    arena.clock.move(throttling.WINDOW)
    assert log_in(web, "Ann").status_code == 303


def test_a_rival_cannot_keep_a_team_out_of_a_browser_it_has_used(arena, web, another, monkeypatch):
    ann = account(arena, "Ann")
    account(arena, "Eve")
    monkeypatch.setitem(throttling.TRIES, "pair", 2)
    rival = another()
    log_in(web, "Ann")
    log_in(rival, "Eve")
    for browser in (web, rival):
        browser.post("/logout", data={"csrf": csrf(browser, "/account")})
    assert [log_in(rival, "Ann", "wrong wrong wrong").status_code for _ in range(3)] == [401, 401, 429]
    assert log_in(another(), "Ann").status_code == 429
    rival.cookies.clear()
    rival.cookies.set(known_browsers.cookie_name(arena), f"{ann}.{'a' * 32}.{'0' * 32}", path="/login")
    assert log_in(rival, "Ann").status_code == 429
    assert log_in(web, "Ann").status_code == 303


def test_a_browser_that_is_known_has_no_endless_tries_either(arena, web, monkeypatch):
    account(arena, "Ann")
    monkeypatch.setitem(throttling.TRIES, "browser", 2)
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
    monkeypatch.setitem(throttling.TRIES, "register", 2)
    monkeypatch.setattr(passwords, "hashed", lambda password: STORED)
    answers = []
    for number in range(3):
        browser = another()
        fields = {"csrf": csrf(browser, "/register"), "name": f"n{number}", "password": PASSWORD}
        answers.append(browser.post("/register", data=fields).status_code)
    assert answers == [303, 303, 429]


def test_a_proxy_is_believed_only_where_there_is_one(arena):
    from starlette.testclient import TestClient

    kept = {}
    for behind in ((), ("10.9.9.9",), ("10.0.0.1",), ("10.0.0.0/8", "2001:db8:1::/48")):
        with TestClient(create_app(arena, worker=False, behind_proxy=behind), client=("10.0.0.1", 5)) as client:
            client.headers["x-forwarded-for"] = "1.1.1.1, 6.6.6.6, 2001:db8:1:2:3:4:5:6"
            client.post("/login", data={"csrf": csrf(client), "name": "Ann", "password": "x"})
        with arena.database.transaction() as db:
            kept[behind] = {one.key for one in db.query(AttemptRow) if one.key.startswith("address:")}
            db.query(AttemptRow).delete()
    assert list(kept.values()) == [
        {"address:10.0.0.1"},
        {"address:10.0.0.1"},
        {"address:2001:db8:1:2::/64"},
        {"address:6.6.6.6"},
    ]


def test_a_crowd_at_the_door_leaves_the_pages_alone(arena, web, monkeypatch):
    """More logins wait than the server has threads; a page is answered meanwhile."""
    hold = threading.Event()
    monkeypatch.setattr(passwords, "matches", lambda password, stored: hold.wait(20) and False)
    monkeypatch.setitem(throttling.TRIES, "pair", 1000)
    monkeypatch.setitem(throttling.TRIES, "address", 1000)
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
            return accounts.register(arena.database, arena.definition, "Ann", STORED, "", "1.2.3.4", arena.now())

        def attempt(work, number: int):
            try:
                return work(number)
            except Refused as refusal:
                return refusal.status

        def fail(_: int):
            return login.login(arena.database, "Ann", "wrong wrong wrong", "1.2.3.4", arena.now())

        with ThreadPoolExecutor(6) as pool:
            made = list(pool.map(partial(attempt, register), range(6)))
            assert sorted(one for one in made if isinstance(one, int)) == [409] * 5
            failed = list(pool.map(partial(attempt, fail), range(throttling.TRIES["pair"] + 5)))
        assert (failed.count(401), failed.count(429)) == (throttling.TRIES["pair"], 5)
        arena.clock.move(throttling.WINDOW)
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
        secret = tokens_module.new_token(db, db.get(AccountRow, made), "laptop", arena.now())
    release = "/api/v1/releases/" + "a" * 32 + "/withdraw"
    by_token = {"authorization": f"Bearer {secret}"}
    assert web.post(release, headers=by_token).status_code == 404
    assert web.post(release, headers={"authorization": "Bearer ifa_wrong"}).status_code == 401
    log_in(web, "Ann")
    assert web.post(release).status_code == 403
    assert web.post(release, headers={"x-csrf-token": csrf(web, "/account")}).status_code == 404
    assert web.get("/account", headers=by_token).status_code == 200


# --- accounts


def test_names_are_shown_as_text(arena, web):
    made = player(arena, "<b>Ann</b>", "<img src=x onerror=alert(1)>")
    with arena.database.transaction() as db:
        db.get(AccountRow, made.account_id).password = str(STORED)
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
