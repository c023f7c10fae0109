"""The pages of play: matrix, boards and releases, as each role sees them."""

from __future__ import annotations

import re

import pytest
from support.arena.fixtures import lines, player, release_files
from support.arena.pages import ATTACK, FREEZE, REVEAL, SCORES, attack, browse, browsers, put, rows_of, teams  # noqa: F401

from icefire.arena import ids
from icefire.arena.boards import freezing
from icefire.arena.judge import worker
from icefire.arena.storage.tables import JobRow, MeasuredRow, SettingRow
from icefire.arena.submit import ice
from icefire.arena.web.pages import _matrix_view
from icefire.arena.web.pages import board as board_page

# --- matrix


def test_the_own_row_comes_first_and_another_teams_own_release_is_not_told(arena, browse, teams):
    put(arena, teams["ann"], "AAAAA")
    second = put(arena, teams["ben"], "BBBBB")
    attack(arena, teams["ann"], second)
    arena.clock.set(ATTACK)
    seen = rows_of(browse(teams["ben"]).get("/matrix"), "matrix")
    assert seen[0][2:] == ["AAAAA", "BBBBB yours"]
    assert seen[1] == ["Birch you", "0 / 1", "○ open", "■ own"]
    assert seen[2] == ["Alder", "1 / 2", "○ open", "● handed in"]
    public = rows_of(browse().get("/matrix"), "matrix")
    assert public[1:] == [["Alder", "1 / 2", "○ open", "● handed in"], ["Birch", "0 / 2", "○ open", "○ open"]]


