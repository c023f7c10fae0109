"""Studies repeat tables and figures of the papers; here on few rows, with the arithmetic checked by hand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import icefire
from icefire import studies
from icefire.core.errors import MissingPackageError, OutputError, ParameterError, UnknownNameError
from icefire.io.marker import MARKER
from icefire.studies import effect_labels, households, p0_attacks, p0_attributes, p0_methods, printed, writing

STUDIES = ("p0-attacks", "p0-attributes", "p0-methods")
LONG_STUDIES = ("p0-attacks", "p0-methods")
ROWS = 120


@pytest.fixture(scope="module", autouse=True)
def few_orders() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(p0_attributes, "ORDERS", 2)
        patch.setattr(p0_attributes, "REPEATS", 1)
        yield


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, studies.result.StudyResult]:
    folder = tmp_path_factory.mktemp("studies")
    return {name: studies.run_study(name, folder / name, rows=ROWS, seed=7) for name in STUDIES}


@pytest.fixture
def two_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p0_attacks, "RELEASES", dict(list(p0_attacks.RELEASES.items())[:2]))


def csv(result, name: str) -> pl.DataFrame:
    return pl.read_csv(result.folder / f"{name}.csv")


def said(result) -> str:
    console = Console(file=io.StringIO(), width=80)
    result.show(console)
    return console.file.getvalue()


# --- finding a study -------------------------------------------------------------------------------------------


def test_every_study_is_found_by_the_name_of_its_file():
    assert set(STUDIES) <= set(studies.available())
    assert studies.load("p0-methods") is p0_methods


def test_every_study_says_in_its_first_line_what_it_repeats():
    for name in studies.available():
        first = (studies.load(name).__doc__ or "").partition("\n")[0]
        assert first.startswith("P") or not name.startswith("p")
        assert first.endswith(".")


def test_an_unknown_study_is_answered_with_the_nearest_one():
    with pytest.raises(UnknownNameError, match="did you mean 'p0-attacks'"):
        studies.load("p0-attack")


def test_a_helper_module_is_not_a_study():
    with pytest.raises(UnknownNameError, match="no study is called 'lab'"):
        studies.load("lab")


# --- what is written and shown ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STUDIES)
def test_every_file_named_in_the_result_is_written_and_nothing_else(results, name):
    found = sorted(path.name for path in results[name].folder.iterdir() if path.name != MARKER)
    assert found == sorted(results[name].files)
    assert all((results[name].folder / file).stat().st_size > 0 for file in found)


@pytest.mark.parametrize("name", STUDIES)
def test_a_picture_comes_as_png_and_as_svg(results, name):
    pictures = {Path(file).stem for file in results[name].files if file.endswith(".png")}
    assert pictures
    assert pictures == {Path(file).stem for file in results[name].files if file.endswith(".svg")}


@pytest.mark.parametrize("name", STUDIES)
def test_the_readme_explains_the_study_and_how_to_repeat_it(results, name):
    text = (results[name].folder / "README.md").read_text(encoding="utf-8")
    assert studies.load(name).__doc__.partition("\n")[0] in text
    assert f"icefire study {name} --rows {ROWS} --seed 7" in text
    assert all(part.name in text for part in results[name].parts)


@pytest.mark.parametrize("name", STUDIES)
def test_the_tables_shown_fit_eighty_columns_and_nothing_is_cut(results, name):
    text = said(results[name])
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text
    assert all(file in text for file in results[name].files)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.heavy) if name in LONG_STUDIES else name for name in STUDIES]
)
def test_the_same_seed_gives_the_same_bytes_except_for_times(results, name, tmp_path):
    again = studies.run_study(name, tmp_path / name, rows=ROWS, seed=7)
    timed = {part.name for part in again.parts if part.timed}
    assert again.files == results[name].files
    for file in again.files:
        if Path(file).stem not in timed:
            assert (again.folder / file).read_bytes() == (results[name].folder / file).read_bytes(), file


def test_another_seed_gives_another_result(results, two_releases):
    other = p0_attacks.parts(ROWS, 8, lambda _: None)[0].table
    assert not writing.rounded(other).equals(csv(results["p0-attacks"], "table16").head(2))


def test_without_matplotlib_the_extra_is_named_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr("icefire.core.extras.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"needs matplotlib; install with: pip install 'icefire\[plots\]'"):
        studies.run_study("p0-attacks", tmp_path / "out", rows=100, seed=7)
    assert not (tmp_path / "out").exists()


def test_a_study_that_fails_leaves_no_folder(tmp_path, two_releases, monkeypatch):
    monkeypatch.setattr(p0_attacks, "_table16", lambda cards: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        studies.run_study("p0-attacks", tmp_path / "out", rows=100, seed=7)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_replaced_only_by_force(tmp_path, two_releases):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"notes\.txt; nothing was replaced"):
        studies.run_study("p0-attacks", tmp_path, rows=100, seed=7)
    for _ in range(2):
        studies.run_study("p0-attacks", tmp_path / "new", rows=100, seed=7, force=True)
    assert (tmp_path / "new" / "table16.csv").exists()


def test_too_few_rows_are_refused_with_a_number_that_works(tmp_path):
    with pytest.raises(ParameterError, match="rows=100 or more"):
        studies.run_study("p0-attacks", tmp_path / "out", rows=20, seed=7)


def test_what_rounding_left_over_is_written_as_zero():
    frame = writing.rounded(pl.DataFrame({"a": [1 / 3, -3e-17, None], "b": [1, 2, 3]}))
    assert frame["a"].to_list() == [0.3333333333, 0.0, None]
    assert frame["b"].to_list() == [1, 2, 3]


# --- p0-methods: numbers become words --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "relative", "word"),
    [
        ("U1", 0.0, "-"),
        ("U1", 1e-12, "-"),
        ("U1", 0.049, "slightly"),
        ("U1", 0.05, "negative"),
        ("S2", 1.0, "-"),
        ("S2", 1.009, "-"),
        ("S2", 1.02, "positive"),
        ("S2", 0.97, "negative"),
        ("E3", 1.0, "vulnerable"),
        ("E3", 0.9, "vulnerable"),
        ("E3", 0.5, "slightly"),
        ("E3", 0.1, "positive"),
        ("EUC1", 0.0, "positive"),
        ("E4", None, None),
    ],
)
def test_a_relative_size_becomes_a_word(code, relative, word):
    assert effect_labels.label(code, relative) == word


def test_scales_are_the_sizes_of_what_the_measures_compare(paper_x):
    # s1 = 100, 200, 300, 400 and s2 = 100, 400, 200, 500: means 250 and 300, so U1 and U2 are on a scale of 275.
    # Two cells of (q1, q2, q3) for four rows: 2 rows a cell. Deviations (-150, -50, 50, 150) and (-200, 100, -100,
    # 200): products 30,000 - 5,000 - 5,000 + 30,000 = 50,000; squares 50,000 and 100,000; r = 1 / sqrt 2.
    scales = effect_labels.scales(paper_x)
    assert scales["U1"] == scales["U2"] == 275
    assert scales["U3"] == 2
    assert scales["U4"] == pytest.approx(0.5**0.5)
    assert scales["U6"] == 4


def test_the_loss_to_a_stranger_is_the_mean_distance_of_two_rows():
    # 0, 1, 3: distances 1, 2, 3, mean 2, range 3. The constant column loses nothing.
    assert effect_labels.stranger_loss(np.array([[0.0, 5.0], [3.0, 5.0], [1.0, 5.0]])) == pytest.approx((2 / 3 + 0) / 2)


def test_the_printed_tables_name_every_release_and_measure():
    assert len(printed.P0_TABLE_12) == 13 * 8
    assert set(printed.P0_TABLE_12.values()) == {"-", "slightly", "negative", "positive", "vulnerable"}
    assert len(printed.P0_TABLE_13) == 14 * 8


def test_methods_are_measured_at_both_sizes_beside_what_is_expected(results):
    effects = csv(results["p0-methods"], "effects")
    wanted = {"release", "size", "measure", "value", "measured_label", "expected_label", "agrees"}
    assert wanted <= set(effects.columns)
    assert effects["size"].unique().sort().to_list() == [100, ROWS]
    # 9 tables (the original and eight releases) by 14 measures and attacks, at two sizes.
    assert effects.height == 2 * 9 * 14
    judged = effects.filter(pl.col("expected_label").is_not_null())
    assert judged.height == 2 * 8 * 13
    assert (judged["agrees"] == (judged["measured_label"] == judged["expected_label"])).all()


def test_agreements_are_counted_again_where_a_change_is_expected():
    # "-" and "vulnerable" expect no change; of the other two one agrees.
    part = pl.DataFrame(
        {"expected_label": ["-", "vulnerable", "slightly", "positive"], "agrees": [True, True, True, False]}
    )
    assert p0_methods._effects(part) == "1 of the 2 that expect a change"


def test_the_wide_table_has_the_form_of_the_paper(results):
    wide = csv(results["p0-methods"], "table13_100")
    assert wide.columns == ["measure", "original", *printed.RELEASES]
    assert wide["measure"].to_list() == list(p0_methods.CODES)


def test_the_agreements_said_are_those_in_the_table(results):
    effects = csv(results["p0-methods"], "effects").filter(size=100)
    same = effects["agrees"].sum()
    assert f"100 rows: {same} of 104 labels are as expected;" in said(results["p0-methods"])
    counts = csv(results["p0-methods"], "thresholds").filter(size=100, slightly_below=effect_labels.SLIGHT)
    assert counts["agreements"].to_list() == [same]


def test_facts_that_hold_for_any_table_are_found(results):
    value = csv(results["p0-methods"], "effects").filter(size=100)
    cell = {(line["release"], line["measure"]): line["value"] for line in value.to_dicts()}
    assert cell["original", "EUC1"] == 1
    assert cell["Da", "S1"] >= 3
    assert cell["Dc", "U1"] == 0
    assert cell["Dc", "U5"] > 0
    assert cell["Dc", "E1"] < 0.05
    assert cell["Dd", "U2"] == cell["Dd", "U3"] == 0
    assert cell["De", "U3"] > 0
    assert cell["Dg", "U1"] == cell["Dg", "U3"] == 0
    assert cell["Dh", "U6"] == 10


def test_a_table_of_the_small_size_is_measured_once():
    parts = p0_methods.parts(100, 7, lambda _: None)
    assert [part.name for part in parts] == ["table13_100", "effects", "thresholds"]


def test_an_attack_that_fails_on_the_original_gets_no_label():
    line = p0_methods._line("Da", "k-anon.", 100, "E4", 0.0, 0.0)
    assert dict(zip(p0_methods.SCHEMA, line, strict=True))["measured_label"] is None


# --- p0-attacks: mean, deviation, best -------------------------------------------------------------------------


def test_ties_share_the_mark_as_printed_and_zero_is_never_best():
    rates = np.array([[0.1, 0.3, 0.3], [0.0211, 0.0209, 0.0], [0.0, 0.0001, 0.0], [1.0, 0.2, 0.5]])
    assert p0_attacks.best(rates).tolist() == [
        [False, True, True],
        [True, True, False],  # 0.021 both, as printed
        [False, False, False],  # 0.000 everywhere
        [True, False, False],
    ]


def test_mean_and_deviation_are_those_computed_by_hand():
    # 0.2, 0.4, 0.9: mean 0.5, squares 0.09 + 0.01 + 0.16 = 0.26, over n - 1 = 2 is 0.13.
    rates = np.array([[0.2, 0.1], [0.4, 0.4], [0.9, 1.0]])
    total = p0_attacks.summary(rates, ("E1", "EUC2"))
    assert total["mean"].to_list() == pytest.approx([0.5, 0.5])
    assert total["sd"][0] == pytest.approx(0.13**0.5)
    assert total["best_of_6"].to_list() == [2, 2]
    # Without EUC2 only E1 is left, and is best each time.
    assert total["best_of_5"].to_list() == [3, None]


def test_twelve_releases_meet_six_attacks_and_the_judge(results):
    table = csv(results["p0-attacks"], "table16")
    assert table.columns == ["release", "recipe", "E1", "E2", "E3", "E4", "EUC1", "EUC2", "AYA"]
    assert table["release"].to_list() == [f"D{i}" for i in range(1, 13)]
    assert (table["AYA"] >= table.select(pl.max_horizontal("E2", "E3", "E4", "EUC1", "EUC2")).to_series()).all()


def test_the_summary_counts_the_stars_that_are_shown(results):
    counts = csv(results["p0-attacks"], "summary")["best_of_6"].sum()
    lines = [line for line in said(results["p0-attacks"]).splitlines() if line.startswith("D")]
    assert sum(line.count("*") for line in lines) == counts > 0


def test_times_have_a_file_of_their_own(results):
    assert csv(results["p0-attacks"], "seconds").columns == ["release", *households.ATTACKS]
    assert not any("second" in c for c in csv(results["p0-attacks"], "table16").columns)


# --- p0-attributes: more and more attributes -------------------------------------------------------------------


def test_both_sweeps_are_complete(results):
    rates = csv(results["p0-attributes"], "rates")
    assert rates.filter(varied="|q|")["count"].to_list() == list(range(1, 14))
    assert rates.filter(varied="|s|")["count"].to_list() == list(range(1, 13))
    assert (rates["random_low"] <= rates["random_mean"]).all()
    assert (rates["random_mean"] <= rates["random_high"]).all()


def test_with_all_attributes_the_order_does_not_matter(results):
    last = csv(results["p0-attributes"], "rates").group_by("varied").last()
    assert last["table_order"].to_list() == pytest.approx(last["random_low"].to_list())
    assert last["table_order"].to_list() == pytest.approx(last["random_high"].to_list())


def test_a_sweep_reads_the_same_rate_as_the_attack_itself(results):
    original = icefire.sample("households", ROWS, seed=7)
    made = households.make_release(original, p0_attributes.NOISE, 7)
    guess = icefire.attack("euc1", original, made, parameters={"qi": original.qi[:2]})
    rates = csv(results["p0-attributes"], "rates").filter(varied="|q|", count=2)
    assert rates["table_order"].to_list() == pytest.approx([icefire.score(made.truth, guess).rate])


def test_orders_are_the_given_one_and_seeded_random_ones():
    first, *others = p0_attributes.orders(("a", "b", "c"), 7)
    assert first == ["a", "b", "c"]
    assert all(sorted(order) == first for order in others)
    assert p0_attributes.orders(("a", "b", "c"), 7)[1:] == others


def test_the_summary_separates_the_table_order_from_the_random_ones():
    # Table order 0.5; random orders 0.2 and 0.4: mean 0.3.
    found = pl.DataFrame({"varied": ["|q|"] * 3, "count": [1] * 3, "order": [0, 1, 2], "rate": [0.5, 0.2, 0.4]})
    assert p0_attributes.summary(found, "rate").row(0) == ("|q|", 1, 0.5, pytest.approx(0.3), 0.2, 0.4)
