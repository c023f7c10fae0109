"""The organiser's desk, exports and forged forms."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import msgspec
import pytest
from support.arena.fixtures import player
from support.arena.pages import ATTACK, attack, browse, found, put, teams  # noqa: F401

from icefire.arena.auth import login
from icefire.arena.boards import suspicion
from icefire.arena.boards.reading import round_facts as facts_of
from icefire.arena.contest import languages_of_texts
from icefire.arena.storage.tables import AccountRow, AnnouncementRow, ReleaseRow, SettingRow, TeamRow
from icefire.arena.web import pages

# --- the desk

DESK = [
    "",
    "/teams",
    "/phases",
    "/announcements",
    "/submissions",
    "/fingerprints",
    "/queue",
    "/log",
    "/doctor",
    "/bundle",
]


@pytest.mark.parametrize("path", [*DESK, "/accounts"])
def test_the_desk_is_for_staff(arena, browse, teams, path):
    put(arena, teams["ann"], "AAAAA")
    assert browse().web.get(f"/desk{path}").status_code == 303
    browse(teams["ann"]).get(f"/desk{path}", 403)
    browse(teams["judge"]).get(f"/desk{path}", 403 if path == "/accounts" else 200)
    for lang in ("en", "ja"):
        assert browse(teams["olga"]).get(f"/desk{path}?lang={lang}").count("<h1") == 1


def changes(arena, teams) -> dict[str, dict[str, str]]:
    """Everything that only organisers do, with fields that would work."""
    team, account = teams["ben"].team_id, teams["ben"].account_id
    return {
        f"/desk/teams/{team}/disqualify": {"reason": "shared answers"},
        f"/desk/teams/{team}/reinstate": {},
        "/desk/accounts": {"name": "new", "role": "player"},
        "/desk/accounts/invites": {"uses": "2", "team": ""},
        f"/desk/accounts/{account}/password": {},
        f"/desk/accounts/{account}/disabled": {"disabled": "yes"},
        "/desk/phases/final/move": {"phase": "freeze", "at": "2026-05-02T10:00"},
        "/desk/phases/final/extend": {"phase": "freeze", "minutes": "30"},
        "/desk/pause": {},
        "/desk/resume": {},
        "/desk/announcements": {"text": "hello"},
        "/desk/bundle": {},
    }


def test_a_judge_changes_nothing_but_has_things_judged_again(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA")
    judge = browse(teams["judge"])
    for path, fields in changes(arena, teams).items():
        judge.post(path, 403, **fields)
        browse(teams["ann"]).post(path, 403, **fields)
    judge.post(f"/desk/accounts/{teams['ben'].account_id}/role", 403, role="judge")
    assert judge.post("/desk/rescore", release_id=first).headers["location"].startswith("/desk/queue")
    assert "judge a release" in judge.get("/desk/queue")
    judge.post("/desk/rescore", 422, release_id=first, round_name="final")
    judge.post("/desk/rescore", 404, release_id="f" * 32)
    browse(teams["ann"]).post("/desk/rescore", 403, release_id=first)


def test_the_organiser_runs_the_competition(arena, browse, teams):
    olga = browse(teams["olga"])
    told = {
        path: olga.web.post(path, data={"csrf": olga.csrf, **fields}) for path, fields in changes(arena, teams).items()
    }
    assert {path: answer.status_code for path, answer in told.items() if answer.status_code >= 400} == {}
    password = re.search(r'<code class="copy">([^<]+)', told["/desk/accounts"].text).group(1)
    assert login.login(arena.database, "new", password, "here", arena.now()).role == "player"
    assert told["/desk/bundle"].content[:2] == b"PK"
    times = olga.get("/desk/phases")
    assert "2026-05-02 01:30:00" in times
    assert "2026-05-02 10:30:00 JST" in times
    assert "2026-05-03 00:30:00" in times
    assert "hello" in olga.get("/")
    assert "New times in the round" in olga.get("/desk/announcements")
    assert "The chain holds" in olga.get("/desk/log?verify=yes")
    assert "<code>disqualified</code>" in olga.get("/desk/log")


def test_an_announcement_is_shown_in_the_language_of_who_reads_it(arena, browse, teams):
    olga = browse(teams["olga"])
    olga.post("/desk/announcements", text="Lunch is <ready>", text_ja="昼食の用意ができました")
    english, japanese = olga.get("/?lang=en"), olga.get("/?lang=ja")
    assert ("Lunch is &lt;ready&gt;" in english, "昼食" in english) == (True, False)
    assert ("Lunch" in japanese, "昼食の用意ができました" in japanese) == (False, True)
    olga.get("/?lang=en")
    olga.post("/desk/announcements", text="Only in English")
    assert "Only in English" in olga.get("/?lang=ja")
    olga.get("/?lang=en")
    assert "昼食" in olga.post("/desk/announcements", 422, text="x" * 4001, text_ja="昼食").text


def test_a_round_has_its_title_in_the_language_of_who_reads(arena, browse, teams):
    assert "決勝のフェーズ" in browse(teams["ann"]).get("/rules?lang=ja")
    assert "Phases of final" in browse(teams["ann"]).get("/rules?lang=en")
    assert "決勝 の結果発表" in browse(teams["olga"]).get("/desk?lang=ja")
    rounds = (msgspec.structs.replace(arena.definition.rounds[0], title={"en": "Great final", "ja": "大決勝"}),)
    definition = msgspec.structs.replace(arena.definition, round=rounds)
    for language, title in (("en", "Great final"), ("ja", "大決勝")):
        assert languages_of_texts.round_title(definition, "final", language) == title


def test_a_reason_is_asked_for_before_a_team_is_out(arena, browse, teams):
    olga, team = browse(teams["olga"]), teams["ben"].team_id
    assert "Disqualify Birch?" in olga.get(f"/desk/teams/{team}/disqualify")
    olga.post(f"/desk/teams/{team}/disqualify", 422, reason=" ")
    olga.post(f"/desk/teams/{team}/disqualify", reason="<i>told</i> the answers")
    assert "&lt;i&gt;told&lt;/i&gt; the answers" in olga.get("/desk/teams")
    olga.get(f"/desk/teams/{team}/disqualify", 404)
    olga.post(f"/desk/teams/{team}/reinstate")
    with arena.database.reading() as session:
        assert session.get(TeamRow, team).disqualified is None


def test_what_cannot_be_done_is_told_beside_the_form_and_nothing_is_lost(arena, browse, teams):
    olga = browse(teams["olga"])
    told = olga.post("/desk/phases/final/move", 422, phase="freeze", at="2026-06-01T00:00").text
    assert "would begin after" in told
    assert "datetime-local" in told
    assert "such as 2026-05-01T09:00" in olga.post("/desk/phases/final/move", 422, phase="freeze", at="soon").text
    assert "whole number" in olga.post("/desk/phases/final/extend", 422, phase="freeze", minutes="-3").text
    assert "name is taken" in olga.post("/desk/accounts", 409, name="ann", role="player").text
    assert 'value="ann"' in olga.post("/desk/accounts", 409, name="ann", role="player").text
    olga.post("/desk/accounts", 403, name="boss", role="admin")
    olga.post("/desk/accounts/invites", 422, uses="many")
    long = "x" * 4001
    assert long in olga.post("/desk/announcements", 422, text=long).text
    with arena.database.reading() as session:
        assert session.query(AnnouncementRow).count() == 0


def test_only_an_admin_gives_roles(arena, browse, teams):
    carl = player(arena, "carl")
    path = f"/desk/accounts/{carl.account_id}/role"
    browse(teams["olga"]).post(path, 403, role="judge")
    assert "/role" not in browse(teams["olga"]).get("/desk/accounts")
    browse(teams["adam"]).post(path, role="judge")
    with arena.database.reading() as session:
        assert session.get(AccountRow, carl.account_id).role == "judge"


def test_identical_tables_and_guesses_too_good_are_flagged_to_staff(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA", worst=0.1, content="same")
    put(arena, teams["ben"], "BBBBB", content="same")
    attack(arena, teams["ben"], first, 1.0)
    arena.clock.set(ATTACK)
    page = browse(teams["judge"]).get("/desk/submissions")
    assert "AAAAA of Alder has the same rows" in page
    assert "BBBBB of Birch has the same rows" in page
    assert "Birch identified 100.0 % of AAAAA" in " ".join(page.split()).replace("\xa0", " ")
    overview = browse(teams["olga"]).get("/desk")
    assert "2 releases have the same rows" in overview
    assert "1 attack is far above every other one" in overview


@pytest.mark.parametrize(
    ("rate", "samples", "other", "flagged"),
    [(0.95, 0.1, None, True), (0.8, 0.6, None, False), (0.95, 0.1, 0.9, False), (0.6, 0.1, None, True)],
)
def test_a_guess_stands_out_only_far_above_every_other_attack(arena, teams, rate, samples, other, flagged):
    first = put(arena, teams["ann"], "AAAAA", worst=samples)
    with arena.database.transaction() as session:
        session.merge(found(first, "aya", "aya", 1.0))  # which knows the answers itself
    attack(arena, teams["ben"], first, rate)
    if other is not None:
        attack(arena, player(arena, "carl", "Cedar"), first, other)
    with arena.database.reading() as session:
        stands_out = suspicion.suspicious(facts_of(session, arena, "final", teams["judge"]))
    assert ([one.guess.team for one in stands_out] == ["Birch"]) is flagged


# --- exports, forged forms


def test_exports_hold_what_the_page_shows_and_no_more(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA")
    put(arena, teams["ben"], "BBBBB")
    attack(arena, teams["ben"], first, 0.35)
    arena.clock.set(ATTACK)
    board = browse(teams["ben"]).get("/export/board.csv")
    assert "AAAAA" in board
    assert "0.35" not in board
    assert "Alder" not in board
    assert "0.35" in browse(teams["judge"]).get("/export/matrix.csv")
    mine = json.loads(browse(teams["ben"]).get("/export/matrix.json?only=mine"))
    pairs = {(row["attacker"], row["label"]) for row in mine["rows"]}
    assert ("Birch", "AAAAA") in pairs
    assert ("Alder", "AAAAA") not in pairs
    browse().get("/export/board.csv?only=mine", 403)
    for what in ("vault", "guesses", "../board"):
        browse(teams["olga"]).get(f"/export/{what}.csv", 404)
    browse().get("/export/board.xlsx", 404)


def test_no_form_is_taken_without_its_token(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA")
    web, forms = browse(teams["adam"]), forms_of_the_pages()
    assert {"/submit", "/desk/pause", "/releases/{release_id}/guess", "/reveal/{round_name}"} < forms
    for form in forms:
        path = re.sub(r"\{release_id\}", first, form)
        path = re.sub(r"\{round_name\}", "final", path)
        path = re.sub(r"\{\w+\}", teams["ben"].team_id, path)
        for token in ("", "é", web.csrf[:-1]):
            answer = web.web.post(path, data={"csrf": token, "text": "x", "reason": "x", "do": "finish"})
            assert answer.status_code == 403, (path, answer.status_code)
    with arena.database.reading() as session:
        assert session.query(AnnouncementRow).count() == 0
        assert session.get(ReleaseRow, first).withdrawn is None


def forms_of_the_pages() -> set[str]:
    """Every address of a page that takes a form."""
    return {route.path for page in pages.discover() for route in page.router.routes if "POST" in route.methods}


def test_pages_read_no_score_past_the_policy():
    folder = Path(pages.__file__).parent
    hidden = {"Measured", "Identified", "Snapshot", "Store"}
    for path in (*folder.rglob("*.py"), folder.parent / "downloads.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not names & hidden, path.name
        assert not used & {"store", "vault"}, path.name


# --- methods recognised in releases


def test_judges_see_the_methods_recognised_and_players_never_do(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA")
    methods = [
        {
            "method": "unify",
            "probability": 0.97,
            "recognised": True,
            "evidence": [{"text": "columns made constant (1) or not (0): 1"}],
        },
        {"method": "noise", "probability": 0.3, "recognised": False, "evidence": []},
    ]
    with arena.database.transaction() as session:
        session.add(SettingRow(name=f"fingerprint:{first}", value={"methods": methods, "note": "<b>few rows</b>"}))
    for who in ("judge", "olga"):
        page = browse(teams[who]).get("/desk/fingerprints")
        assert '<span class="tag">unify</span>' in page
        assert '<span class="tag">noise</span>' not in page
        assert "columns made constant" in page
        assert "&lt;b&gt;few rows" in page
    browse(teams["ann"]).get("/desk/fingerprints", 403)
    browse(teams["ann"]).post("/desk/fingerprints", 403, round_name="final")
    for path in ("/", f"/releases/{first}", "/boards"):
        assert "unify" not in browse(teams["ann"]).web.get(path).text


def test_a_judge_asks_for_the_methods_of_a_round(arena, browse, teams):
    put(arena, teams["ann"], "AAAAA")
    put(arena, teams["ben"], "BBBBB", state="waiting")
    judge = browse(teams["judge"])
    assert "not looked at yet" in judge.get("/desk/fingerprints")
    assert judge.post("/desk/fingerprints", round_name="final").headers["location"].startswith("/desk/queue")
    assert judge.get("/desk/queue").count("recognise the methods of a release") == 1, "only judged releases"
    assert "waiting" in judge.get("/desk/fingerprints")
