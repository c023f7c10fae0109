"""How each contest is played: what is taken in, what is handed out, what the judge says, and how answers are scored."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

import icefire
from icefire import contests
from icefire.arena.contest import definition as definitions
from icefire.arena.judge import tasks
from icefire.audit.limits import Gate
from icefire.contests import pwscup2016
from icefire.contests.common.game import AnswerShape
from icefire.contests.custom import contest
from icefire.contests.games import limits as bounds
from icefire.contests.games import plain_text
from icefire.contests.pwscup2021 import COLUMNS
from icefire.core.errors import IcefireError
from icefire.core.scorecard import MeasureResult
from icefire.theory.membership import DELTA


def table(frame, header=True) -> bytes:
    return frame.write_csv(include_header=header).encode()


def lines(rows) -> bytes:
    return "".join(f"{','.join(str(cell) for cell in np.atleast_1d(row))}\n" for row in rows).encode()


def numbers(content: bytes) -> np.ndarray:
    return np.array([[int(cell) for cell in line.split(",")] for line in content.decode().splitlines()])


@pytest.fixture
def run(tmp_path):
    """Run a task on files by name; gives its result and the files it wrote."""
    made = iter(range(1000))

    def go(task, files, **options):
        place = tmp_path / str(next(made))
        given, out = place / "in", place / "out"
        given.mkdir(parents=True)
        out.mkdir()
        for name, content in files.items():
            (given / name).write_bytes(content)
        result = tasks.TASKS[task](given, out, **options)
        return result, {path.name: path.read_bytes() for path in out.iterdir()}

    return go


# --- one row per person


HOUSEHOLDS = {"rules": "pwscup2015"}


@pytest.fixture(scope="module")
def households():
    return icefire.sample("households", 200).frame


def judged(run, original, released, truth, **options):
    files = {"original.csv": table(original), "released.csv": table(released), "truth.csv": lines(truth)}
    return run("judge", files, **{**HOUSEHOLDS, "seed": 1, **options})[0]


def test_what_is_shown_is_known_before_anything_runs_and_is_what_the_judge_says(run, households):
    game = contests.get("pwscup2015").play()
    assert game.utilities == ("U1", "U2", "U3", "U4", "U5", "U6")
    assert game.measures == ("S1", "S2", *game.utilities)
    assert game.attacks == ("E1", "E2", "E3", "E4", "EUC1", "EUC2")
    assert game.fire_rule == "total"
    found = judged(run, households, households, range(200))
    assert tuple(found["measures"]) == game.measures
    assert tuple(found["attacks"]) == game.attacks
    assert set(game.summaries) == {*game.measures, *game.attacks}
    assert all(game.summaries.values())


def test_the_original_alone_gives_the_reference(run, households):
    found, _ = run("reference", {"original.csv": table(households)}, **HOUSEHOLDS, seed=1)
    assert [found["measures"][name]["value"] for name in ("U1", "U2", "U3", "U5", "U6")] == [0, 0, 0, 0, 0]
    assert found["attacks"]["EUC1"]["rate"] == 1
    assert found["broken"] == []


def test_the_content_is_the_same_for_the_same_rows_in_any_order_and_with_any_columns_order(run, households):
    def content(frame, order):
        given = {
            "original.csv": table(households),
            "released.csv": table(frame[order]),
            "correspondence.csv": lines(order),
        }
        return run("receive", given, **HOUSEHOLDS, seed=1)[0]["content"]

    backwards = households.select(reversed(households.columns))
    first = content(households, np.arange(150))
    assert content(backwards, np.random.default_rng(1).permutation(150)) == first
    assert content(households, np.arange(1, 151)) != first
    assert len(first) == len(hashlib.sha256().hexdigest())


def test_the_seed_alone_decides_how_a_release_is_shuffled(run, households):
    files = {
        "original.csv": table(households),
        "released.csv": table(households),
        "correspondence.csv": lines(range(200)),
    }
    first, again, other = (run("receive", files, **HOUSEHOLDS, seed=seed)[1] for seed in (1, 1, 2))
    assert first == again
    assert first["truth.csv"] != other["truth.csv"]
    assert sorted(numbers(first["truth.csv"])[:, 0]) == list(range(200))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (range(199), "guess.csv: 199 rows; 200 are asked for"),
        ([200, *range(199)], "row 0, column answer: '200' is not allowed; a whole number from -1 to 199"),
        ([-2, *range(199)], "row 0, column answer: '-2' is not allowed"),
        (["x", *range(199)], "row 0, column answer: 'x' is not allowed"),
        ([(1, 2)] * 200, "row 0: 2 columns; 1 are needed"),
    ],
)
def test_wrong_answers_are_named_without_the_truth(run, households, answers, said):
    files = {"original.csv": table(households), "guess.csv": lines(answers)}
    for counted in (200, None):
        found, _ = run("guess", files, **HOUSEHOLDS, targets=200, originals=counted, check_only=True)
        assert said in found["problems"][0]


def test_right_answers_are_checked_without_the_truth_and_scored_with_it(run, households):
    files = {"original.csv": table(households), "guess.csv": lines([-1, *range(1, 150)])}
    assert run("guess", files, **HOUSEHOLDS, targets=150, check_only=True)[0] == {"problems": []}
    scored, _ = run("guess", files | {"truth.csv": lines(range(150))}, **HOUSEHOLDS, targets=150)
    assert scored == {"problems": [], "hits": 149, "targets": 150, "rate": 149 / 150}


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
def test_permutations_of_the_correspondence_are_seen_through(run, households, share):
    """Y = X, and a part of the correspondence is shuffled among itself so that nothing stays where it was."""
    moved = np.random.default_rng(3).permutation(200)[: round(200 * share)]
    claimed = np.arange(200)
    claimed[moved] = np.roll(moved, 1)
    found = judged(run, households, households, claimed)
    assert found["attacks"]["EUC2"]["hits"] <= 200 - len(moved) + 5
    assert found["aya"]["hits"] >= 195


def test_rotated_and_random_correspondences_are_seen_through(run, households):
    for claimed in (np.roll(np.arange(200), 1), np.random.default_rng(5).permutation(200)):
        found = judged(run, households, households, claimed)
        assert max(attack["rate"] for attack in found["attacks"].values()) < 0.1
        assert found["aya"]["rate"] > 0.97


def test_an_honest_release_gains_nothing_from_aya(run, households):
    rng = np.random.default_rng(1)
    order = rng.permutation(200)
    noisy = households[order].with_columns(pl.col("food") + pl.Series(rng.integers(-50, 50, 200)))
    found = judged(run, households, noisy, order)
    best = max(attack["rate"] for attack in found["attacks"].values())
    assert found["aya"]["rate"] <= best + 0.02


def test_the_organisers_limits_are_told_in_sentences(run, households):
    found = judged(run, households, households[:190], range(190), limits={"U6": 9, "k_min": 2, "U5": 0.5})
    assert found["broken"] == ["U6 is 10; at most 9 is allowed", "S1 is 1; at least 2 is allowed"]


def test_a_limit_on_what_the_contest_does_not_measure_has_it_measured(run, households):
    assert contests.get("pwscup2015").play({"l_distinct": 2}).measures[-1] == "l_distinct"
    found = judged(run, households, households, range(200), limits={"l_distinct": 2})
    assert found["measures"]["l_distinct"]["value"] == 1
    assert found["broken"] == ["l_distinct is 1; at least 2 is allowed"]


def test_a_measure_without_a_value_breaks_the_release():
    measured = {
        "U1": MeasureResult("U1", None, "lower", "0", note="no numbers"),
        "S1": MeasureResult("S1", 3, "higher", ""),
    }
    assert bounds.broken(measured, [Gate("S1", 2, "min")], ["U1"]) == [
        "U1 has no value on this release (no numbers), and a release must have one"
    ]
    infinite = {"U1": MeasureResult("U1", float("inf"), "lower", "0")}
    assert "the numbers are too large" in bounds.broken(infinite, [], ["U1"])[0]


# --- many rows per customer


SHOP = {"rules": "pwscup2016"}


@pytest.fixture(scope="module")
def shop():
    made = icefire.sample("shop", 30)
    bought, people = made.frame.select(pwscup2016.T), made.customers.select(pwscup2016.M)
    return {
        "original.csv": table(bought, False),
        "people.csv": table(people, False),
        "released.csv": table(bought, False),
        "customers.csv": table(people, False),
        "correspondence.csv": lines(range(30)),
    }


def originals(files, *names):
    return {name: files[name] for name in ("original.csv", *names)}


def test_customers_are_renamed_and_their_truth_moves_with_them(run, shop):
    taken, made = run("receive", shop, **SHOP, seed=3)
    assert (taken["problems"], taken["rows"]) == ([], 30)
    assert sorted(made) == ["customers.csv", "released.csv", "truth.csv"]
    truth = numbers(made["truth.csv"])[:, 0]
    before = [line.split(",", 1)[1] for line in shop["people.csv"].decode().splitlines()]
    after = [line.split(",", 1)[1] for line in made["customers.csv"].decode().splitlines()]
    assert after == [before[row] for row in truth]
    names = {line.split(",")[0] for line in made["released.csv"].decode().splitlines()}
    assert names == {str(number) for number in range(1, 31)}


def test_the_same_history_under_other_names_has_the_same_content(run, shop):
    def content(released, customers):
        given = shop | {"released.csv": released, "customers.csv": customers}
        return run("receive", given, **SHOP, seed=3)[0]["content"]

    def renamed(content):
        rows = [line.split(",", 1) for line in content.decode().splitlines()]
        return "".join(f"x{name},{rest}\n" for name, rest in reversed(rows)).encode()

    first = content(shop["released.csv"], shop["customers.csv"])
    assert content(renamed(shop["released.csv"]), renamed(shop["customers.csv"])) == first
    longer = shop["released.csv"] + shop["released.csv"].partition(b"\n")[0] + b"\n"
    assert content(longer, shop["customers.csv"]) != first


def test_a_history_is_judged_and_a_guess_scored(run, shop):
    game = contests.get("pwscup2016").play()
    assert game.utilities == ("U1-cMAE", "U2-cMAE", "U3-RFM")
    _, made = run("receive", shop, **SHOP, seed=3)
    given = originals(shop, "people.csv") | made
    found, _ = run("judge", given, **SHOP, seed=3)
    assert tuple(found["measures"]) == game.measures
    assert tuple(found["attacks"]) == game.attacks
    assert found["attacks"]["jaccard"]["rate"] == 1
    assert found["aya"] is None
    answers = numbers(made["truth.csv"])
    answers[0] = -1
    files = originals(shop, "people.csv") | {"guess.csv": lines(answers), "truth.csv": made["truth.csv"]}
    scored, _ = run("guess", files, **SHOP, targets=30)
    assert (scored["hits"], scored["targets"]) == (29, 30)


def test_the_arena_ranks_2016_by_the_score_that_an_audit_shows():
    contest_2016 = contests.get("pwscup2016")
    score_parts = contest_2016.play().score_parts
    assert score_parts is not None
    parts = score_parts({"Δm": 9.0, "U1-cMAE": 0.25, "U2-cMAE": 0.5, "U3-RFM": 0.125}, 0.75)
    assert parts == {"U1-cMAE": 0.0, "U2-cMAE": 0.25, "U3-RFM": 0.0, "security": 0.375}
    figures = contest_2016.figures({"u1_cmae": 0.25, "u2_cmae": 0.5, "u3_rfm": 0.125}, 0.75)
    assert figures == {"utility": 0.5, "security": 0.75, "score": sum(parts.values())}
    assert contests.get("pwscup2015").play().score_parts is None


def test_the_reference_of_a_history_is_the_history_itself(run, shop):
    found, _ = run("reference", originals(shop, "people.csv"), **SHOP, seed=3)
    assert found["measures"]["Δm"]["value"] == 0
    assert found["attacks"]["jaccard"]["rate"] == 1


# --- who is in the release?


SURVEY = {"rules": "pwscup2021"}


@pytest.fixture(scope="module")
def survey():
    known = icefire.sample("survey", 400).frame.select(COLUMNS)
    gone = np.sort(np.random.default_rng(2).permutation(400)[:70])
    kept = np.setdiff1d(np.arange(400), gone)
    return {
        "original.csv": table(known, False),
        "released.csv": table(known[kept], False),
        "correspondence.csv": lines(gone),
    }


@pytest.fixture
def asked(run, survey):
    taken, made = run("receive", survey, **SURVEY, seed=9)
    assert taken["problems"] == []
    assert taken["rows"] == 330
    return made


def rows(content: bytes) -> list[str]:
    return content.decode().splitlines()


def right_answers(made) -> np.ndarray:
    place, question = numbers(made["truth.csv"]).T
    asked = np.flatnonzero(question >= 0)
    return place[asked[np.argsort(question[asked])]]


def test_fifty_members_and_fifty_deleted_records_are_asked_about(survey, asked):
    assert sorted(asked) == ["released.csv", "targets.csv", "truth.csv"]
    records, shown, truth = rows(asked["targets.csv"]), rows(asked["released.csv"]), right_answers(asked)
    assert len(records) == len(truth) == 100
    assert (truth >= 0).sum() == 50
    for record, row in zip(records, truth, strict=True):
        assert row < 0 or shown[row] == record  # nothing was changed but the order
    assert sorted(shown) == sorted(rows(survey["released.csv"]))
    assert shown != rows(survey["released.csv"])
    outside = [record for record, row in zip(records, truth, strict=True) if row < 0]
    deleted = {rows(survey["original.csv"])[int(row)] for row in survey["correspondence.csv"].split()}
    assert set(outside) <= deleted


def test_the_release_is_asked_about_with_every_membership_attack(run, survey, asked):
    game = contests.get("pwscup2021").play()
    found, _ = run("judge", originals(survey) | asked, **SURVEY, seed=1)
    assert tuple(found["measures"]) == game.measures
    assert tuple(found["attacks"]) == game.attacks
    assert game.utilities == ()
    assert game.fire_rule == "best_three"
    assert found["measures"]["iloss"]["value"] == 0
    everybody = found["attacks"]["all_members"]
    assert (everybody["hits"], everybody["targets"]) == (50, 50)
    assert everybody["rate"] == pytest.approx((1 + DELTA) * (0.5 + DELTA) * (1 + DELTA))
    assert found["broken"][0].startswith("uniqrt is 0.")


def test_the_limits_are_the_contests_and_the_organiser_may_change_them(run, survey, asked):
    changed = pl.read_csv(asked["released.csv"], has_header=False, new_columns=COLUMNS)
    changed = changed.with_columns(pl.col("age") + pl.when(pl.col("age") < 70).then(5).otherwise(-5))
    given = originals(survey) | asked | {"released.csv": table(changed, False)}
    found, _ = run("judge", given, **SURVEY, seed=1)
    assert "iloss is 5; at most 4 is allowed" in found["broken"]
    loose = {"iloss": 6, "uniqrt": 1, "rate_max": 1, "or_max": 1e9, "cor_max": 2}
    found, _ = run("judge", given, **SURVEY, seed=1, limits=loose)
    assert found["broken"] == []


def test_answers_are_scored_as_in_the_final_round(run, survey, asked):
    truth = right_answers(asked)
    sure = np.stack([truth, np.full(100, -1), np.full(100, -1)], axis=1)
    given = originals(survey) | {"truth.csv": asked["truth.csv"]}
    scored, _ = run("guess", given | {"guess.csv": lines(sure)}, **SURVEY, targets=330)
    assert scored == {"problems": [], "hits": 50, "targets": 50, "rate": pytest.approx((1 + DELTA) ** 3)}
    nobody, _ = run("guess", given | {"guess.csv": lines([-1] * 100)}, **SURVEY, targets=330)
    assert (nobody["hits"], nobody["rate"]) == (0, pytest.approx(DELTA**3))
    third = np.where(truth[:, None] < 0, 0, np.stack([(truth + 1) % 330, (truth + 2) % 330, truth], axis=1))
    found, _ = run("guess", given | {"guess.csv": lines(third)}, **SURVEY, targets=330)
    assert (found["hits"], found["rate"]) == (50, pytest.approx((1 + DELTA) * (0.5 + DELTA) * (1 + DELTA)))


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([-1] * 99, "guess.csv: 99 rows; 100 are asked for"),
        ([330, *[-1] * 99], "'330' is not allowed; a whole number from -1 to 329"),
        ([(0, 1, 2, 3)] * 100, "row 0: 4 columns; 3 are needed"),
        ([(-1, 5), *[(0, 1)] * 99], "row 0: the first answer is -1"),
        ([(0, 1), (0, 1, 2), *[(0, 1)] * 98], "row 1: 3 columns; 2 are needed"),
    ],
)
def test_wrong_answers_about_members_are_named(run, survey, answers, said):
    files = originals(survey) | {"guess.csv": lines(answers)}
    found, _ = run("guess", files, **SURVEY, targets=330, check_only=True)
    assert said in found["problems"][0]


def test_the_reference_of_a_survey_deletes_only_what_it_must(run, survey):
    found, _ = run("reference", originals(survey), **SURVEY, seed=1)
    assert found["measures"]["iloss"]["value"] == 0
    assert found["attacks"]["all_members"]["hits"] == 50


# --- the organiser's own contest


OWN = {"qi": ["age", "job"], "sa": ["income"]}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 30, 60),
            "job": rng.choice(["cook", "smith"], 60),
            "income": rng.integers(1000, 9000, 60),
            "note": ["x"] * 60,
        }
    )


def receive_own(run, known, released, own=OWN, rows=None):
    header = own.get("header", True)
    files = {
        "original.csv": table(known, header),
        "released.csv": table(released, header),
        "correspondence.csv": lines(range(released.height) if rows is None else rows),
    }
    return run("receive", files, rules="custom", custom=own, seed=1)


def test_an_own_contest_is_played_from_end_to_end(run, people):
    game = contests.get_or_build("custom", OWN).play()
    assert game.measures == ("S1", "S2", "U1", "U2", "U3", "U4", "U5", "U6")
    taken, made = receive_own(run, people, people[:50])
    assert (taken["problems"], taken["rows"]) == ([], 50)
    own = OWN | {"measures": ["S1", "U1", "U5"], "attacks": ["euc2"], "limits": {"S1": 2}}
    found, _ = run("judge", {"original.csv": table(people), **made}, rules="custom", custom=own, seed=1)
    assert list(found["measures"]) == ["S1", "U1", "U5"]
    assert list(found["attacks"]) == ["EUC2"]
    assert found["attacks"]["EUC2"]["rate"] > 0.9
    assert found["aya"]["rate"] > 0.9
    assert all("at least 2 is allowed" in sentence for sentence in found["broken"])
    answers = {"original.csv": table(people), "guess.csv": made["truth.csv"], "truth.csv": made["truth.csv"]}
    scored, _ = run("guess", answers, rules="custom", custom=own, targets=50)
    assert scored["rate"] == 1


def test_an_own_contest_without_a_header(run, people):
    own = OWN | {"header": False, "columns": people.columns, "missing": ["?"]}
    taken, made = receive_own(run, people, people, own)
    assert taken["problems"] == []
    assert len(rows(made["released.csv"])) == 60


def test_what_is_wrong_with_a_release_of_an_own_contest_is_named(run, people):
    text = people.with_columns(pl.col("income").cast(pl.String))
    wrong = text.with_columns(income=pl.when(pl.int_range(pl.len()) == 4).then(pl.lit("much")).otherwise("income"))
    assert receive_own(run, people, wrong)[0]["problems"] == [
        "released.csv: row 4, column income: 'much' is not allowed; a number"
    ]
    empty = people.with_columns(job=pl.when(pl.int_range(pl.len()) == 2).then(None).otherwise("job"))
    assert receive_own(run, people, empty)[0]["problems"] == [
        "released.csv: row 2, column job: an empty cell is not allowed; every cell filled, as in the original"
    ]
    assert receive_own(run, people, people.drop("note"))[0]["problems"] == [
        "released.csv: column note: the column is missing"
    ]
    assert "each row of the original once" in receive_own(run, people, people[:3], rows=[0, 0, 1])[0]["problems"][0]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, r"names no column; give qi"),
        ({"qi": ["a"], "sa": ["a"]}, "column 'a' is in qi and in sa"),
        ({"qi": ["a"], "measure": ["U1"]}, "has no entry 'measure'; did you mean 'measures'"),
        ({"qi": "a"}, r"\[custom\]: Expected `array`, got `str`"),
        ({"qi": ["a"], "header": False}, "need `columns`"),
        ({"qi": ["a"], "columns": ["a"]}, "need `columns`, and only they do"),
        ({"qi": ["a"], "measures": ["U9"]}, "unknown measure 'U9'"),
        ({"qi": ["a"], "attacks": ["jaccard"]}, "'jaccard' is not for a table"),
        ({"qi": ["a"], "attacks": ["rlink"]}, "'rlink' is not for a table"),
        ({"qi": ["a"], "utilities": ["S1"]}, "'k_min', which is better when higher"),
        ({"qi": ["a"], "limits": {"nothing": 1}}, "unknown measure 'nothing'"),
        ({"qi": ["a"], "parameters": {"euc1": {"nothing": 1}}}, "nothing"),
    ],
)
def test_what_is_wrong_with_an_own_contest_is_said(table, said):
    with pytest.raises(IcefireError, match=said):
        contest.build(table)


def test_columns_decide_what_is_measured_unasked():
    assert contests.get_or_build("custom", {"qi": ["a"]}).play().measures == ("S1", "S2", "U3", "U6")
    assert contests.get_or_build("custom", {"qi": ["a"]}).play().utilities == ("U3", "U6")
    assert contests.get_or_build("custom", {"sa": ["a"]}).play().attacks == ("E3", "E4", "EUC2")


# --- the definition


DEFINED = """
title = "Own"
rules = "custom"
[limits]
U5 = 0.5
[custom]
qi = ["age", "job"]
sa = ["income"]
[[round]]
name = "only"
data = "original.csv"
anonymise = 2026-05-01T09:00:00Z
freeze = 2026-05-02T09:00:00Z
attack = 2026-05-03T09:00:00Z
reveal = 2026-05-04T09:00:00Z
"""


def defined(tmp_path, people, text=DEFINED):
    (tmp_path / "original.csv").write_bytes(table(people))
    (tmp_path / "contest.toml").write_text(text)
    return definitions.load(tmp_path)


def test_an_own_contest_is_defined_in_its_file(tmp_path, people):
    found = defined(tmp_path, people)
    assert found.custom_table() == {"qi": ["age", "job"], "sa": ["income"]}
    assert found.rounds[0].anonymise == datetime(2026, 5, 1, 9, tzinfo=UTC)
    game = contests.get_or_build(found.rules, found.custom).play(found.limits)
    assert game.count_originals(tmp_path) == 60
    assert game.answer_shape(50, 60) == AnswerShape(50, 60)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"age", "job"', '"age", "jobs"', "no column 'jobs' in the table; did you mean 'job'"),
        ('"income"', '"job"', "in qi and in sa"),
        ('sa = ["income"]', 'sa = ["note"]', "needs a numeric sa column"),
        ('rules = "custom"', 'rules = "pwscup2015"', r"\[custom\] goes with rules = 'custom'"),
        ('rules = "custom"', 'rules = "pwscup2051"', "no contest is called 'pwscup2051'"),
        ("U5 = 0.5", "U8 = 0.5", "unknown measure 'U8'"),
        ("U5 = 0.5", "u3_rfm = 0.5", "a measure of a history"),
        ('data = "original.csv"', 'data = "original.csv"\ncustomers = "original.csv"', "has no `customers`"),
    ],
)
def test_a_definition_that_cannot_be_played_says_why(tmp_path, people, old, new, said):
    assert old in DEFINED
    with pytest.raises(IcefireError, match=said):
        defined(tmp_path, people, DEFINED.replace(old, new))


# --- the first look at a file


@pytest.mark.parametrize("content", ["a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4", "\ufeffa,b\n1,2\n3,4\n", "ä,b\n1,2\n"])
def test_a_plain_table_passes(tmp_path, content):
    path = tmp_path / "released.csv"
    path.write_bytes(content.encode())
    assert plain_text.problems(path, 3, 2) == []


def test_sizes_are_counted_without_reading(tmp_path):
    path = tmp_path / "x.csv"
    for content, size in (("a,b\n1,2\n", (2, 2)), ("a\n1", (2, 1))):
        path.write_text(content)
        assert plain_text.size(path) == size
