"""Figures that pages show are made again: what the page says with its command and seed is what comes out today."""

from __future__ import annotations

import importlib.util
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.doc_tables import assert_shown, doc_table
from support.history_tables import CONTEST
from support.places import DOCS

import icefire
from icefire.core import blocks
from icefire.core.seeds import DEFAULT_SEED
from icefire.studies import p1_changes, p1_dummies, shop
from icefire.theory import dummies as theory
from icefire.theory import membership

HOUSEHOLD_ATTACKS = ("id_rand", "id_sa", "sort", "sa_nearest", "euc1", "euc2")
SEED = 11
"""Of the method pages."""


@cache
def households() -> Any:
    return icefire.sample("households")


def make_methods() -> ModuleType:
    """Return the script that measures the method pages: it knows the steps of every line."""
    spec = importlib.util.spec_from_file_location("make_methods", DOCS / "make_methods.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_method_line(page: str, line: str, attacks: tuple[str, ...]) -> None:
    """Make one release of a method page again and compare measures and attacks."""
    steps = make_methods().RELEASES[page][line]
    release = icefire.anonymize(households(), {"step": steps}, seed=SEED)
    card = icefire.audit(households(), release, attacks=attacks, measures=["U1", "U2", "U3", "U4", "U5"]).scorecard
    shown = doc_table(f"methods/{page}.md", "release", "rows", "U5")[line]
    assert_shown(shown["rows"], release.released.height)
    for result in card.measures.values():
        assert_shown(shown[result.code], result.value or 0.0)
    for name, result in card.attacks.items():
        assert_shown(shown[name], result.rate)


@pytest.mark.parametrize(
    ("page", "line", "attacks"),
    [
        ("round_values", "default bases", ("sort", "sa_nearest")),
        ("top_code", "quantile = 0.95, drop", ("id_rand", "euc1")),
        ("swap", "default", ("euc1",)),
    ],
)
def test_method_pages(page: str, line: str, attacks: tuple[str, ...]) -> None:
    check_method_line(page, line, attacks)


HEAVY_PAGES = ("average", "delete", "noise", "rank_swap", "round_values", "shuffle", "suppress_rows", "top_code")


@pytest.mark.heavy
@pytest.mark.parametrize("page", HEAVY_PAGES)
def test_whole_tables_of_method_pages(page: str) -> None:
    shown = doc_table(f"methods/{page}.md", "release", "rows", "U5")
    for line in make_methods().RELEASES[page]:
        attacks = tuple(name for name in HOUSEHOLD_ATTACKS if name in shown[line])
        check_method_line(page, line, attacks)


def test_risk_models_of_the_household_sample() -> None:
    shown = doc_table("risk.md", "release", "alone in their class")
    steps: dict[str, list[dict[str, Any]]] = {
        "noise 0.1": [{"method": "noise", "scale": 0.1}],
        "k_anonymize k = 5": [{"method": "k_anonymize", "k": 5}],
    }
    for line, made_by in steps.items():
        released = icefire.anonymize(households(), {"step": made_by}, seed=SEED).released
        sizes = blocks.class_sizes(released.frame, released.qi)
        assert_shown(shown[line]["prosecutor, highest"], 1 / sizes.min())
        classes = released.frame.select(released.qi).unique().height
        assert_shown(shown[line]["prosecutor, mean"], classes / released.height)
        assert_shown(shown[line]["alone in their class"], int((sizes == 1).sum()))


def test_the_survey_sample_and_the_score_of_saying_member() -> None:
    people = icefire.sample("survey")
    frame = people.frame
    shown = {line: cells["sample"] for line, cells in doc_table("survey.md", "of 4,190 rows", "sample").items()}
    assert_shown(shown["mean age, mean body mass index"], frame["age"].mean(), frame["bmi"].mean())
    assert_shown(
        shown["with diabetes, depressed, poor"],
        *(frame[name].mean() for name in ("dia", "dep", "pir")),
    )
    others = icefire.swap_candidates(
        people, numbers=["age", "bmi"], categories=["gen", "race", "edu", "mar", "dep", "pir", "qm", "dia"]
    )["count"]
    line = "others within iloss ≤ 4 of a row: median, rows with at most 25, with none"
    assert_shown(shown[line], others.median(), int((others <= 25).sum()), int((others == 0).sum()))
    scores = doc_table("survey.md", "chance of finding this row", "0.0001")
    for chance in ("1", "0.1", "0.01", "0.0001"):
        for words, says_member in (("expected score if called a member", True), ("if not", False)):
            assert_shown(scores[words][chance], membership.expected_score(float(chance), says_member))


def test_the_theory_of_dummies_on_the_shop_sample() -> None:
    sample = icefire.sample("shop")
    size = sample.subjects, sample.height, len(sample.goods)
    assert size == (400, 39_246, 2_783)
    for clusters, line in doc_table("histories.md", "c", "E(Δm)").items():
        assert_shown(line["E(Δm)"], theory.expected_dummies(*size, int(clusters)))
    assert theory.best_clusters(*size) == 69


@pytest.mark.heavy
def test_known_points_of_the_shop_sample() -> None:
    shown = doc_table("known_points.md", "known", "singled out by some points")["1 / 2 / 3 goods"]
    inspections = [icefire.inspect(icefire.sample("shop"), points=f"items:{k}") for k in (1, 2)]
    singled = [float((np.array(one.risk) == 1).mean()) for one in inspections]
    mean = [float(np.mean(one.points.mean_risk)) for one in inspections]
    assert_shown(shown["mean risk, random points"].replace(" / 63", ""), *mean)
    assert_shown(shown["singled out by some points"].replace(" / 96", ""), *singled)


def test_dummies_of_the_contest_data() -> None:
    if not CONTEST.is_dir():
        pytest.skip("the shared data (../shared/data/pwscup2016) is not here")
    held = shop.history(None, DEFAULT_SEED, CONTEST).baskets
    shown = doc_table("methods/dummies.md", "clusters, least size", "smallest_first")
    for method, least in {"tfidf": None, "balanced": 3, "smallest_first": 3}.items():
        setting = shop.ClusterSetting(method, 125, least)
        runs = shop.run_settings(held, {setting: p1_dummies.RUNS}, DEFAULT_SEED, lambda _: None)[setting]
        assert_shown(shown["125, 3"][method], float(np.mean([run.dummies for run in runs])))


def test_altering_deleting_and_adding_on_the_shop_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p1_changes, "RATES", (0.9,))
    monkeypatch.setattr(p1_changes, "CLUSTERS", (200,))
    _, table5, _ = p1_changes.parts(None, DEFAULT_SEED, lambda _: None)
    shown = doc_table("histories.md", "rows changed", "found by Algorithm 1")
    lines = {line["way"]: line for line in table5.table.to_dicts()}
    for way in p1_changes.CHANGES:
        cells = shown[f"{way}, 90 %"]
        assert_shown(
            cells["found by Algorithm 1"].replace("±", ""), lines[way]["jaccard"], lines[way]["jaccard_interval"]
        )
        assert_shown(cells["false rows"], lines[way]["false"])
        assert_shown(cells["U3"], lines[way]["U3"])
    assert_shown(shown["adding in 200 clusters"]["rows changed"], lines[p1_changes.IN_CLUSTERS]["rate"])


