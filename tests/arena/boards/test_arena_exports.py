"""Tables as CSV and JSON: what an actor may see and no more, and nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json

import pytest
from support.arena.played import DAY, FORMULA

from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.boards import exports
from icefire.arena.boards.exports import ExportTable, as_csv, as_json, harmless
from icefire.arena.errors import Absent

JUDGE = Actor("j" * 32, "judge", "judge")


def rows(arena, actor, what, round_name="final", team_id=None) -> list[dict]:
    return json.loads(exports.export(arena, actor, what, "json", round_name, team_id))["rows"]


def csv_rows(arena, actor, what, round_name="final") -> list[dict[str, str]]:
    text = exports.export(arena, actor, what, "csv", round_name).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


# --- formulas


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "'", "＝", "＋", "－", "＠"])
def test_a_text_that_a_spreadsheet_would_run_is_made_harmless_and_can_be_read_back(begin):
    text = f"{begin}HYPERLINK(1)"
    assert harmless(text) == f"'{text}"
    assert harmless(text).removeprefix("'") == text
    written = as_csv(ExportTable("x", None, (text,), ((text,),))).decode()
    assert list(csv.reader(io.StringIO(written, newline=""))) == [[f"'{text}"], [f"'{text}"]]


@pytest.mark.parametrize("text", ["-1", "+2.5", "-1.5e-7", "", "Snow", "a=1", "1-2", "it's", "雪"])
def test_numbers_and_plain_texts_stay_as_they_are(text):
    assert harmless(text) == text
    assert text.removeprefix("'") == text


def test_figures_are_written_as_figures():
    cells = (-1.5, 0, 1e-12, None, True, -3)
    assert as_csv(ExportTable("x", None, tuple("abcdef"), (cells,))) == b"a,b,c,d,e,f\r\n-1.5,0,1e-12,,true,-3\r\n"
    row = json.loads(as_json(ExportTable("x", None, tuple("abcdef"), (cells,))))["rows"][0]
    assert row == dict(zip("abcdef", cells, strict=True))


def test_a_team_named_like_a_formula_does_no_harm_in_any_table(played):
    for what in (*exports.OF_A_ROUND, *exports.OF_ALL):
        text = exports.export(played.arena, JUDGE, what, "csv", "final").decode()
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        assert FORMULA not in cells
        assert f"'{FORMULA}" in cells
        assert FORMULA in json.dumps(rows(played.arena, JUDGE, what), ensure_ascii=False).replace('\\"', '"')


# --- what is in them


def test_the_tables_say_what_was_played(played):
    arena = played.arena
    board = rows(arena, VISITOR, "board")
    assert [row["label"] for row in board][-1] == "X"
    assert {row["team"] for row in board if row["rank"]} == {FORMULA, "Fire", "Snow"}  # one is out
    assert {row["why"] for row in board} == {None, "disqualified", "original"}
    hits = {(row["label"], row["attack"]): row["hits"] for row in rows(arena, VISITOR, "attacks")}
    first = next(row["label"] for row in board if row["team"] == FORMULA)
    assert [hits[first, name] for name in ("Fire", "Ice", "Snow")] == [7, 11, 15]  # 3 + 4 × place + target
    fire = {row["team"]: (row["identified"], row["trials"], row["tests"]) for row in rows(arena, VISITOR, "fire")}
    assert fire == {
        FORMULA: (4 + 5 + 6, 3, 90),
        "Fire": (7 + 9 + 10, 3, 90),
        "Ice": (11 + 12 + 14, 3, 90),
        "Snow": (15 + 16 + 17, 3, 90),
    }
    assert [row["team"] for row in rows(arena, VISITOR, "teams") if row["disqualified"]] == ["Ice"]
    overall = rows(arena, VISITOR, "overall")
    assert [row["team"] for row in overall if row["side"] == "fire" and row["rank"] == 1] == ["Snow"]
    assert {row["state"] for row in rows(arena, VISITOR, "matrix")} == {"own", "scored"}
    assert len(rows(arena, VISITOR, "releases")) == 4  # the withdrawn one is not listed
    assert len(rows(arena, JUDGE, "releases")) == 5


def test_csv_and_json_hold_the_same(played):
    for what in (*exports.OF_A_ROUND, *exports.OF_ALL):
        plain = rows(played.arena, JUDGE, what)
        written = csv_rows(played.arena, JUDGE, what)
        assert [list(row) for row in written] == [list(row) for row in plain]
        for one, other in zip(plain, written, strict=True):
            for name, value in one.items():
                cell = other[name]
                if value is None or isinstance(value, bool):
                    assert cell == {None: "", True: "true", False: "false"}[value]
                else:
                    assert cell.removeprefix("'") == value if isinstance(value, str) else float(cell) == value


def test_one_team_gets_what_concerns_it(played):
    team = played.teams[1].team_id
    assert {row["team"] for row in rows(played.arena, VISITOR, "board", team_id=team)} == {"Fire"}
    assert {row["team"] for row in rows(played.arena, VISITOR, "fire", team_id=team)} == {"Fire"}
    assert {row["team"] for row in rows(played.arena, VISITOR, "overall", team_id=team)} == {"Fire"}
    found = rows(played.arena, VISITOR, "attacks", team_id=team)
    assert all("Fire" in (row["team"], row["attack"]) for row in found)
    assert len([row for row in found if row["attack"] == "Fire"]) == 3


# --- who may see what


def test_before_the_reveal_strangers_and_attackers_get_no_result(played):
    arena = played.arena
    arena.clock.set(arena.definition.rounds[1].attack + DAY / 2)
    for actor in (VISITOR, played.teams[0]):
        assert rows(arena, actor, "fire") == []
        assert {row["rate"] for row in rows(arena, actor, "matrix")} == {None}
        assert {row["label"] for row in rows(arena, actor, "attacks")} == {"X"}
        assert {row["best_player"] for row in rows(arena, actor, "board")} == {None}
    assert {row["team"] for row in rows(arena, VISITOR, "board")} == {None}
    assert {row["team"] for row in rows(arena, VISITOR, "releases")} == {None}
    assert {row["final"] for row in rows(arena, VISITOR, "overall")} <= {None}
    assert {row["team"] for row in rows(arena, JUDGE, "fire")} == {FORMULA, "Fire", "Ice", "Snow"}
    assert [row["author"] for row in rows(arena, VISITOR, "matrix", team_id=played.teams[0].team_id)] == [None] * 4


@pytest.mark.parametrize(("what", "kind", "name"), [("x", "csv", "final"), ("board", "xls", "final")])
def test_what_there_is_not_is_absent(played, what, kind, name):
    with pytest.raises(Absent):
        exports.export(played.arena, VISITOR, what, kind, name)


@pytest.mark.parametrize("name", [None, "semi-final"])
def test_a_round_that_is_none_is_absent(played, name):
    with pytest.raises(Absent):
        exports.export(played.arena, VISITOR, "board", "csv", name)
