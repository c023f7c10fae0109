"""PWS Cup 2017: eight purchases by hand, the six sample attacks, every rule of the checker, and a game."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from support.arena.contest_play import opened_contest, play
from support.commands import run_icefire

from icefire.contests import pwscup2017 as cup
from icefire.contests.formulas import item_losses, pseudonym_maps

M = "10001,f,1970/1/1,Germany\n10002,m,1980/1/1,France\n10003,f,1990/1/1,Others\n"
T = """10001,0,2010/12/1,9:00,21A,2.00,24
10001,0,2010/12/5,9:00,22B,1.00,12
10001,0,2011/1/7,9:00,22C,4.00,3
10002,0,2010/12/1,9:00,21A,2.00,12
10002,0,2010/12/9,9:00,22B,1.00,36
10002,0,2011/1/7,9:00,22C,4.00,5
10003,0,2011/1/7,9:00,21A,2.00,6
10003,0,2011/1/8,9:00,22C,4.00,3
"""
AT = """p,0,2010/12/4,9:00,21A,2.50,24
p,0,2010/12/5,9:00,22B,1.00,24
q,0,2011/1/7,9:00,22B,4.00,3
r,0,2010/12/1,9:00,21A,2.00,12
r,0,2010/12/9,9:00,22B,1.00,36
DEL,,,,,,
s,0,2011/1/7,9:00,21A,2.00,6
s,0,2011/1/9,9:00,22C,4.0,2
"""
CUSTOMERS = ["10001", "10002", "10003"]
MAPS = "".join(f"{customer}{',DEL' * 12}\n" for customer in CUSTOMERS)


def frame(text: str) -> pl.DataFrame:
    columns = list(cup.T)
    return pl.read_csv(text.encode(), has_header=False, infer_schema=False, new_columns=columns).fill_null("")


@pytest.fixture
def files(tmp_path):
    texts = {"M.csv": M, "T.csv": T, "AT.csv": AT}
    texts |= {f"Fh{level}_team1_0101.txt": MAPS for level in pseudonym_maps.LEVELS}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]


def test_the_seven_measures_by_hand():
    values = {name: result.value for name, result in cup.measure(frame(T), frame(AT), top=2).items()}
    assert values == pytest.approx(
        {
            "e1_itemcf_s": 0.227881,
            "e2_itemcf_r": 1.0,
            "e3_topk_items": 0.5,
            "e3_topk_similarity": 0.422650,
            "e4_date": 0.016129,
            "e5_price": 0.025,
            "e6_rows": 0.125,
        },
        abs=1e-6,
    )


def test_the_most_bought_goods_are_ordered_by_customers_and_then_by_code():
    assert item_losses.most_bought(frame(T), 2).to_list() == ["22C", "21A"]
    kept = item_losses.kept_rows(frame(AT))
    assert item_losses.most_bought(kept, 4, pl.Series(["99Z"])).to_list() == ["22B", "21A", "22C", "99Z"]


def test_new_goods_take_no_place_among_the_most_bought():
    known = frame(T)
    new = known.with_columns(goods=pl.lit("new"))
    assert item_losses.top_goods_loss(known, pl.concat([known, new]), 2) == 0


def test_similarity_is_that_of_all_pairs():
    rng = np.random.default_rng(1)
    known, shown = (_drawn(rng) for _ in range(2))
    for weight in (item_losses.dozens, item_losses.retail, item_losses.any_row):
        slow = _loss_slowly(_vectors(known, weight), _vectors(shown, weight))
        assert item_losses.similarity_loss(known, shown, weight) == pytest.approx(slow)


def _drawn(rng):
    draw = {"customer": rng.integers(0, 9, 300), "goods": rng.integers(0, 12, 300), "number": rng.integers(0, 9, 300)}
    return pl.DataFrame(draw).select(pl.all().cast(pl.String))


def _vectors(rows, weight):
    totals = np.zeros((12, 9))
    occurs = np.zeros((12, 9), bool)
    for customer, good, number in rows.select(pl.all().cast(int)).iter_rows():
        totals[good, customer] += number
        occurs[good, customer] = True
    return np.where(occurs, weight(totals.ravel()).reshape(totals.shape), 0)


def _loss_slowly(before, after):
    def cosines(v):
        lengths = np.linalg.norm(v, axis=1)
        return np.divide(v @ v.T, np.outer(lengths, lengths), out=np.zeros((12, 12)), where=v @ v.T > 0)

    w, now = cosines(before), cosines(after)
    pairs = (w > 0) & ~np.eye(12, dtype=bool)
    return min(1.0, np.abs(w - now)[pairs].sum() / w[pairs].sum())


def test_the_true_map_and_the_six_attacks_by_hand():
    known, shown = frame(T), frame(AT)
    truth = pseudonym_maps.true_map(known, shown, CUSTOMERS)
    assert _two_months(truth) == "p q | r DEL | DEL s"
    part = pseudonym_maps.known_part(known, 100, seed=1)
    assert part["goods"].unique().sort().to_list() == ["21", "22"]
    expected = {
        "date_number": ("DEL q | r DEL | DEL s", 2),
        "goods_price": ("r q | r q | DEL q", 0),
        "goods_number": ("p q | r DEL | DEL q", 2),
        "date_goods": ("p q | r q | DEL s", 2),
        "goods_price_number": ("DEL q | r DEL | DEL q", 1),
        "goods_date_number": ("DEL q | r DEL | DEL s", 2),
    }
    for key, (cells, hits) in expected.items():
        guess = pseudonym_maps.guessed_map(item_losses.kept_rows(shown), part, key, CUSTOMERS)
        assert (_two_months(guess), pseudonym_maps.count_right(truth, guess)) == (cells, hits), key


def _two_months(table):
    assert (table[:, 2:] == "DEL").all()
    return " | ".join(" ".join(row[:2]) for row in table)


@pytest.mark.parametrize(("level", "rows"), [(25, 2), (50, 5), (75, 7), (100, 9)])
def test_a_level_has_its_share_of_rows_rounded_half_up(level, rows):
    known = pl.concat([frame(T), frame(T)[:1]])
    part = pseudonym_maps.known_part(known, level, seed=3)
    assert (part["customer"] != "DEL").sum() == rows
    assert set(part.filter(pl.col("customer") == "DEL").rows()) <= {("DEL", "", "", "", "", "", "")}


def test_files_that_follow_the_rules_are_fine(files, capsys):
    done = run_icefire(capsys, "check", "pwscup2017", *files)
    assert (done.code, done.err) == (0, "")
    files[3].write_text("3\n" + MAPS)  # a first line with the number of rows is skipped
    assert run_icefire(capsys, "check", "pwscup2017", *files).code == 0


FIRST = "p,0,2010/12/4,9:00,21A,2.50,24\n"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (FIRST, "p,0,2010/12/4,9:00,21A,2.50\n", "row 0: 6 columns; 7 are needed"),
        (FIRST, "", "7 rows; T.csv has 8"),
        ("DEL,,,,,,", "DEL,0,,,,,", "row 5, column receipt: '0' is not allowed; a deleted row holds nothing else"),
        ("DEL,,,,,,", "DEL,,,,,1.0,", "row 5, column price: '1.0' is not allowed; a deleted row holds nothing else"),
        ("r,0,2010/12/1,", "r!,0,2010/12/1,", "row 3, column customer: 'r!' is not allowed; only letters"),
        (FIRST, FIRST.replace(",0,", ",a b,"), "row 0, column receipt: 'a b' is not allowed; only letters"),
        (FIRST, FIRST.replace("12/4", "12/04"), "row 0, column date: '2010/12/04' is not allowed; a day y/m/d"),
        (FIRST, FIRST.replace("12/4", "11/31"), "row 0, column date: '2010/11/31' is not allowed; a day y/m/d"),
        (FIRST, FIRST.replace("12/4", "11/4"), "row 0, column date: '2010/11/4' is not allowed; the month of the row"),
        (FIRST, FIRST.replace("9:00", "24:00"), "row 0, column time: '24:00' is not allowed; a time of day"),
        (FIRST, FIRST.replace("21A", "99X"), "row 0, column goods: '99X' is not allowed; a good of T.csv"),
        (FIRST, FIRST.replace("2.50", "2.505"), "row 0, column price: '2.505' is not allowed; 1 to 5 digits"),
        (FIRST, FIRST.replace(",24", ",２４"), "row 0, column number: '２４' is not allowed; 1 to 6 digits"),
        (FIRST, FIRST.replace("2.50", "２.50"), "row 0, column price: '２.50' is not allowed; 1 to 5 digits"),
        (FIRST, FIRST.replace("9:00", "９:00"), "row 0, column time: '９:00' is not allowed; a time of day"),
        ("q,0", "q ,0", "row 2, column customer: 'q ' is not allowed; only letters"),
        (FIRST, FIRST.replace(",24", ",1000000"), "row 0, column number: '1000000' is not allowed; 1 to 6 digits"),
        ("q,0", "10002,0", "row 2, column customer: '10002' is not allowed; no customer of T.csv"),
        ("p,0,2010/12/5", "z,0,2010/12/5", "row 1, column customer: 'z' is not allowed; one pseudonym per customer"),
        (AT, FIRST + "DEL,,,,,,\n" * 7, "1 row kept; at least 4 of the 8 rows of T.csv must be kept"),
    ],
)
def test_every_rule_of_a_release_names_the_row(files, capsys, old, new, problem):
    assert old in AT
    files[2].write_text(AT.replace(old, new, 1))
    done = run_icefire(capsys, "check", "pwscup2017", *files)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"AT.csv: {problem}" in done.err


def test_all_rules_that_a_release_breaks_are_named_at_once(files, capsys):
    files[2].write_text(AT.replace("9:00", "9:60", 1).replace("22B", "99X", 1).replace("q,", "10002,", 1))
    done = run_icefire(capsys, "check", "pwscup2017", *files)
    assert [line.partition(" is not")[0] for line in done.err.splitlines()] == [
        "icefire: error: AT.csv: row 0, column time: '9:60'",
        "icefire: error: AT.csv: row 1, column goods: '99X'",
        "icefire: error: AT.csv: row 2, column customer: '10002'",
    ]


@pytest.mark.parametrize("text", [AT, AT.replace("\n", "\r\n"), AT.replace("q,", '"q",'), AT.rstrip("\n")])
def test_line_ends_and_quotes_are_no_part_of_a_cell(files, capsys, text):
    files[2].write_bytes(text.encode())
    assert run_icefire(capsys, "check", "pwscup2017", *files).code == 0


def test_an_attack_has_four_maps_or_none(files, capsys):
    assert run_icefire(capsys, "check", "pwscup2017", *files[:3]).code == 0
    done = run_icefire(capsys, "check", "pwscup2017", *files[:6])
    assert (done.code, "an attack has four maps, of the levels 25, 50, 75, 100; 3 maps given" in done.err) == (2, True)


def test_a_number_that_cannot_be_read_leaves_the_measures_that_do_not_need_it():
    measures = cup.measure(frame(T), frame(AT.replace(",24\n", ",many\n", 1)), top=2)
    assert measures["e1_itemcf_s"].value is None
    assert "'many' in number" in measures["e1_itemcf_s"].note
    assert measures["e3_topk_similarity"].value == pytest.approx(0.422650, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text.replace("10003", "10004"), "row 2, column customer: '10004' is not allowed; one row per"),
        (lambda text: "".join(reversed(text.splitlines(True))), "row 0, column customer: '10003' is not allowed"),
        (lambda text: text.replace("10001,DEL", "10001", 1), "row 0: 12 columns; 13 are needed"),
        (lambda text: text + text[:20], "columns; 13 are needed"),
        (lambda text: "".join(text.splitlines(True)[:2]), "2 rows; 3 are needed: one for each customer"),
    ],
)
def test_every_rule_of_a_map_names_the_row(files, capsys, change, problem):
    files[4].write_text(change(MAPS))
    done = run_icefire(capsys, "check", "pwscup2017", *files)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert files[4].name in done.err
    assert problem in done.err


def test_four_maps_are_about_one_target(files, capsys):
    other = files[-1].rename(files[-1].with_name("Fh100_team2_0101.txt"))
    done = run_icefire(capsys, "check", "pwscup2017", *files[:-1], other)
    assert "the maps are about team1, team2; all must be about one target" in done.err


def test_the_audit_has_a_rate_for_every_level(files, capsys):
    people, known, shown = files[:3]
    given = ("audit", known, shown, "--contest", "pwscup2017", "--json", "-")
    card = json.loads(run_icefire(capsys, *given, "--customers", people).out)
    assert list(card["measures"]) == list(cup.MEASURES)
    levels = card["attacks"]["date_goods"]["levels"]
    assert list(levels) == ["25", "50", "75", "100"]
    assert levels["100"] == pytest.approx(2 / 3)
    assert card["attacks"]["date_goods"]["rate"] == pytest.approx(np.mean(list(levels.values())))
    figures = card["contest"]["figures"]
    assert figures["score"] == pytest.approx((figures["utility"] + figures["security"]) / 2)
    part = known.with_name("T100.csv")
    pseudonym_maps.known_part(frame(T), 100, 1).write_csv(part, include_header=False)
    card = json.loads(run_icefire(capsys, *given, "--known", part).out)
    assert card["attacks"]["date_goods"]["levels"] == {"100": pytest.approx(2 / 3)}


def test_the_level_of_a_file_is_the_one_in_its_name(files, capsys, tmp_path):
    _, known, shown = files[:3]
    parts = [tmp_path / "T2017_50_v2.csv", tmp_path / "T25.csv", tmp_path / "again_25.csv"]
    for path in parts:
        pseudonym_maps.known_part(frame(T), 50, 1).write_csv(path, include_header=False)
    given = ("audit", known, shown, "--contest", "pwscup2017", "--json", "-")
    named = [part for path in parts[:2] for part in ("--known", path)]
    card = json.loads(run_icefire(capsys, *given, *named).out)
    assert list(card["attacks"]["date_number"]["levels"]) == ["50", "25"]
    done = run_icefire(capsys, *given, *named, "--known", parts[2])
    assert (done.code, "again_25.csv is a second file of level 25" in done.err) == (2, True)


def test_a_whole_game(tmp_path, monkeypatch):
    with opened_contest(tmp_path / "arena", monkeypatch, "pwscup2017", 100) as arena:
        known = cup.read(arena.originals("final")["original.csv"])
        month = pseudonym_maps.months(known["date"]).cast(pl.String)
        customers = pseudonym_maps.sorted_customers(cup.read(arena.originals("final")["people.csv"], cup.M)["customer"])
        shown = known.with_columns(customer="p" + pl.col("customer") + "_" + month)

        def guess(files, truth):
            assert list(files) == ["released.csv", "known_25.csv", "known_50.csv", "known_75.csv", "known_100.csv"]
            assert len(files["released.csv"].splitlines()) == known.height
            right, nothing = truth.splitlines(), [f"{one}{',DEL' * 12}" for one in customers]
            maps = {25: nothing, 50: nothing, 75: [*right[:50], *nothing[50:]], 100: right}
            return "".join(f"{level},{line}\n" for level, some in maps.items() for line in some).encode()

        table = shown.write_csv(include_header=False).encode()
        _, board = play(arena, {"released.csv": table}, guess)
        (row,) = board.ice.rows
        assert (row.rank, row.players) == (1, pytest.approx(150 / 400))
        (team,) = [one for one in row.release.found if one.source == "team"]
        assert team.levels == {"25": 0.0, "50": 0.0, "75": 0.5, "100": 1.0}
        worst = max(value for value in row.release.measures.values())
        assert row.total == pytest.approx((worst + row.security) / 2)
        assert [(one.team, one.identified) for one in board.fire.rows] == [("Fire", 150)]


def test_answers_of_the_arena_are_one_line_for_each_level_and_customer(tmp_path):
    game = cup.CONTEST.play()
    (tmp_path / "people.csv").write_text(M)
    lines = [f"{level},{line}\n" for level in pseudonym_maps.LEVELS for line in MAPS.splitlines()]
    for text, problem in (
        ("".join(lines), None),
        ("".join(lines[:-1]), "11 rows; 12 are needed: 4 levels of 3 customers"),
        ("".join(lines).replace("25,", "30,", 1), "row 0, column level: '30' is not allowed"),
        ("".join(lines).replace("10003", "10009", 1), "row 2, column customer: '10009' is not allowed"),
    ):
        (tmp_path / "guess.csv").write_text(text)
        problems = game.guess_problems(tmp_path, game.answer_shape(8, 3))
        assert (problems == []) if problem is None else (problem in problems[0])
