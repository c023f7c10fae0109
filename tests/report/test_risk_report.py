"""Risk models in an audit, in JSON, on the command line, and in words beside the attacks."""

from __future__ import annotations

import json

import msgspec
import polars as pl
import pytest
from support.commands import run_icefire as command
from support.html_page import Page
from support.places import DOCS
from support.report_card import ATTACKS, ROWS, full_card

import icefire
from icefire.core import scorecard
from icefire.report.sentences import risk_table
from icefire.report.sentences import risks as sentences
from icefire.risk import Reached, SafeHarbour

ours = msgspec.structs.replace


def card_with(classes=None, **changes):
    """The full card with other risks."""
    risks = full_card().risks
    return full_card(risks=ours(risks, classes=ours(risks.classes, **(classes or {})), **changes))


def told(card):
    return " ".join([sentences.finding(card), *sentences.reading(card)])


@pytest.fixture(scope="module")
def found():
    data = icefire.sample("households", 120)
    recipe = {"seed": 3, "step": [{"method": "k_anonymize", "k": 3}, {"method": "noise", "scale": 0.05}]}
    return icefire.audit(data, icefire.anonymize(data, recipe), population=9_000, risk_threshold=0.3)


def test_an_audit_assesses_risks_that_agree_with_the_rest_of_the_card(found):
    card = found.scorecard
    risks = card.risks
    assert risks.rows == 120
    assert risks.threshold == 0.3
    assert 1 / risks.classes.prosecutor.highest == card.measures["k_min"].value
    assert 1 / risks.classes.prosecutor.mean == pytest.approx(card.measures["k_mean"].value)
    assert risks.classes.unique == sum(g.rows for g in card.class_sizes if g.high == 1)
    assert {name: reached.hits for name, reached in risks.attacks.items()} == {
        n: a.hits for n, a in card.attacks.items()
    }
    assert card.attacks["id_rand"].answered == 120 - risks.classes.unmatched
    assert risks.classes.population.size == 9_000


def test_the_records_hold_the_risks_of_every_row(found):
    rows, classes = found.records, found.scorecard.risks.classes
    assert (1 / rows["class_size"]).mean() == pytest.approx(classes.prosecutor.mean)
    assert rows.filter(pl.col("original_class_size") == 0).height == classes.unmatched
    assert rows.filter(pl.col("special_score") > 0).height == found.scorecard.risks.special.rows


def test_risks_survive_json(found):
    assert scorecard.from_json(found.scorecard.to_json()) == found.scorecard


def test_a_release_folder_is_measured_but_not_assessed(tmp_path):
    data = icefire.sample("households", 60)
    icefire.anonymize(data, {"seed": 3, "step": [{"method": "swap"}]}, output=tmp_path / "release")
    assert scorecard.load(tmp_path / "release" / "scorecard.json").risks is None


def test_threshold_and_population_are_options_of_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    icefire.sample("households", 60).frame.write_csv("x.csv")
    words = ("audit", "x.csv", "x.csv", "--aligned", "--yes", "--json", "-")
    risks = json.loads(command(capsys, *words, "--risk-threshold", "0.5", "--population", "700").out)["risks"]
    assert (risks["threshold"], risks["classes"]["population"]["size"]) == (0.5, 700)
    few = command(capsys, *words, "--population", "59")
    assert few.code == 2
    assert "less than the 60 rows of the original" in few.err
    much = command(capsys, *words, "--risk-threshold", "20")
    assert much.code == 2
    assert "between 0 and 1" in much.err
    assert "--risk-threshold" in (DOCS / "commands.md").read_text()


def test_no_row_is_listed_where_no_people_are_asked_for():
    data = icefire.sample("households", 60)
    assert icefire.audit(data, data.frame, aligned=True, people=0).scorecard.risks.special.top == []


def test_models_that_promise_too_much_are_said_to():
    # 7,608 of 8,333 are 91.3 %; the mean prosecutor risk is 53.1 %.
    text = told(full_card())
    assert text.startswith("The models promise too much here. Class sizes lead one to expect 53.1 %")
    assert "euc2 identified 91.3 %, 1.7 times as many." in text
    assert "Its attacker knows everybody's quasi-identifiers and sensitive values" in text
    # 8,333 - 5,585 = 2,748 rows below the threshold, of which 7,608 - 5,077 = 2,531 were identified.
    assert "Of the 2,748 rows whose prosecutor risk is not above 25 %, euc2 identified 2,531 (92.1 %)." in text


