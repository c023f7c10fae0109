"""The frame of the pages: doors, forged forms, headers, limits, languages, times, live events."""

from __future__ import annotations

import asyncio
import re

from starlette.exceptions import HTTPException
from support.arena.fixtures import BEGIN, DAY, player
from support.arena.web import _quick_passwords, csrf, web  # noqa: F401

from icefire.arena.auth import tokens
from icefire.arena.storage.tables import AccountRow, AnnouncementRow
from icefire.arena.web import assets, live, rendering, security
from icefire.arena.web.app import create_app
from icefire.words.languages import LANGUAGES

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
        session.add(AnnouncementRow(id="a" * 32, at=arena.now(), text="<script>alert(1)</script>"))
    page = web.get("/").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_every_page_for_visitors_answers_and_asks_nothing_of_other_hosts(web):
    for path in ("/", "/rules", "/login", "/register", "/api"):
        for lang in LANGUAGES:
            page = web.get(path, params={"lang": lang})
            assert page.status_code == 200, path
            assert not re.search(r'(?:src|href|action)="(?:https?:)?//', page.text), path
            assert not re.search(r"<script(?! src=\"/static/)|<style| style=| on\w+=\"", page.text), path


# --- what surrounds every answer


def test_headers_of_every_kind_of_answer(arena, web):
    for path, kept in (
        ("/", "no-store"),
        ("/nothing", "no-store"),
        ("/api/v1/contest", "no-store"),
        (assets.asset("arena.css"), "immutable"),
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

    monkeypatch.setattr(rendering, "theme_of", fail)
    page = web.get("/rules")
    assert page.status_code == 500
    assert "secret detail" not in page.text
    assert "RuntimeError" not in page.text
    assert "something went wrong" in page.text
    assert "content-security-policy" in page.headers
    monkeypatch.undo()
    monkeypatch.setattr(live, "mark", fail)
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


def test_what_is_announced_as_far_too_large_is_refused_before_any_of_it_comes():
    answers = []

    async def reads_its_body(scope, receive, send):
        try:
            await receive()
        except HTTPException as refused:
            answers.append(refused.status_code)

    async def nothing_comes():
        raise AssertionError("it waited for the body")

    headers = [(b"content-length", b"500000000")]
    scope = {"type": "http", "path": "/api/v1/releases", "headers": headers}
    asyncio.run(security.BodyLimit(reads_its_body, 1 << 20)(scope, nothing_comes, None))
    assert answers == [413]


def test_uploads_may_be_as_large_as_the_rules_say(make_arena):
    from starlette.testclient import TestClient

    arena = make_arena(more="max_upload_mb = 1")
    made = player(arena, "Ann", "Snow")
    with arena.database.transaction() as db:
        secret = tokens.new_token(db, db.get(AccountRow, made.account_id), "laptop", arena.now())
    with TestClient(create_app(arena, worker=False), headers={"authorization": f"Bearer {secret}"}) as web:

        def send(size: int):
            files = {name: (f"{name}.csv", b"x" * size) for name in ("released", "correspondence")}
            return web.post("/api/v1/releases", files=files)

        assert send(1 << 19).status_code == 422
        told = send((1 << 20) + 1)
        assert (told.status_code, "1 MB" in told.json()["error"]) == (413, True)
        assert send(3 << 20).status_code == 413
