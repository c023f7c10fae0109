"""A synthetic audit from end to end: what it says, what attacks receive, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire
from support.html_page import Page
from support.synthetic_tables import ROLES, gaussian_copula, noisy, population

import icefire
from icefire.audit.adapter import ReleaseFiles
from icefire.audit.plan import AuditPlan
from icefire.audit.synthetic.known_people import everything_known
from icefire.audit.synthetic.question import ask
from icefire.audit.synthetic.tables import load_tables
from icefire.core.errors import InputError, ParameterError

PEOPLE, OTHERS = population(300, 1), population(200, 2)
COPULA = gaussian_copula(PEOPLE, 250, 3)


def audit(released=COPULA, **options):
    options = {"synthetic": True, "holdout": OTHERS, **ROLES, **options}
    return icefire.audit(PEOPLE, released, **options)


def test_every_attack_carries_its_figures_at_the_top_of_its_json():
    card = json.loads(audit(attacks=["dcr", "identical"]).scorecard.to_json())
    for result in card["membership"]["attacks"].values():
        assert 0 <= result["auc_ci"][0] <= result["auc"] <= result["auc_ci"][1] <= 1
        assert set(result["tpr_at_fpr"]) == set(result["tpr_at_fpr_ci"]) == {"0.01", "0.001"}
        assert 0 <= result["advantage"] <= 1
        assert result["rare"]["members"] == 30
        assert result["roc"][-1] == [1, 1]
    assert card["synthetic"]["basis"] == "holdout"
    assert card["synthetic"]["holdout"]["rows"] == 200


def test_independent_noise_is_at_chance_and_the_people_themselves_at_the_maximum():
    noise = population(300, 17)
    for result in audit(noise).scorecard.membership.attacks.values():
        assert result.auc_ci[0] - 0.03 <= 0.5 <= result.auc_ci[1] + 0.03
    unchanged = audit(PEOPLE).scorecard.membership.attacks
    for name in ("dcr", "nndr", "identical", "distance_classifier"):
        assert (unchanged[name].auc, unchanged[name].tpr_at_fpr["0.001"]) == (1, 1), name
    copied = audit(noisy(PEOPLE, 0.05)).scorecard.membership.attacks
    assert all(unchanged[name].auc >= copied[name].auc - 0.03 for name in unchanged)


def test_the_same_seed_gives_the_same_scorecard():
    def untimed(part):
        if isinstance(part, dict):
            return {name: untimed(value) for name, value in part.items() if name not in ("seconds", "created")}
        return [untimed(value) for value in part] if isinstance(part, list) else part

    one, other = (untimed(json.loads(audit().scorecard.to_json())) for _ in range(2))
    assert one == other


def test_hidden_values_are_judged_against_the_hold_out():
    card = audit(attacks=["dcr", "nearest"]).scorecard
    assert card.attributes.control == "hold-out"
    assert set(card.attributes.columns) == {"income", "rent", "weight"}
    assert "attribute_advantage" in {limit.name for limit in card.limits}


def test_an_attack_knows_nothing_of_the_group_that_is_asked_about():
    original = icefire.read(PEOPLE, **ROLES)
    tables = load_tables(original, ReleaseFiles(COPULA), OTHERS, None)
    question = ask(tables, everything_known(tables, tables.holdout), None, AuditPlan(seed=4))
    assert sorted(np.concatenate(question.groups)) == list(range(500))
    shares = {round(float(question.member[group].mean()), 2) for group in question.groups}
    assert shares == {0.6}
    for case in question.cases:
        known = set(case.records.frame.rows())
        assert not known & set(case.examples.records.frame.rows())
        assert not known & set(case.background.frame.rows())
        assert case.original is None
        outside = case.examples.records.frame.filter(~case.examples.member)
        placed = case.background.frame[case.examples.in_background[~case.examples.member]]
        assert outside.equals(placed)
        assert (case.examples.in_background[case.examples.member] == -1).all()


def test_records_name_the_nearest_person_of_every_released_row():
    records = audit(PEOPLE[::-1], attacks=["dcr"]).records
    assert records["nearest_original_row"].to_list() == list(range(299, -1, -1))
    assert records["identical"].all()


def test_overlap_and_missing_columns_are_stated():
    mixed = pl.concat([OTHERS, PEOPLE[:20]])
    card = audit(COPULA.drop("rent"), holdout=mixed, attacks=["dcr"]).scorecard
    assert card.synthetic.holdout.overlap == 20
    assert card.synthetic.holdout.overlapping_rows[0] == 200
    assert card.synthetic.not_released == ["rent"]
    assert "rent" in card.verdict.text


def test_the_report_shows_copies_distances_and_the_curve():
    card = audit().scorecard
    page = Page(card)
    assert "Are people copied?" in page.text
    assert "ROC curve of" in page.text
    assert "Rare people: the tenth" in page.text
    assert page.source.count("<polyline") == 2
    assert "No attack ran" not in page.text, "nobody's origin was asked"
    assert 'href="#people"' not in page.source
    without = Page(icefire.audit(PEOPLE, COPULA, synthetic=True, **ROLES).scorecard)
    assert "What could not be judged" in without.text
    assert "--holdout" in without.text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"aligned": True}, "aligned is for releases whose rows come from people"),
        ({"method_known": True}, "method_known is for releases whose rows"),
        ({"max_reid": 0.1}, "a limit on 'reid' needs released rows that come from people"),
        ({"limits": {"danger": 0.1}}, "limit membership_tpr instead"),
        ({"attacks": ["link"]}, "attack 'link' needs released rows that come from people"),
        ({"measures": ["k_min"]}, "measure 'k_min' needs released rows that come from people"),
        ({"synthetic": False, "aligned": True, "background": "b.csv"}, "background is for synthetic releases"),
    ],
)
def test_options_that_do_not_go_together_are_one_error(options, words):
    with pytest.raises(ParameterError, match=words):
        audit(**options)


def test_an_attack_on_synthetic_releases_is_refused_elsewhere():
    with pytest.raises(ParameterError, match="add synthetic=True"):
        icefire.audit(PEOPLE, PEOPLE, aligned=True, ask=["membership"], attacks=["dcr"], **ROLES)


def test_the_verb_attack_refuses_attacks_that_name_no_rows():
    with pytest.raises(ParameterError, match=r"use icefire.audit\(…, synthetic=True\)"):
        icefire.attack("dcr", PEOPLE, COPULA, **ROLES)


def test_a_hold_out_that_is_the_original_is_refused():
    with pytest.raises(InputError, match="300 of its 300 rows equal rows of the original"):
        audit(holdout=PEOPLE)


def test_columns_may_be_called_like_those_that_are_counted_with():
    names = {"age": "len", "town": "count", "sex": "index", "income": "rows"}
    roles = {"qi": ["len", "count", "index"], "sa": ["rows", "rent", "weight"]}
    tables = [table.rename(names) for table in (PEOPLE, COPULA, OTHERS)]
    again = icefire.audit(*tables[:2], synthetic=True, holdout=tables[2], attacks=["dcr"], measures=[], **roles)
    usual = audit(attacks=["dcr"], measures=[])
    assert again.scorecard.membership.attacks["dcr"].auc == usual.scorecard.membership.attacks["dcr"].auc


def test_people_drawn_with_replacement_are_not_called_the_original_itself():
    def copied(released):
        reasons = audit(released, attacks=["dcr"], measures=[]).scorecard.verdict.reasons
        return next(reason.text for reason in reasons if reason.code == "verbatim")

    rng = np.random.default_rng(5)
    assert "the original itself" in copied(PEOPLE[rng.permutation(300)])
    assert "released rows" in copied(PEOPLE[rng.integers(300, size=300)])


def test_a_limit_may_be_looser_or_on_one_attack():
    verdict = audit(noisy(PEOPLE, 0.3), limits={"membership_tpr": 0.99}).scorecard
    assert [limit.name for limit in verdict.limits] == ["membership_tpr"]
    assert verdict.limits[0].passed
    named = audit(limits={"dcr": 0.5, "membership_tpr": 0.2}).scorecard.limits
    assert {limit.name: limit.passed for limit in named} == {"dcr": True, "membership_tpr": True}


def test_the_command_line(tmp_path, capsys):
    for name, table in {"x": PEOPLE, "y": COPULA, "h": OTHERS}.items():
        table.write_csv(tmp_path / f"{name}.csv")
    words = [str(tmp_path / "x.csv"), str(tmp_path / "y.csv"), "--qi", "age,town,sex", "--sa", "income,rent,weight"]
    words += ["--policy", "trusted"]
    done = run_icefire(capsys, "audit", *words, "--synthetic", "--holdout", tmp_path / "h.csv")
    assert done.code == 0
    assert "Who is in the release" in done.out
    assert run_icefire(capsys, "audit", *words, "--synthetic").code == 1
    absent = run_icefire(capsys, "audit", *words, "--synthetic", "--holdout", tmp_path / "none.csv")
    assert absent.code == 2
    assert "none.csv" in absent.err