def test_models_that_expect_more_than_was_achieved_are_said_to():
    text = told(card_with(attacks={"sort": Reached(11, 4, 11, 0, 2)}))
    assert text.startswith("The models expect more than the attacks achieved.")
    assert "A better attack may come closer" in text
    assert "not above" not in text, "nobody below the threshold was identified"


def test_models_and_attacks_may_agree():
    assert told(card_with(attacks={"a": Reached(4424, 0, 0, 0, 0)})).startswith("The models and the best attack agree.")


def test_misleading_and_recoded_and_unmatched_quasi_identifiers_are_named():
    assert "recoded alike" in told(full_card())
    assert "region, members" in told(full_card())
    assert "3,213 of 8,333 (38.6 %) released rows occur nowhere" in told(full_card())
    assert "euc2 identified 2,890 of them all the same" in told(full_card())
    text = told(card_with({"recoded": [], "unmatched": 0}))
    assert "Marketer risk expects 27.7 %, but drawing lots" in text
    assert "24.1 % on average" in text
    assert "nowhere" not in text


def test_the_rate_of_drawing_lots_is_one_of_released_rows_whatever_the_audit_was_asked_for():
    # Of 16,666 original rows the attack expects 12.06 %, which is 24.11 % of the 8,333 released ones.
    halved = ours(ATTACKS["id_rand"], expected=0.24113 / 2, baseline=ROWS / 16_666 / 16_666)
    made = full_card().provenance
    card = full_card(
        attacks=ATTACKS | {"id_rand": halved}, provenance=ours(made, original=ours(made.original, rows=16_666))
    )
    assert sentences.expected_by_lots(card) == pytest.approx(0.24113)


def test_each_model_stands_beside_its_attack():
    lines = {line.model: line for line in risk_table.risk_rows(full_card())}
    assert lines["Unique in the release"].says == "3,012 of 8,333 (36.1 %); 1,999 of them unique in the original, too"
    # 7,608 - 2,955 = 4,653 of the 8,333 - 3,012 = 5,321 others.
    wanted = "euc2 identified 2,955 of these 3,012 (98.1 %) and 4,653 of the other 5,321 (87.4 %)"
    assert lines["Unique in the release"].achieved == wanted
    assert lines["Marketer risk"].achieved == "id_rand, which does just that: 24.1 % on average, 23.8 % in this draw"
    assert "found somebody of the same class for 5,120 of 8,333" in lines["Journalist risk"].achieved


def test_without_attacks_the_models_stand_alone():
    card = full_card(attacks={}, risks=ours(full_card().risks, attacks={}))
    assert told(card).startswith("No attack ran")
    assert {line.achieved for line in risk_table.risk_rows(card)} == {
        risk_table.NO_ATTACK,
        "cannot be attacked: the population is not at hand",
    }
    assert "No attack ran, so there is nothing to compare the models with." in Page(card).text


def test_without_quasi_identifiers_the_page_says_so():
    card = full_card(risks=ours(full_card().risks, classes=None, special=None))
    assert "there are no classes to build a model on" in Page(card).text
    assert sentences.lines(card).keys() == {"Safe harbour"}


def test_a_page_without_risk_models_has_no_such_section():
    page = Page(full_card(risks=None))
    assert "Risk models" not in page.text
    assert sentences.lines(full_card(risks=None)) == {}


def test_where_no_column_looks_like_an_identifier_one_line_says_so_and_claims_nothing():
    text = Page(card_with(safe_harbour=SafeHarbour(26, []))).text
    assert "None of the 26 released columns looks like one of the 18 HIPAA identifiers." in text
    assert "Finding nothing does not mean that the release meets the safe harbour." in text
    assert "Looks like Why What to do" not in text


def test_a_search_cut_short_is_said_to_be():
    assert "too large to try combinations of 3" in Page(full_card()).text
    risks = full_card().risks
    whole = ours(risks, special=ours(risks.special, asked_size=2))
    assert "too large" not in Page(full_card(risks=whole)).text


def test_more_sets_than_are_named_are_counted():
    # Two sets of one column and three of two, of which four are named.
    assert sentences.column_sets(full_card().risks.special.top[0]) == (
        "region; members; workers + dwelling; dwelling + tenure; and 1 more"
    )


@pytest.mark.parametrize(("unmatched", "said"), [(0, ""), (1, "1 row matches nobody"), (7, "7 rows match nobody")])
def test_a_journalist_risk_of_zero_says_that_rows_match_nobody(unmatched, said):
    # Generalised values match nobody by themselves: without these words 0.0 % reads like perfect protection.
    card = card_with({"unmatched": unmatched})
    line = sentences.lines(card)["Risk models"]
    assert line.endswith(f"; {said} in the original" if said else "%")
    assert said in risk_table.risk_rows(card)[2].says
