"""Terms of the data: nobody downloads any of it before accepting them."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient
from support.arena.fixtures import BEGIN, DAY, player, release_files
from support.arena.played import run_here
from support.arena.web import STORED, _quick_passwords, account, csrf, log_in  # noqa: F401

from icefire.arena.auth import accepted_terms
from icefire.arena.client import Client, Denied
from icefire.arena.contest.arena import open_arena
from icefire.arena.errors import Clash
from icefire.arena.judge import sandbox
from icefire.arena.storage.tables import AccountRow, EventRow
from icefire.arena.submit import ice
from icefire.arena.web.app import create_app
from icefire.core.errors import InputError

TERMS = 'terms = { en = "For this contest <b>only</b>.", ja = "この大会のみ。" }'
ORIGINAL = "/data/final/original.csv"


@pytest.fixture
def bound(make_arena, original, monkeypatch):
    """A competition whose data has terms, with one release that may be attacked, and a browser."""
    monkeypatch.setattr(sandbox, "run_task", run_here)
    arena = make_arena(more=TERMS)
    release = ice.submit(arena, player(arena, "Ann", "Snow"), "final", release_files(original)).id
    arena.clock.set(BEGIN + 2.5 * DAY)
    with TestClient(create_app(arena, worker=False), follow_redirects=False) as browser:
        yield arena, browser, release


def test_data_waits_for_the_terms_on_pages(bound):
    arena, browser, release = bound
    files = (ORIGINAL, f"/releases/{release}/files/released.csv")
    for path in files:
        assert browser.get(path).headers["location"] == f"/login?next={path}"
    for role in ("player", "judge", "organiser", "admin"):
        account(arena, role, role)
        browser.cookies.clear()
        log_in(browser, role)
        for path in files:
            assert browser.get(path).headers["location"] == f"/terms?next={path}", role
    page = browser.get(f"/terms?next={ORIGINAL}").text
    assert "For this contest &lt;b&gt;only&lt;/b&gt;." in page
    assert "この大会のみ。" in browser.get("/terms?lang=ja").text
    sha256 = re.search(r'name="sha256" value="(\w+)"', page).group(1)
    token = csrf(browser, "/terms")
    stale = browser.post("/terms", data={"csrf": token, "sha256": "0" * 64})
    assert stale.status_code == 409
    sent = {"csrf": token, "sha256": sha256, "next": "https://evil.example/"}
    assert browser.post("/terms", data=sent).headers["location"] == "/rules"
    for path in files:
        assert browser.get(path).status_code == 200
    assert "/releases" not in browser.get("/terms").text
    with arena.database.reading() as session:
        (line,) = session.scalars(select(EventRow).where(EventRow.kind == "terms")).all()
        assert session.get_one(AccountRow, line.actor).name == "admin"
        assert line.body == {"sha256": sha256}


def test_data_waits_for_the_terms_in_the_api_and_the_client(bound, tmp_path):
    arena, browser, release = bound
    account(arena, "Bob")
    client = Client("http://testserver", http=browser)
    for _ in range(2):
        with pytest.raises((Denied, InputError)) as refusal:
            client.originals("final", tmp_path)
        assert getattr(refusal.value, "status", 401) in (401, 403)
        client.login("Bob", "correct horse battery")
    with pytest.raises(Denied, match="accept the terms"):
        client.download(release, tmp_path)
    assert client.accept_terms() == {"en": "For this contest <b>only</b>.", "ja": "この大会のみ。"}
    assert client.originals("final", tmp_path)[0].read_bytes() == (arena.folder / "original.csv").read_bytes()
    assert client.download(release, tmp_path / "r")[0].is_file()


def test_other_terms_are_accepted_anew(bound, tmp_path):
    arena, _, _ = bound
    bob = player(arena, "Bob")
    with arena.database.transaction() as session:
        from icefire.arena.contest import terms

        accepted_terms.accept(session, arena, bob, terms.sha256(arena.definition))
        assert accepted_terms.accepted(session, arena, bob)
    path = arena.folder / "contest.toml"
    path.write_text(path.read_text().replace("only", "and no other"))
    changed = open_arena(arena.folder, clock=arena.clock)
    with changed.database.transaction() as session:
        assert not accepted_terms.accepted(session, changed, bob)
        with pytest.raises(Clash):
            accepted_terms.accept(session, changed, bob, terms.sha256(arena.definition))
    changed.database.close()


def test_without_terms_nothing_is_asked(arena, make_arena):
    with TestClient(create_app(arena, worker=False), follow_redirects=False) as browser:
        assert browser.get(ORIGINAL).status_code == 200
        assert "no terms of its own" in browser.get("/terms").text
    with pytest.raises(InputError, match="terms has 'fr'"):
        make_arena(more='terms = { fr = "oui" }')
