"""Boards, matrix and releases through the API: what is shared among all who look is what each would get alone."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter
from sqlalchemy import delete, event, select, update
from starlette.testclient import TestClient
from support.arena.played import DAY
from support.arena.server import token

from icefire.arena.auth import sessions
from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import freezing, matrix, reading
from icefire.arena.judge import worker
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow, GuessRow, IdentifiedRow, ReleaseRow, TeamRow
from icefire.arena.submit import fire
from icefire.arena.web import live
from icefire.arena.web.api import models, serialize
from icefire.arena.web.app import create_app
from icefire.arena.web.session import cookie_name

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")


@pytest.fixture
def asked(played):
    """Ask the API as somebody: asked(actor, what)."""
    with TestClient(create_app(played.arena, worker=False)) as client:

        def ask(actor, what: str):
            headers = {} if actor is VISITOR else {"Authorization": f"Bearer {token(played.arena, actor)}"}
            return client.get(f"/api/v1/{what}?round=final", headers=headers).raise_for_status().json()

        yield ask


def alone(arena, actor) -> dict[str, object]:
    """What somebody gets for whom everything is read alone, written by the models of the API."""
    with arena.database.reading() as session:
        facts = reading.round_facts(session, arena, "final", actor)
        board = freezing.board(arena, session, actor, "final")
        overall = freezing.all_rounds(arena, session, actor)
    whole = matrix.round_matrix(facts)
    shown = serialize.releases_here(whole.releases, facts, arena, actor)
    cells = models.MatrixHere(round="final", attackers=whole.attackers, releases=shown, cells=whole.cells)
    every = models.Releases(round="final", releases=serialize.releases_here(facts.releases, facts, arena, actor))
    return {"board": board, "overall": overall, "matrix": cells, "releases": every}


@pytest.mark.parametrize("phase", ["anonymise", "freeze", "attack", "reveal"])
def test_everybody_gets_their_own_view(played, asked, phase):
    arena = played.arena
    arena.clock.set(arena.round("final").starts()[phase] + DAY / 2)
    freezing.keep_up(arena)
    for actor in (VISITOR, *played.teams, played.admin, VISITOR):
        for what, expected in alone(arena, actor).items():
            assert asked(actor, what) == _adapted(expected), (what, actor)


def _adapted(value):
    """Return a record as pydantic writes it, without the fields that are left out of the API."""
    return TypeAdapter(type(value)).dump_python(value, mode="json")


def test_a_change_is_seen_at_once(played, asked):
    arena = played.arena
    freezing.keep_up(arena)
    before = asked(VISITOR, "matrix")
    with arena.database.transaction() as session:
        session.execute(update(TeamRow).where(TeamRow.id == played.teams[1].team_id).values(name="Renamed"))
    assert asked(VISITOR, "matrix") == before  # nothing was told to have changed
    with arena.database.transaction() as session:
        log.write(session, arena.now(), "admin", "team", name="Renamed")
    assert "Renamed" in [team["name"] for team in asked(VISITOR, "matrix")["attackers"]]


def test_lines_that_change_no_board_have_nothing_read_again(played, asked, monkeypatch):
    arena = played.arena
    freezing.keep_up(arena)
    before = asked(VISITOR, "matrix")
    monkeypatch.setattr(reading, "round_facts", None)
    for kind in ("announcement", "joined", "left", "captain", "login"):
        with arena.database.transaction() as session:
            log.write(session, arena.now(), "admin", kind)
        assert asked(VISITOR, "matrix") == before


@pytest.fixture
def attacked(played):
    """The final in the middle of its attacks, without the guesses of the second team: attacked() hands one in."""
    arena, team = played.arena, played.teams[1]
    arena.clock.set(arena.round("final").starts()["attack"] + DAY / 2)
    freezing.keep_up(arena)
    with arena.database.transaction() as session:
        final = select(ReleaseRow.id).where(ReleaseRow.round == "final")
        mine = (GuessRow.team_id == team.team_id, GuessRow.release_id.in_(final))
        targets = list(session.scalars(select(GuessRow.release_id).where(*mine)))
        session.execute(delete(GuessRow).where(*mine))
        log.write(session, arena.now(), "admin", "doctor", fixed=[])

    def hand_in(release_id: str = "") -> None:
        target = release_id or targets.pop()
        fire.submit(arena, team, target, arena.store.get("truth", target, "truth.csv"))

    return hand_in


def test_what_is_shared_is_right_after_each_guess_and_each_result(played, asked, attacked):
    arena = played.arena

    def look():
        for actor in (VISITOR, *played.teams, played.admin):
            for what, expected in alone(arena, actor).items():
                assert asked(actor, what) == _adapted(expected), (what, actor)

    for step in (attacked, attacked, lambda: worker.finish(arena), lambda: _fail_and_repeat(played, attacked)):
        look()
        step()
    look()


def _fail_and_repeat(played, hand_in):
    """Let the judge give up a guess, which its team then hands in once more."""
    arena, team = played.arena, played.teams[1]
    final = select(ReleaseRow.id).where(ReleaseRow.round == "final")
    with arena.database.transaction() as session:
        mine = select(GuessRow).where(GuessRow.team_id == team.team_id, GuessRow.release_id.in_(final))
        guess = session.scalars(mine.limit(1)).one()
        guess.state = "failed"
        session.flush()
        log.write(session, arena.now(), "judge", "scored", guess=guess.id, state="failed")
        target = guess.release_id
    hand_in(target)


def test_after_a_guess_nothing_is_read_again_but_that_guess(played, asked, attacked, monkeypatch):
    asked(VISITOR, "matrix")
    asked(VISITOR, "board")
    read, whole = [], []
    some, every = reading.hidden_guesses, reading.round_facts
    monkeypatch.setattr(reading, "hidden_guesses", lambda *given: read.append(given[2:]) or some(*given))
    monkeypatch.setattr(reading, "round_facts", lambda *given, **more: whole.append(given) or every(*given, **more))
    before = asked(VISITOR, "matrix")
    attacked()
    after = asked(VISITOR, "matrix")
    asked(VISITOR, "board")
    assert len([1 for old, new in zip(before["cells"], after["cells"], strict=True) if old != new]) == 1
    assert whole == []
    assert [len(ids) for (ids,) in read] == [1]
    worker.finish(played.arena)
    assert asked(VISITOR, "matrix") == after
    assert whole == []
    assert len(read) == 1


@pytest.mark.parametrize(("path", "most"), [("/rules", 5), ("/board", 7), ("/matrix", 7)])
def test_a_page_that_is_drawn_already_asks_the_database_little(played, path, most, monkeypatch):
    monkeypatch.setattr(live, "EVERY_SECONDS", 3600)  # the live pages' own questions are not counted
    arena, team = played.arena, played.teams[1]
    freezing.keep_up(arena)
    with arena.database.transaction() as session:
        opened = sessions.open_session(session, session.get_one(AccountRow, team.account_id), arena.now())
    asked: list[str] = []
    with TestClient(create_app(arena, worker=False), cookies={cookie_name(arena): opened.cookie}) as client:
        client.get(path).raise_for_status()
        event.listen(arena.database.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
        page = client.get(path).raise_for_status().text
    questions = [one for one in asked if one.startswith("SELECT") and "FROM event" not in one] + ["event"]
    assert "/logout" in page
    assert len(questions) <= most, questions


def test_judges_see_each_result_at_once_on_the_board(played, asked, attacked):
    def best() -> list[float | None]:
        return [row["players"] for row in asked(played.admin, "board")["ice"]["rows"]]

    with played.arena.database.transaction() as session:
        for one in session.scalars(select(IdentifiedRow).where(IdentifiedRow.source == "team")):
            session.delete(one)
        log.write(session, played.arena.now(), "admin", "doctor", fixed=[])
    assert not any(best())
    attacked()
    worker.finish(played.arena)
    assert max(one or 0 for one in best()) == 1