SURVEY_COLUMNS = {"numbers": ["age", "bmi"], "categories": ["gen", "race", "edu", "mar", "dep", "pir", "qm", "dia"]}
SURVEY_FORMULA = "dia ~ gen + age + race + edu + mar + bmi + dep + pir + qm"
SURVEY_STEPS: dict[str, list[dict[str, Any]]] = {
    "swap_rows, few = 25": [{"method": "swap_rows", "few": 25, **SURVEY_COLUMNS}],
    "delete_by_candidates few = 25, swap_rows": [
        {"method": "delete_by_candidates", "few": 25, **SURVEY_COLUMNS},
        {"method": "swap_rows", **SURVEY_COLUMNS},
    ],
    "scatter_rows as on its page": [
        {"method": "scatter_rows", "formula": SURVEY_FORMULA, "drift": 0.03, "correlation": 0.1, "alone": 0.5}
        | SURVEY_COLUMNS
    ],
}


def test_candidates_of_the_survey_sample() -> None:
    text = (DOCS / "methods" / "delete_by_candidates.md").read_text(encoding="utf-8")
    near, far = (
        icefire.swap_candidates(icefire.sample("survey"), limit=limit, **SURVEY_COLUMNS)["count"] for limit in (4, 6)
    )
    few = int((near <= 25).sum())
    assert f"{near.min()} to {near.max()}, half of them {near.median():.0f} or more, {(near == 0).sum()} none" in text
    assert f"{few} rows go. At a limit of 6 they have {far.min()} to {far.max()}." in text


def test_rows_of_the_survey_releases() -> None:
    shown = doc_table("methods/swap_rows.md", "sample survey, 4,190 rows", "uniqrt")
    assert list(shown) == list(SURVEY_STEPS)
    release = icefire.anonymize(icefire.sample("survey"), {"step": SURVEY_STEPS["swap_rows, few = 25"]}, seed=SEED)
    assert_shown(shown["swap_rows, few = 25"]["rows"], release.released.height)


@pytest.mark.heavy
@pytest.mark.parametrize("line", SURVEY_STEPS)
def test_measures_of_the_survey_releases(line: str) -> None:
    people = icefire.sample("survey")
    release = icefire.anonymize(people, {"step": SURVEY_STEPS[line]}, seed=SEED)
    names = ["iloss", "uniqrt", "rate_max", "or_max", "cor_max"]
    parameters = {"or_max": {"formula": SURVEY_FORMULA}, "rate_max": {"by": "dia"}}
    card = icefire.audit(people, release, attacks=["id_rand"], measures=names, parameters=parameters).scorecard
    shown = doc_table("methods/swap_rows.md", "sample survey, 4,190 rows", "uniqrt")[line]
    assert_shown(shown["rows"], release.released.height)
    for name in names:
        assert_shown(shown[name], card.measures[name].value or 0.0)


def test_regions_of_local_recoding() -> None:
    shown = doc_table("local_recoding.md", "groups", "mean size")
    released = icefire.anonymize(households(), {"step": [{"method": "k_anonymize", "k": 5}]}, seed=SEED).released
    classes = released.frame.select(released.qi).unique().height
    assert_shown(shown["Mondrian, k = 5"]["mean size"], released.height / classes)


PAGES_WITH_A_COMMAND = {
    "risk.md": "seed 11",
    "survey.md": "icefire sample survey",
    "histories.md": "icefire study p1-changes",
    "known_points.md": "icefire inspect",
    "methods/dummies.md": "icefire study p1-dummies",
    "methods/swap_rows.md": "seed=11",
    "methods/scatter_rows.md": "icefire study p3-pipeline",
    "methods/delete_by_candidates.md": "icefire.swap_candidates",
    "local_recoding.md": "seed=11",
    "attacks_on_histories.md": "icefire study p1-releases",
    **{f"methods/{name}.md": "seed=11" for name in ("average", "noise", "round_values", "swap", "top_code", "unify")},
}


@pytest.mark.parametrize("page", PAGES_WITH_A_COMMAND)
def test_a_page_of_figures_says_how_they_are_made(page: str) -> None:
    assert PAGES_WITH_A_COMMAND[page] in (DOCS / page).read_text(encoding="utf-8")
