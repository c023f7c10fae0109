"""The page of a team, for its captain and for the others."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

from support.arena.fixtures import player
from support.arena.web import CSRF, STORED, _quick_passwords, account, another, csrf, log_in, web  # noqa: F401

from icefire.arena.auth import throttling
from icefire.arena.storage.tables import AccountRow, MembershipRow


def let_in(arena, *people):
    with arena.database.transaction() as session:
        for one in people:
            session.get_one(AccountRow, one.account_id).password = str(STORED)


def test_a_captain_leads_the_team_from_its_page(make_arena, arena, web, another):
    ann = player(arena, "Ann", "Snow")
    bob, cid = player(arena, "Bob", join=ann), player(arena, "Cid", join=ann)
    let_in(arena, ann, bob)
    log_in(web, "Ann")
    page = web.get("/team").text
    token = CSRF.search(page).group(1)
    assert page.count("/remove") == 2
    assert "Rename the team" in page
    renamed = web.post("/team/rename", data={"csrf": token, "name": "Powder"})
    assert renamed.headers["location"] == "/team?said=renamed"
    assert web.post("/team/rename", data={"csrf": token, "name": " "}).status_code == 422
    assert web.post(f"/team/members/{cid.account_id}/remove", data={"csrf": token}).status_code == 303
    assert web.post(f"/team/members/{cid.account_id}/remove", data={"csrf": token}).status_code == 404
    assert web.post(f"/team/members/{bob.account_id}/captain", data={"csrf": token}).status_code == 303
    page = web.get("/team?said=handed_over").text
    assert "<h1>Powder</h1>" in page
    assert "The team has a new captain." in page
    assert "/remove" not in page
    assert "/team/rename" not in page
    with arena.database.reading() as session:
        assert session.get(MembershipRow, cid.account_id) is None
        assert session.get_one(MembershipRow, bob.account_id).captain
    other = another()
    log_in(other, "Bob")
    assert "チームから外す" in other.get("/team?lang=ja").text


def test_the_limit_of_members_is_told(make_arena):
    from starlette.testclient import TestClient

    from icefire.arena.web.app import create_app

    arena = make_arena(more="members_per_team = 2")
    ann = player(arena, "Ann", "Snow")
    let_in(arena, ann)
    with TestClient(create_app(arena, worker=False), follow_redirects=False) as browser:
        log_in(browser, "Ann")
        assert "1 of at most 2 members." in browser.get("/team").text
        assert browser.get("/api/v1/contest").json()["members_per_team"] == 2
        assert "At most 2 people" in browser.get("/rules").text


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
    monkeypatch.setitem(throttling.TRIES, "invite", 2)
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