def test_a_cell_still_open_leads_the_team_to_the_release(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA")
    arena.clock.set(ATTACK)
    own_row = re.search(r'<tbody class="own">.*?</tbody>', browse(teams["ben"]).get("/matrix"), re.DOTALL)
    assert own_row
    assert f'href="/releases/{first}"' in own_row.group()


def test_scores_are_in_the_matrix_only_after_the_reveal_but_for_judges(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA")
    attack(arena, teams["ben"], first, 0.35)
    arena.clock.set(ATTACK)
    assert "35.0" not in browse(teams["ben"]).get("/matrix")
    assert "35.0" in browse(teams["judge"]).get("/matrix")
    arena.clock.set(REVEAL)
    assert ["Birch", "1 / 1", "✓ 35.0 %"] in rows_of(browse().get("/matrix"), "matrix")


def test_the_matrix_is_filtered_by_state_and_team_without_a_script(arena, browse, teams):
    first, second = put(arena, teams["ann"], "AAAAA"), put(arena, teams["ann"], "BBBBB")
    attack(arena, teams["ben"], second)
    arena.clock.set(ATTACK)
    page = browse().get("/matrix?state=submitted")
    assert rows_of(page, "matrix") == [["Attacker", "Attacked", "BBBBB"], ["Birch", "1 / 2", "● handed in"]]
    assert '<option value="submitted" selected>' in page
    assert [row[0] for row in rows_of(browse().get("/matrix?team=aLD"), "matrix")] == ["Attacker", "Alder"]
    assert "Nothing matches" in browse().get("/matrix?team=nobody")
    assert first in browse().get("/matrix?state=nonsense")


def test_a_large_matrix_comes_in_parts_with_the_own_row_on_each(arena, browse, teams, monkeypatch):
    monkeypatch.setattr(_matrix_view, "ROWS", 1)
    monkeypatch.setattr(_matrix_view, "COLUMNS", 2)
    for label in ("AAAAA", "BBBBB", "CCCCC"):
        put(arena, teams["ann"], label)
    arena.clock.set(ATTACK)
    page = browse(teams["ben"]).get("/matrix?columns=2&rows=1")
    assert rows_of(page, "matrix")[0][2:] == ["CCCCC"]
    assert [row[0] for row in rows_of(page, "matrix")[1:]] == ["Birch you", "Alder"]
    assert "columns=1" in page
    assert "rows=2" in page
    assert [row[0] for row in rows_of(browse(teams["ben"]).get("/matrix?rows=99"), "matrix")[1:]] == ["Birch you"]


@pytest.fixture
def sealed(make_arena):
    """A competition that shows no measure before the reveal."""
    arena = make_arena(more="show_utility = false")
    return arena, browsers(arena), {"ann": player(arena, "ann", "Alder"), "ben": player(arena, "ben", "Birch")}


def test_where_nothing_may_be_said_of_them_no_release_is_listed_before_the_freeze(sealed):
    arena, browse, teams = sealed
    first = put(arena, teams["ann"], "AAAAA")
    for who in (None, teams["ben"]):
        for path in ("/matrix", "/board", "/pictures"):
            page = browse(who).get(path)
            assert "AAAAA" not in page
            assert first not in page
    assert "handed in 1 release " in browse(teams["ann"]).get("/matrix")
    assert "AAAAA" in browse(player(arena, "judge", role="judge")).get("/matrix")


def test_a_large_board_comes_in_parts(arena, browse, teams, monkeypatch):
    monkeypatch.setattr(board_page, "ROWS", 2)
    for label, worst in (("AAAAA", 0.1), ("BBBBB", 0.2), ("CCCCC", 0.3)):
        put(arena, teams["ann"], label, worst=worst)
    arena.clock.set(REVEAL)
    page = browse().get("/board")
    assert [row[1] for row in rows_of(page, "board")[2:4]] == ["AAAAA", "BBBBB"]
    assert "part=2" in page
    assert rows_of(browse().get("/board?part=2"), "board")[2][:2] == ["3", "CCCCC"]
    assert rows_of(browse().get("/board?part=9"), "board")[2][:2] == ["3", "CCCCC"]


def test_names_in_the_tables_are_text(arena, browse, teams):
    eve = player(arena, "eve", "<b>Eve</b>")
    first = put(arena, eve, "AAAAA")
    attack(arena, teams["ben"], first, 0.5)
    arena.clock.set(REVEAL)
    for path in ("/matrix", "/board", "/pictures", f"/releases/{first}", "/reveal/final"):
        page = browse(teams["olga"]).get(path)
        assert ("<b>Eve</b>" in page, "&lt;b&gt;Eve" in page) == (False, True), path
    for path in ("/desk/teams", "/desk/submissions", "/desk/log"):
        assert "<b>Eve</b>" not in browse(teams["olga"]).get(path)


# --- boards


def test_the_board_says_who_leads_and_why(arena, browse, teams):
    put(arena, teams["ann"], "AAAAA", worst=0.1)
    other = put(arena, teams["ben"], "BBBBB", worst=0.3, scores={**SCORES, "U2": 20.0})
    attack(arena, teams["ann"], other, 0.6)
    arena.clock.set(REVEAL)
    page = " ".join(browse().get("/board").split())
    assert "Alder leads with release AAAAA because its sum of usefulness lost and risk is the lowest: 0.000." in page
    assert "The strongest attack on it, E1, identified 10.0 % of its people." in page
    assert "Alder leads the attackers: 12 people identified in 1 release." in page
    seen = rows_of(page, "board")
    assert seen[1] == [
        *("Rank", "Release", "Team", "Total", "Risk", "AYA", "U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2", "Teams"),
        *arena.game.attacks,
    ]
    assert seen[2][:5] == ["1", "AAAAA", "Alder", "0.000", "10.0 %"]
    assert seen[2][6:8] == ["0.25", "12.5"]
    assert seen[3][:5] == ["2", "BBBBB", "Birch", "2.000", "60.0 %"]
    assert seen[3][6:8] == ["0.25", "20"]
    assert seen[3][14] == "60.0 %"


def test_the_original_stands_below_the_releases(arena, browse, teams):
    put(arena, teams["ann"], "AAAAA")
    score = {"hits": 20, "targets": 20, "rate": 1.0}
    measures = {name: {"value": 0.0, "note": ""} for name in arena.game.measures}
    value = {"measures": measures, "attacks": dict.fromkeys(arena.game.attacks, score), "aya": None}
    with arena.database.transaction() as session:
        session.merge(SettingRow(name="reference:final", value=value))
    arena.clock.set(REVEAL)
    last = rows_of(browse().get("/board"), "board")[-1]
    assert last[1:5] == ["Original", "X", "– no value", "100.0 %"]


def test_what_is_hidden_is_a_dash_with_its_reason(arena, browse, teams):
    put(arena, teams["ann"], "AAAAA")
    arena.clock.set(FREEZE)
    row = rows_of(browse().get("/board"), "board")[2]
    assert row[:5] == [
        "– sealed until the reveal",
        "AAAAA",
        "– named at the reveal",
        "– sealed until the reveal",
        "– sealed until the reveal",
    ]
    assert row[6] == "0.25"
    assert row[14] == "– sealed until the reveal"


def test_a_frozen_board_says_so_and_only_judges_see_it_move(arena, browse, teams):
    put(arena, teams["ann"], "AAAAA")
    with arena.database.transaction() as session:
        session.query(JobRow).delete()
    arena.clock.set(FREEZE)
    freezing.keep_up(arena)
    assert "Frozen since" in browse(teams["ben"]).get("/board")
    with arena.database.transaction() as session:
        session.merge(MeasuredRow(release_id=ids.digest("AAAAA")[:32], name="U2", value=777.0))
    assert "777" not in browse(teams["ben"]).get("/board")
    judged = browse(teams["judge"]).get("/board")
    assert "777" in judged
    assert "Do not show this page" in judged
    assert "Frozen since" not in judged


def test_own_releases_are_marked_on_the_board_that_all_share(arena, browse, teams):
    put(arena, teams["ann"], "AAAAA")
    put(arena, teams["ben"], "BBBBB")
    arena.clock.set(REVEAL)
    assert [row[1] for row in rows_of(browse(teams["ben"]).get("/board"), "board")[2:4]] == ["AAAAA", "BBBBB yours"]
    assert "yours</span>" not in browse().get("/board")


TWO_ROUNDS = """
title = "Test"
rules = "pwscup2015"
{more}
[[round]]
name = "first"
data = "original.csv"
weight = 0.5
anonymise = 2026-04-01T00:00:00Z
freeze = 2026-04-02T00:00:00Z
attack = 2026-04-03T00:00:00Z
reveal = 2026-04-04T00:00:00Z
[[round]]
name = "final"
data = "original.csv"
anonymise = 2026-05-01T00:00:00Z
freeze = 2026-05-02T00:00:00Z
attack = 2026-05-03T00:00:00Z
reveal = 2026-05-04T00:00:00Z
"""


def test_rounds_are_chosen_by_name_and_added_up_with_their_weights(make_arena):
    arena = make_arena(toml=TWO_ROUNDS)
    ann, ben = player(arena, "ann", "Alder"), player(arena, "ben", "Birch")
    put(arena, ann, "AAAAA", round_name="first", worst=0.1)
    put(arena, ben, "BBBBB", round_name="first", worst=0.2)
    web = browsers(arena)()
    page = web.get("/board")
    assert "Results of first are out" in page
    assert "AAAAA" not in page
    assert "AAAAA" in web.get("/board?round=first")
    overall = page[page.index('id="overall"') :]
    assert [row[:4] for row in rows_of(overall, "board")[1:]] == [
        ["1", "Alder", "0", "0"],
        ["2", "Birch", "1", "0.5"],
    ]
    for path in ("/board", "/matrix", "/pictures"):
        web.get(f"{path}?round=nowhere", 404)


def test_rounds_have_their_titles_in_the_table_of_all_rounds(make_arena):
    arena = make_arena(toml=TWO_ROUNDS.replace('name = "first"', 'name = "preliminary"'))
    put(arena, player(arena, "ann", "Alder"), "AAAAA", round_name="preliminary", worst=0.1)
    overall = browsers(arena)().get("/board?lang=ja").split('id="overall"')[1]
    assert "予選" in rows_of(overall, "board")[0][2]


def test_the_description_of_an_own_contest_is_offered_where_it_is_needed(make_arena):
    own = '[custom]\nqi = ["region"]\nsa = ["tuition"]\n'
    arena = make_arena(toml=TWO_ROUNDS.replace('rules = "pwscup2015"', 'rules = "custom"') + own)
    browse = browsers(arena)(player(arena, "ann", "Alder"))
    assert 'href="/api/v1/contest" download="contest.json"' in browse.get("/submit?round=first")
    assert browse.web.get("/api/v1/contest").json()["formulas"] == "refuse"


# --- releases


def test_what_is_not_yours_is_like_what_is_not_there(sealed):
    arena, browse, teams = sealed
    first = put(arena, teams["ann"], "AAAAA")
    guess = ids.digest(f"{teams['ann'].team_id}{first}")[:32]
    ben, absent = browse(teams["ben"]), "f" * 32
    for path in ("/releases/{}", "/releases/{}/files/released.csv", "/releases/{}/withdraw", "/receipts/{}"):
        assert ben.get(path.format(first), 404) == ben.get(path.format(absent), 404).replace(absent, first), path
        assert ben.get(path.format("../vault"), 404)
    arena.clock.set(ATTACK)
    attack(arena, teams["ann"], put(arena, teams["ben"], "BBBBB"))
    for path in (f"/receipts/{first}", f"/receipts/{first}.json", f"/receipts/{guess}", f"/releases/{first}/withdraw"):
        ben.get(path, 404)
    ben.post(f"/releases/{first}/withdraw", 404)
    assert ben.get(f"/releases/{first}/files/released.csv") == "rows of AAAAA"
    for name in ("truth.csv", "correspondence.csv", "..%2Ftruth.csv"):
        ben.get(f"/releases/{first}/files/{name}", 404)


def test_a_release_shows_what_the_phase_allows(arena, browse, teams):
    first = put(arena, teams["ann"], "AAAAA")
    own = browse(teams["ann"])
    page = own.get(f"/releases/{first}")
    assert ">12<" in page  # 12.5 with two digits
    assert "12.5" not in page
    arena.clock.set(FREEZE)
    page = browse(teams["ben"]).get(f"/releases/{first}")
    assert "Files are handed out when the attacks begin" in page
    assert "Alder" not in page
    assert "25.0 %" not in page
    arena.clock.set(REVEAL)
    page = browse().get(f"/releases/{first}")
    assert "Alder" in page
    assert "25.0" in page


def test_a_team_attacks_once_and_is_told_what_is_wrong_first(arena, browse, teams, original):
    taken = ice.submit(arena, teams["ann"], "final", release_files(original))
    worker.finish(arena)
    arena.clock.set(ATTACK)
    ben, path = browse(teams["ben"]), f"/releases/{taken.id}"
    assert "30 lines" in ben.get(path)
    assert 'action="' + path + '/guess"' in ben.get(path)
    assert "/guess" not in browse(teams["ann"]).get(path)
    wrong = ben.post(f"{path}/guess", 422, files={"guess.csv": ("mine.csv", lines([0] * 29 + [99]))})
    assert "row 29, column answer" in wrong.text
    assert "99" in wrong.text
    assert "/guess" in wrong.text
    ben.post(f"{path}/guess", 422)
    answer = ben.post(f"{path}/guess", files={"guess.csv": ("mine.csv", lines([-1] * 30))})
    receipt = ben.get(answer.headers["location"])
    assert "Receipt for an attack" in receipt
    assert "never holds a score" in receipt
    assert "/guess" not in ben.get(path)
    ben.post(f"{path}/guess", 409, files={"guess.csv": ("mine.csv", lines([-1] * 30))})
    own = browse(teams["ann"])
    own.post(f"{path}/guess", 403, files={"guess.csv": ("mine.csv", lines([-1] * 30))})


def test_withdrawing_is_asked_once_more_and_frees_the_place(arena, browse, teams, original):
    taken = ice.submit(arena, teams["ann"], "final", release_files(original))
    own, path = browse(teams["ann"]), f"/releases/{taken.id}"
    assert f'href="{path}/withdraw"' in own.get(path)
    assert "its place is free for another release" in own.get(f"{path}/withdraw")
    assert own.post(f"{path}/withdraw").headers["location"] == f"{path}?said=play.withdrawn"
    page = own.get(f"{path}?said=play.withdrawn")
    assert "The release is withdrawn." in page
    assert "out of the competition" in page
    own.get(f"{path}/withdraw", 404)
    own.post(f"{path}/withdraw", 409)
    assert "0 / 3" in own.get("/submit")
    assert "1 / 30" in own.get("/submit")
