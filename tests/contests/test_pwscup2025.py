"""PWS Cup 2025: statistics, regression and rank tests by hand, the nearest patient, the checker, and a game."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from support.arena.contest_play import opened_contest, play
from support.arena.fixtures import player
from support.commands import run_icefire

from icefire.arena.errors import WrongInput
from icefire.arena.submit import drawn, ice
from icefire.contests import pwscup2025 as cup
from icefire.contests.formulas import column_statistics, kruskal_figures, logistic_terms
from icefire.core.errors import UndefinedError
from icefire.samples import patients

OUTCOME = "0 0 0 0 0 0 1 1 1 1"


def table(**columns: str) -> pl.DataFrame:
    return pl.DataFrame({name: cells.split() for name, cells in columns.items()})


@pytest.fixture
def files(tmp_path):
    """Ten patients, the same again as their release, and marks with ten ones in a pool of twenty."""
    paths = [tmp_path / name for name in ("B.csv", "C.csv", "F.csv")]
    for path in paths[:2]:
        patients.frame(10).with_columns(AGE=pl.lit(50), mean_bmi=pl.lit(25.25)).write_csv(path)
    paths[2].write_text("1\n0\n" * 10)
    return paths


def test_statistics_by_hand():
    before = column_statistics.statistics(table(a="10 20 30 40", b="1 2 3 6", f="0 0 1 1", G="F F F M"))
    after = column_statistics.statistics(table(a="10 20 30 80", b="1 2 3 6", f="0 1 0 1", G="F F M M"))
    assert (before["mean b"], after["mean b"]) == pytest.approx((0.102041, 0.072464), abs=1e-6)
    assert (before["sd b"], after["sd b"]) == pytest.approx((0.128351, 0.051875), abs=1e-6)
    label = "correlation a and f"
    assert (before[label], after[label]) == pytest.approx((0.894427, 0.557086), abs=1e-6)
    assert (before["share G=F"], after["share G=M"]) == (0.75, 0.5)
    assert column_statistics.largest_difference_of_all(before, after) == pytest.approx(0.337341, abs=1e-6)


def test_a_column_is_numeric_if_nineteen_of_twenty_cells_are_numbers():
    cells = [*map(str, range(19)), "x"]
    assert column_statistics.numeric_columns(pl.DataFrame({"a": cells, "b": ["", *cells[1:19], "x"]})) == ["a"]


def test_the_split_is_that_of_the_contest():
    outcome = np.array([int(one) for one in OUTCOME.split()])
    assert logistic_terms.training_rows(outcome).tolist() == [0, 1, 2, 4, 5, 7, 8, 9]


def test_the_logistic_regression_by_hand():
    before = table(asthma_flag=OUTCOME, x="0 0 0 0 1 1 0 1 1 0")
    after = table(asthma_flag=OUTCOME, x="0 0 1 0 1 1 0 1 0 0")
    first, second = (logistic_terms.logistic_figures(one, "asthma_flag") for one in (before, after))
    assert (first["coef: x"], second["coef: x"]) == pytest.approx((math.log(3), -math.log(3)))
    assert (first["p: x"], second["p: x"]) == pytest.approx((0.472011, 0.472011), abs=1e-6)
    assert (first["odds: x"], second["odds: x"]) == pytest.approx((0.75, 0.25))
    assert cup.logistic_max(before, after, "raw") == pytest.approx(2.197225, abs=1e-6)
    assert cup.logistic_max(before, after, "squashed") == pytest.approx(0.8)


@pytest.mark.filterwarnings("ignore:Perfect separation", "ignore:The design matrix")
def test_coefficients_of_terms_that_separate_the_outcomes_stop_where_those_of_the_script_do():
    glm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(3)
    outcome = rng.integers(0, 2, 60).astype(float)
    terms = np.column_stack([rng.normal(size=(60, 3)), outcome * 2 + rng.normal(size=60) / 10])
    fitted = glm.GLM(outcome, glm.add_constant(terms), family=glm.families.Binomial()).fit()
    beta, errors = logistic_terms._fitted(terms, outcome)
    assert abs(fitted.params[4]) > 20
    assert beta == pytest.approx(fitted.params, rel=1e-3)
    assert errors == pytest.approx(fitted.bse, rel=1e-3)


def test_terms_of_text_are_compared_with_the_first_level_and_blank_cells_are_one():
    before = table(asthma_flag=OUTCOME, x="0 0 0 0 1 1 0 1 1 0").with_columns(
        w=pl.Series(["b", "a", "", "b", "a", "b", "a", "", "a", "b"]), same=pl.lit("7")
    )
    names = {label.partition(": ")[2] for label in logistic_terms.logistic_figures(before, "asthma_flag")}
    assert names == {"x", "w_a", "w_b"}  # "(NA)" comes first; a constant column is no term


def test_a_target_with_one_value_has_no_regression():
    with pytest.raises(UndefinedError, match="asthma_flag must hold 0 and 1"):
        logistic_terms.logistic_figures(table(asthma_flag="0 0 0", x="1 2 3"), "asthma_flag")


def test_a_patient_without_an_age_is_in_no_group():
    rng = np.random.default_rng(5)
    patient = pl.DataFrame({name: rng.integers(0, 90, 40) for name in ("AGE", *cup.TESTED)}).cast(pl.String)
    ageless = patient.with_columns(
        AGE=pl.when(pl.int_range(40) < 6).then(pl.Series(["", "-3", "x"] * 2 + [""] * 34)).otherwise("AGE")
    )
    assert cup._kruskal(ageless) == cup._kruskal(patient[6:])
    assert cup._kruskal(ageless) != cup._kruskal(patient)


def test_kruskal_wallis_by_hand():
    before = _kruskal([1, 2], [2, 4, 5], [5, 9])
    after = _kruskal([2, 4], [1, 2, 5], [5, 9])
    assert list(before.values()) == pytest.approx([0.84, 0.062011, 0.5, 0.416667, 0.75, 0.0625, 0.875], abs=1e-6)
    assert list(after.values()) == pytest.approx(
        [0.591111, 0.043707, 0.233333, 0.194444, 0.527778, 0.25, 0.625], abs=1e-6
    )
    assert column_statistics.largest_difference_of_all(before, after) == pytest.approx(0.266667, abs=1e-6)
    assert set(_kruskal([1, 2], [3]).values()) == set(_kruskal([1, 1], [1, 1]).values()) == {0.0}


def _kruskal(*groups: list[int]) -> dict[str, float]:
    return kruskal_figures.kruskal_figures([np.array(group, float) for group in groups])


@pytest.mark.parametrize(("freedom", "limit"), [(1, 1424.99), (2, 1432.71), (3, 1439.54), (4, 1445.90)])
def test_a_tail_that_is_too_small_is_approximated(freedom, limit):
    assert kruskal_figures.minus_log_tail(limit - 0.02, freedom) > 300
    assert kruskal_figures.minus_log_tail(limit + 0.02, freedom) < 200
    assert kruskal_figures.minus_log_tail(2000, 4) == pytest.approx(192.687827, abs=1e-6)


def test_points_by_hand():
    assert cup.utility({"stats_max": 0.337341, "logistic_max": 0.8, "kruskal_max": 0.266667}) == pytest.approx(45.1730)
    assert cup.anonymity([1500, 900], 10_000, named_by=3) == pytest.approx(83)
    assert cup.anonymity([10], 10, named_by=2) == 0
    parts = cup.score_parts({"utility_without_model": 45.0}, 0.15)
    assert 180 - sum(parts.values()) == pytest.approx(45 + 85)


def test_each_synthetic_row_marks_its_nearest_patient():
    pool = table(age="10 20 30 50", sex="F F M M")
    assert cup.nearest_l1(table(age="19 28 55", sex="F f M"), pool).tolist() == [1, 3]
    (result,) = cup.attack(pool[[1, 2]], table(age="19 28 55", sex="F F M"), pool).values()
    assert (result.marked, result.hits, result.rate) == (2, 1, 0.5)


def test_the_nearest_patient_is_that_of_all_pairs():
    pool, shown = (patients.frame(200, seed=seed).cast(pl.String) for seed in (1, 2))
    numbers = [name for name in cup.COLUMNS if name not in ("GENDER", "RACE", "ETHNICITY")]
    a, c = (frame.select(pl.col(numbers).cast(float)).to_numpy() for frame in (pool, shown))
    far = np.abs(c[:, None] - a[None]) / np.maximum(np.ptp(a, axis=0), 1e-9)
    words = ["GENDER", "RACE", "ETHNICITY"]
    unequal = shown.select(words).to_numpy()[:, None] != pool.select(words).to_numpy()[None]
    nearest = (far.sum(axis=2) + 2 * unequal.sum(axis=2)).argmin(axis=1)
    assert cup.nearest_l1(shown, pool).tolist() == sorted(set(nearest.tolist()))


def test_files_that_follow_the_rules_are_fine(files, capsys):
    assert run_icefire(capsys, "check", "pwscup2025", *files).code == 0


HEADER = ",".join(cup.COLUMNS)


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [
        (1, lambda text: text.replace("GENDER,AGE", "AGE,GENDER", 1), "column 1 has 'AGE'; it must be 'GENDER'"),
        (1, lambda text: "\n".join(text.splitlines()[:-1]), "9 rows; B.csv has 10"),
        (
            1,
            lambda text: text.replace(",50,", ",1,", 1),
            "row 0, column AGE: '1' is not allowed; a number from 2",
        ),
        (1, lambda text: text.replace(",50,", ",50.5,", 1), "row 0, column AGE: '50.5' is not allowed"),
        (1, lambda text: text.replace(",50,", ",,", 1), "row 0, column AGE: an empty cell is not allowed"),
        (1, lambda text: text.replace("25.25", "25.255", 1), "row 0, column mean_bmi: '25.255' is not allowed"),
        (1, lambda text: text.replace("25.25", "90", 1), "row 0, column mean_bmi: '90' is not allowed"),
        (
            1,
            lambda text: text.replace("\nM,", "\nX,").replace("\nF,", "\nX,"),
            "column GENDER: 'X' is not allowed",
        ),
        (2, lambda text: text.replace("1", "2", 1), "row 0, column mark: '2' is not allowed; one of 0, 1"),
        (2, lambda text: text.replace("1", "0", 1), "9 ones; exactly 10 are needed"),
        (2, lambda text: text.replace("1", "1,1", 1), "row 0: 2 columns; 1 are needed"),
    ],
)
def test_every_rule_names_the_row_and_what_is_allowed(files, capsys, file, change, problem):
    files[file].write_text(change(files[file].read_text()))
    done = run_icefire(capsys, "check", "pwscup2025", *files)
    assert done.code == 2
    assert files[file].name in done.err
    assert problem in done.err


def test_the_members_a_team_was_given_may_lie_outside_the_ranges(files, capsys):
    files[0].write_text(files[0].read_text().replace(",50,", ",111,", 1))
    assert run_icefire(capsys, "check", "pwscup2025", *files).code == 0
    files[1].write_text(files[1].read_text().replace(",50,", ",111,", 1))
    done = run_icefire(capsys, "check", "pwscup2025", *files)
    assert (done.code, "row 0, column AGE: '111' is not allowed; a number from 2 to 110" in done.err) == (2, True)


def ranges(**changed) -> str:
    """The rules of a round, those of the final but for some columns."""
    every = {name: {"type": "number", "min": 0, "max": 9999, "max_decimal_places": 2} for name in cup.RANGES}
    every |= {name: {"type": "category", "values": list(values)} for name, values in cup.VALUES.items()}
    return json.dumps({"columns": every | changed})


@pytest.mark.parametrize("with_marks", [True, False])
def test_another_round_brings_its_own_ranges(files, capsys, tmp_path, with_marks):
    given = [*(files if with_marks else files[:2]), tmp_path / "ranges.json"]
    files[1].write_text(files[1].read_text().replace(",50,", ",111.5,", 1))
    given[-1].write_text(ranges())
    assert run_icefire(capsys, "check", "pwscup2025", *given).code == 0
    given[-1].write_text(ranges(AGE={"type": "number", "min": 60, "max": 120, "max_decimal_places": 0}))
    done = run_icefire(capsys, "check", "pwscup2025", *given)
    assert done.code == 2
    assert "row 0, column AGE: '111.5' is not allowed; a number from 60 to 120 without decimals" in done.err
    assert "row 1, column AGE: '50' is not allowed" in done.err
    files[1].write_text(files[1].read_text().replace("25.25", ".255", 1))
    given[-1].write_text(ranges())
    done = run_icefire(capsys, "check", "pwscup2025", *given)
    assert "row 0, column mean_bmi: '.255' is not allowed; a number from 0 to 9999 with at most 2 decimals" in done.err
    given[-1].write_text(ranges(GENDER={"type": "category", "values": ["X"]}))
    assert "column GENDER: " in run_icefire(capsys, "check", "pwscup2025", *given).err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "ranges.json: this is no JSON file"),
        ("[]", 'ranges.json: it must hold {"columns"'),
        (ranges(AGE=None), "ranges.json: column AGE: it is missing"),
        (ranges(AGE={"type": "date"}), "ranges.json: column AGE: type is 'date'; it takes number or category"),
        (ranges(AGE={"type": "category"}), "column AGE: values is None"),
        (ranges(AGE={"type": "number", "min": "2"}), "column AGE: min and max are '2' and None"),
        (ranges(AGE={"type": "number", "max_decimal_places": -1}), "column AGE: max_decimal_places is -1"),
    ],
)
def test_a_file_of_ranges_that_cannot_be_used_is_named(files, capsys, tmp_path, text, problem):
    (tmp_path / "ranges.json").write_text(text)
    done = run_icefire(capsys, "check", "pwscup2025", *files, tmp_path / "ranges.json")
    assert (done.code, problem in done.err) == (2, True), done.err


def test_the_audit_writes_measures_and_seeks_members(tmp_path, capsys):
    names = [tmp_path / name for name in ("B.csv", "C.csv", "A.csv")]
    pool = patients.frame(500)
    pool.head(200).write_csv(names[0])
    pool.slice(100, 200).write_csv(names[1])
    pool.write_csv(names[2])
    given = ("audit", *names[:2], "--contest", "pwscup2025", "--json", "-")
    card = json.loads(run_icefire(capsys, *given, "--pool", names[2]).out)
    assert list(card["measures"]) == list(cup.MEASURES)
    assert {name: card["attacks"]["nearest_l1"][name] for name in ("marked", "hits", "rate")} == {
        "marked": 200,
        "hits": 100,
        "rate": 0.5,
    }
    raw = json.loads(run_icefire(capsys, *given, "--param", "logistic_max.coefficients=raw").out)
    assert raw["measures"]["logistic_max"]["value"] > card["measures"]["logistic_max"]["value"]
    assert "name one with --pool A.csv" in raw["left_out"]["nearest_l1"]
    wrong = run_icefire(capsys, *given, "--param", "logistic_max.coefficients=rough")
    assert (wrong.code, "logistic_max.coefficients is 'rough'" in wrong.err) == (2, True)


def test_a_whole_game(tmp_path, monkeypatch):
    with opened_contest(tmp_path / "arena", monkeypatch, "pwscup2025", 400) as arena:
        pool = cup.read(arena.originals("final")["original.csv"])
        team = player(arena, "ice", "Ice")
        samples = drawn.files(arena, "final", team.team_id)
        members = np.array([int(row) for row in samples["drawn_2.csv"].split()])
        others = np.setdiff1d(np.arange(400), members)
        assert len(members) == 40
        assert len({tuple(one.split()) for one in samples.values()}) == 3
        assert samples != drawn.files(arena, "final", "another team")
        handed_in = {
            "released.csv": pool[members].write_csv().encode(),
            "correspondence.csv": "".join(f"{row}\n" for row in members).encode(),
        }

        def guess(files, truth):
            assert [int(row) for row in truth.split()] == members.tolist()
            assert files["released.csv"] != handed_in["released.csv"]  # shuffled
            marks = np.zeros(400, int)
            marks[members[:10]] = marks[others[:30]] = 1
            return "".join(f"{mark}\n" for mark in marks).encode()

        own_choice = {**handed_in, "correspondence.csv": "".join(f"{row}\n" for row in range(100, 140)).encode()}
        with pytest.raises(WrongInput) as refused:
            ice.submit(arena, team, "final", own_choice)
        assert "not the members of any sample drawn for the team" in str(refused.value.problems)
        _, board = play(arena, handed_in, guess, ours=team)
        (row,) = board.ice.rows
        assert (row.rank, row.samples, row.players) == (1, 1.0, 0.25)
        assert row.total == pytest.approx(100, abs=1e-6)  # unchanged: all points of usefulness, none of anonymity
        assert [(one.team, one.identified, one.score) for one in board.fire.rows] == [("Fire", 10, 0.1)]


def test_every_sample_drawn_for_a_team_can_be_measured(tmp_path):
    # One patient of fifty has asthma: most samples of five would hold none, and no release of theirs could be ranked.
    game = cup.CONTEST.play()
    pool = patients.frame(50).with_columns(asthma_flag=(pl.int_range(50) == 31).cast(pl.Int64))
    pool.write_csv(tmp_path / "original.csv")
    for seed in range(20):
        assert 31 in [int(row) for row in game.draw(tmp_path / "original.csv", seed).split()]
    game.write_unchanged(tmp_path)
    assert game.judge_original(tmp_path, 3)["broken"] == []


def test_members_of_the_arena_are_a_tenth_of_the_pool(tmp_path):
    game = cup.CONTEST.play()
    patients.frame(100).write_csv(tmp_path / "original.csv")
    patients.frame(10).write_csv(tmp_path / "released.csv")
    for text, problem in (
        ("1\n" * 9, "correspondence.csv: 9 rows; 10 members are needed"),
        ("1\n" * 10, "correspondence.csv: row 1, column member: '1' is not allowed; each member once"),
        ("100\n" + "1\n" * 9, "correspondence.csv: row 0, column member: '100' is not allowed"),
    ):
        (tmp_path / "correspondence.csv").write_text(text)
        assert problem in game.submission_problems(tmp_path)[0]
