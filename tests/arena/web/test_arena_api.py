"""The API: what a program of each role can see and do, and what it cannot."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta

import pytest
from support.arena.fixtures import BEGIN, DAY, lines, player, release_files

from icefire.arena import ids
from icefire.arena.auth import accounts, sessions, throttling, tokens
from icefire.arena.auth.actor import VISITOR
from icefire.arena.client import Client, Denied, sent_as
from icefire.arena.contest import signing
from icefire.arena.judge import worker
from icefire.arena.storage import log
from icefire.arena.storage.tables import AccountRow
from icefire.arena.web.api.description import NAMES
from icefire.arena.web.app import create_app
from icefire.arena.web.session import cookie_name
from icefire.core.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")
ATTACK, REVEAL = BEGIN + 2.5 * DAY, BEGIN + 3.5 * DAY
PASSWORD = "correct horse battery"


@pytest.fixture
def web(arena):
    from starlette.testclient import TestClient

    with TestClient(create_app(arena, worker=False), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def connect(arena, web):
    """Return a client of the API for an actor, with a token of its own."""

    def make(actor=VISITOR):
        return Client("http://testserver", token_of(arena, actor) if actor.known else None, http=web)

    return make


def token_of(arena, actor) -> str:
    with arena.database.transaction() as session:
        return tokens.new_token(session, session.get(AccountRow, actor.account_id), "test", arena.now())


def headers_of(client) -> dict[str, str]:
    token = client._connection.token
    return {"Authorization": f"Bearer {token}"} if token else {}


def refused(call, status: int) -> Denied:
    with pytest.raises(Denied) as refusal:
        call()
    assert refusal.value.status == status
    return refusal.value


def given(original, **how) -> dict[str, bytes]:
    """Files of a submission by the names the API has for them."""
    return {name.removesuffix(".csv"): data for name, data in release_files(original, **how).items()}


# --- reading


def test_a_visitor_sees_what_is_played_and_where_it_stands(connect):
    found = connect().contest()
    assert (found["title"], found["rules"], found["zone"], found["current"]) == (
        "Test",
        "pwscup2015",
        "Asia/Tokyo",
        "final",
    )
    here = found["rounds"][0]
    assert (here["phase"], here["next"]["phase"], here["files"]) == ("anonymise", "freeze", ["original.csv"])
    assert here["next"]["starts"] == (BEGIN + DAY).isoformat().replace("+00:00", "Z")
    assert found["handed_in"] == ["released.csv", "correspondence.csv"]


def test_the_original_is_there_for_everybody_and_nothing_else_of_the_folder(arena, connect, web, tmp_path):
    (path,) = connect().originals("final", tmp_path)
    assert path.read_bytes() == (arena.folder / "original.csv").read_bytes()
    for address in (
        "data/final/contest.csv",
        "data/final/..%2Fcontest.toml",
        "data/other/original.csv",
        "data/final/arena.db",
    ):
        assert web.get(f"/api/v1/{address}").status_code in (404, 422), address


def test_a_token_that_is_not_valid_is_refused_even_where_visitors_may_look(web):
    for bad in ("ifa_made_up", "", "häß"):
        answer = web.get("/api/v1/contest", headers={"Authorization": f"Bearer {bad}".encode()})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]


def test_an_unknown_round_is_not_there(connect):
    for look in ("board", "matrix", "releases"):
        assert "nothing here" in str(refused(lambda look=look: getattr(connect(), look)("semi-final"), 404))


# --- the whole way


def test_a_release_and_a_guess_by_the_client(arena, connect, original, tmp_path):
    ann, bob = player(arena, "ann", "Snow"), player(arena, "bob", "Embers")
    snow, embers, anybody = connect(ann), connect(bob), connect()
    files = given(original, noise=0.2)
    arena.clock.move(timedelta(minutes=1))
    receipt = snow.submit(files)
    assert (receipt.team, receipt.round, receipt.kind) == ("Snow", "final", "release")
    assert snow.verify(receipt)
    assert sent_as("release", files) == receipt.sha256
    assert snow.receipt(receipt.id) == receipt
    assert snow.team()["quota"] == {"used": 1, "most": 3, "submitted": 1, "most_submitted": 30, "left": 2}
    assert snow.team()["releases"][0]["waiting"] == 2, "the original is judged first"
    worker.finish(arena)
    own = snow.team()["releases"][0]
    assert (own["state"], own["waiting"], own["own"]) == ("judged", None, True)
    assert own["measures"]["U1"] is not None
    assert own["found"] is None, "sample attacks are not shown by these rules"
    for stranger in (embers, anybody):
        assert [(one["team"], one["files"], one["attackable"]) for one in stranger.releases()] == [(None, [], False)]
        with pytest.raises(InputError, match="not handed out now"):
            stranger.download(receipt.id, tmp_path)

    arena.clock.set(ATTACK)
    (target,) = embers.open_releases()
    assert (target["id"], target["team"], target["own"]) == (receipt.id, None, False)
    assert embers.release_id(target["label"].lower()) == receipt.id
    assert snow.open_releases() == anybody.open_releases() == []
    (path,) = embers.download(target["id"], tmp_path / "target")
    rows = list(csv.reader(io.StringIO(path.read_text())))[1:]
    assert len(rows) == 30
    told = embers.attack(target["id"], lines(range(30)))
    assert (told.kind, told.label, told.team) == ("guess", receipt.label, "Embers")
    assert embers.open_releases() == []
    assert embers.team()["guesses"][0]["found"] is None
    worker.finish(arena)
    assert embers.team()["guesses"][0]["found"] is None, "no score before the reveal"
    assert embers.board()["fire"] is None

    arena.clock.set(REVEAL)
    assert embers.team()["guesses"][0]["found"]["targets"] == 30
    board = anybody.board()
    assert [row["team"] for row in board["fire"]["rows"]] == ["Embers"]
    assert [(row["rank"], row["release"]["team"]) for row in board["ice"]["rows"]] == [(1, "Snow")]
    assert [[cell["state"] for cell in row] for row in anybody.matrix()["cells"]] == [["scored"], ["own"]]


def test_what_is_wrong_with_a_file_is_told_with_row_and_column(arena, connect, original):
    snow = connect(player(arena, "ann", "Snow"))
    files = given(original)
    rows = files["released"].decode().splitlines()
    rows[3] = rows[3].rpartition(",")[0] + ",many"
    said = refused(lambda: snow.submit({**files, "released": "\n".join(rows).encode()}), 422)
    assert [("row 2" in problem, "column social" in problem) for problem in said.problems] == [(True, True)]
    assert snow.team()["quota"]["left"] == 3


def test_a_release_is_withdrawn_by_its_own_team_only(arena, connect, original):
    snow, embers = connect(player(arena, "ann", "Snow")), connect(player(arena, "bob", "Embers"))
    receipt = snow.submit(given(original))
    refused(lambda: embers.withdraw(receipt.id), 404)
    snow.withdraw(receipt.id)
    refused(lambda: snow.withdraw(receipt.id), 409)
    assert snow.team()["quota"]["used"] == 0
    assert snow.team()["releases"][0]["in_play"] is False


def test_a_guess_is_refused_for_own_releases_twice_and_out_of_time(arena, connect, original):
    snow, embers = connect(player(arena, "ann", "Snow")), connect(player(arena, "bob", "Embers"))
    receipt = snow.submit(given(original))
    answers = lines([-1] * 30)
    assert "only in the phase 'attack'" in str(refused(lambda: embers.attack(receipt.id, answers), 403))
    arena.clock.set(ATTACK)
    refused(lambda: snow.attack(receipt.id, answers), 403)
    refused(lambda: connect().attack(receipt.id, answers), 401)
    refused(lambda: embers.attack(receipt.id, lines([-1] * 29)), 422)
    embers.attack(receipt.id, answers)
    refused(lambda: embers.attack(receipt.id, answers), 409)
    refused(lambda: embers.attack(ids.new_id(), answers), 404)


def test_a_receipt_is_for_its_own_team(arena, connect, original):
    snow, embers = connect(player(arena, "ann", "Snow")), connect(player(arena, "bob", "Embers"))
    receipt = snow.submit(given(original))
    refused(lambda: embers.receipt(receipt.id), 404)
    refused(lambda: connect().receipt(receipt.id), 401)
    assert not signing.verify(replace(receipt, team="Embers"), snow.key())


def test_a_file_that_is_too_large_is_refused_while_it_comes(make_arena, original):
    from starlette.testclient import TestClient

    arena = make_arena(more="max_upload_mb = 1")
    ann = player(arena, "ann", "Snow")
    with TestClient(create_app(arena, worker=False)) as web:
        snow = Client("http://testserver", token_of(arena, ann), http=web)
        refused(lambda: snow.submit({**given(original), "released": b"x" * (2 << 20)}), 413)


# --- tokens, passwords and cookies


@pytest.fixture
def ann(arena):
    with arena.database.transaction() as session:
        accounts.add_account(session, "ann", PASSWORD, arena.now())


def test_a_token_is_made_for_a_password_used_and_ended(arena, connect, ann):
    client = connect()
    refused(lambda: client.login("ann", "wrong password"), 401)
    token_id, token = client.login(" ANN ", PASSWORD, "laptop")
    assert token.startswith("ifa_")
    assert "no team" in str(refused(client.team, 403))
    with arena.database.reading() as session:
        assert token not in str([(event.kind, event.body) for event in log_lines(session)])
        assert log.verify(session) == []
    client.logout(token_id)
    refused(client.contest, 401)


def log_lines(session):
    from icefire.arena.storage.tables import EventRow

    return session.query(EventRow).all()


def test_nobody_ends_the_token_of_another(arena, connect, ann):
    client = connect()
    token_id, _ = client.login("ann", PASSWORD)
    refused(lambda: connect(player(arena, "bob")).logout(token_id), 404)
    assert client.contest()


def test_passwords_cannot_be_tried_without_end(arena, connect, ann, monkeypatch):
    monkeypatch.setitem(throttling.TRIES, "pair", 3)
    client = connect()
    for _ in range(throttling.TRIES["pair"]):
        refused(lambda: client.login("ann", "wrong password"), 401)
    assert "try again in" in str(refused(lambda: client.login("ann", PASSWORD), 429))
    arena.clock.move(throttling.WINDOW + timedelta(seconds=1))
    assert client.login("ann", PASSWORD)


def test_a_cookie_needs_the_page_s_own_word_and_a_token_does_not(arena, web, original):
    ann = player(arena, "ann", "Snow")
    with arena.database.transaction() as session:
        opened = sessions.open_session(session, session.get(AccountRow, ann.account_id), arena.now())
    files = {name: (f"{name}.csv", data) for name, data in given(original).items()}
    web.cookies.set(cookie_name(arena), opened.cookie)
    for headers, status in (
        ({}, 403),
        ({"x-csrf-token": "häß".encode()}, 403),
        ({"x-csrf-token": opened.csrf, "sec-fetch-site": "cross-site"}, 403),
        ({"x-csrf-token": opened.csrf, "sec-fetch-site": "same-origin"}, 201),
    ):
        answer = web.post("/api/v1/releases", files=files, headers=headers)
        assert answer.status_code == status, headers


# --- organisers


def test_an_organiser_announces_moves_pauses_and_disqualifies(arena, connect, web):
    org = player(arena, "org", role="organiser")
    client, team = connect(org), player(arena, "ann", "Snow").team_id

    def post(path, **body):
        answer = web.post(f"/api/v1/{path}", json=body or None, headers=headers_of(client))
        return answer.status_code, answer.json()

    assert post("announcements", text="Lunch is served")[0] == 201
    assert [one["text"] for one in client.announcements()] == ["Lunch is served"]
    assert post("phases", round="final", phase="freeze", minutes=30)[0] == 200
    starts = client.contest()["rounds"][0]["starts"]
    assert starts["freeze"].startswith("2026-05-02T00:30")
    assert starts["reveal"].startswith("2026-05-04T00:30")
    assert post("phases", round="final", phase="freeze", at="2026-05-02T12:00:00+09:00")[0] == 200
    assert client.contest()["rounds"][0]["starts"]["freeze"].startswith("2026-05-02T03:00")
    assert post("phases", round="final", phase="freeze", at="2026-05-02T12:00:00")[0] == 422
    assert post("phases", round="final", phase="freeze", at="2026-05-02T12:00:00Z", minutes=3)[0] == 422
    assert post("pause")[0] == 200
    assert client.contest()["rounds"][0]["paused"] is True
    assert post("pause")[0] == 409
    assert post("resume")[0] == 200
    assert post("disqualify", team=team, reason="two accounts")[0] == 200
    assert [one["disqualified"] for one in web.get("/api/v1/teams").json()["teams"]] == ["two accounts"]
    assert post("reinstate", team=team)[0] == 200
    assert post("rescore", round="final")[1] == {"jobs": 1}
    assert post("rescore")[0] == 422


@pytest.mark.parametrize("role", ["visitor", "player", "judge"])
def test_only_organisers_organise(arena, connect, web, role):
    who = VISITOR if role == "visitor" else player(arena, role, role=role)
    headers = headers_of(connect(who))
    status = 401 if role == "visitor" else 403
    for path, body in (
        ("announcements", {"text": "x"}),
        ("phases", {"round": "final", "phase": "freeze"}),
        ("pause", None),
        ("resume", None),
        ("disqualify", {"team": "0" * 32, "reason": "x"}),
        ("reinstate", {"team": "0" * 32}),
        ("rescore", {"round": "final"}),
    ):
        allowed = role == "judge" and path == "rescore"
        assert web.post(f"/api/v1/{path}", json=body, headers=headers).status_code == (200 if allowed else status), path


# --- the description


def test_every_operation_is_described_with_its_refusals(web):
    schema = web.get("/api/openapi.json").json()
    assert all(path.startswith("/api/v1/") for path in schema["paths"])
    operations = [(path, told) for path, methods in schema["paths"].items() for told in methods.values()]
    assert len(operations) > 20
    for path, told in operations:
        assert told["description"], path
        assert "401" in told["responses"], path
        for status, answer in told["responses"].items():
            assert status in ("200", "201") or answer["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/Problem"
            }, (path, status)


def test_records_are_described_by_the_names_that_clients_know(web):
    records = web.get("/api/openapi.json").json()["components"]["schemas"]
    assert {"Board", "Cell", "Found", "Guess", "Matrix", "Problem", "Quota", "Release", "Round", "Team"} <= set(records)
    assert not set(NAMES) & set(records)
    assert all(record["title"] == name for name, record in records.items() if not name.startswith("Body_"))


def test_what_only_pages_and_sums_need_is_not_sent(web):
    records = web.get("/api/openapi.json").json()["components"]["schemas"]
    assert set(records["Cell"]["properties"]) == {"state", "rate"}
    assert "worst" not in records["IceBoard"]["properties"]
    assert "worst" not in web.get("/api/v1/board").json()["ice"]


def test_the_operations_are_listed_on_a_page_of_their_own(web):
    page = web.get("/api")
    assert page.status_code == 200
    assert "/api/v1/releases/{release_id}/guess" in page.text
    assert "http://cdn" not in page.text
    assert "https://" not in page.text


def test_tables_can_be_taken_away_and_no_name_is_a_formula(arena, web):
    player(arena, "ann", "=1+2")
    found = web.get("/api/v1/export/teams", params={"format": "json"})
    assert [row["team"] for row in found.json()["rows"]] == ["=1+2"]
    found = web.get("/api/v1/export/teams")
    assert found.headers["content-type"].startswith("text/csv")
    assert "'=1+2" in found.text
    assert web.get("/api/v1/export/passwords").status_code == 422
    assert web.get("/api/v1/export/board", params={"round": "semi"}).status_code == 404
