"""Synthetic releases and attackers who know a part: columns, blur, a share of the people; and the three criteria."""

from __future__ import annotations

import pytest
from support.synthetic_tables import ROLES, gaussian_copula, noisy, population

import icefire
from icefire.core.errors import IcefireError

PEOPLE, OTHERS = population(200, 1), population(150, 2)
QUICK = {"synthetic": True, "holdout": OTHERS, "measures": [], **ROLES}


@pytest.fixture(scope="module")
def copied():
    knowledge = ["maximum", "age~2,sex", "neighbour", "*;share=0.5"]
    return icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), knowledge=knowledge, **QUICK).scorecard


def test_every_attacker_has_rates_of_his_own_and_they_name_what_is_known(copied):
    by_name = {attacker.name: attacker.membership for attacker in copied.attackers}
    assert list(by_name) == ["maximum", "age~2,sex", "neighbour", "*;share=0.5"]
    best = {name: max(r.auc for r in found.attacks.values()) for name, found in by_name.items()}
    assert best["maximum"] > 0.99
    assert best["*;share=0.5"] > 0.99
    assert best["age~2,sex"] < 0.75
    assert {r.knows for r in by_name["age~2,sex"].attacks.values()} == {"age (within 2) and sex of everybody"}
    assert by_name["*;share=0.5"].members == 100
    assert by_name["*;share=0.5"].outsiders == 150


def test_the_findings_are_those_of_who_knows_everything_and_the_limit_reads_the_worst(copied):
    assert copied.membership.attacker == "maximum"
    (limit,) = [limit for limit in copied.limits if limit.name == "membership_tpr"]
    assert limit.value == 1.0
    assert not limit.passed


def test_hidden_values_are_asked_with_what_each_attacker_knows(copied):
    known = {one.name: one.attributes for one in copied.attackers}
    assert known["maximum"].known == ["age", "town", "sex"]
    assert known["age~2,sex"].known == ["age", "sex"]
    assert known["*;share=0.5"].people == 100
    best = {name: max(r.advantage for r in found.columns["income"].attacks.values()) for name, found in known.items()}
    assert best["*;share=0.5"] > 0.9
    assert best["age~2,sex"] < 0.2
    (limit,) = [limit for limit in copied.limits if limit.name == "attribute_advantage"]
    assert limit.value >= best["*;share=0.5"]
    assert copied.attributes == known["maximum"]


def test_who_knows_little_alone_lets_nothing_pass():
    released = gaussian_copula(PEOPLE, 200, 3)
    verdict = icefire.audit(PEOPLE, released, knowledge="age~2,sex", **QUICK).scorecard.verdict
    assert not verdict.passed
    assert "who do not know everything" in verdict.text
    assert "(only for: age~2,sex)" in verdict.headline


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"knowledge": "height"}, "no column 'height'"),
        ({"knowledge": "town~2"}, "holds no numbers"),
    ],
)
def test_what_cannot_be_known_is_refused(options, words):
    with pytest.raises(IcefireError, match=words):
        icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), **options, **QUICK)


def test_the_three_criteria_of_a_copy_and_their_controls(copied):
    isolated, linked, inferred = copied.criteria.criteria
    assert linked.value > 0.5 > linked.control
    assert inferred.control_kind == "hold-out of 150 people"
    same = icefire.audit(PEOPLE, PEOPLE, **QUICK).scorecard.criteria.named("singling out")
    assert same.value > 0.9
    assert same.control < 0.1
    assert isolated.value < same.value


def test_without_people_outside_two_criteria_say_why_they_have_no_value():
    card = icefire.audit(PEOPLE, gaussian_copula(PEOPLE, 200, 3), **{**QUICK, "holdout": None}).scorecard
    assert card.criteria.named("singling out").value is not None
    assert "--holdout" in card.criteria.named("linkability").note
    assert "--holdout" in card.criteria.named("inference").note
