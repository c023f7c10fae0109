"""What is asked of a release: attacks answer the question they are for, and nothing is dropped silently."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.history_tables import sets

import icefire
from icefire import ParameterError
from icefire.core import registry

STEPS = {"step": [{"method": "delete", "share": 0.3}]}


def test_an_attack_on_membership_is_refused_where_membership_is_not_asked(households) -> None:
    release = icefire.anonymize(households, STEPS)
    with pytest.raises(ParameterError, match="'rlink' answers the question 'membership', which is not asked"):
        icefire.audit(households, release, attacks=["rlink"])


def test_each_attack_named_answers_its_own_question(households) -> None:
    release = icefire.anonymize(households, STEPS)
    card = icefire.audit(households, release, attacks=["rlink", "E1"], measures=["U6"], ask=["membership"]).scorecard
    assert list(card.attacks) == ["id_rand"]
    assert list(card.membership.attacks) == ["rlink"]


def test_membership_of_a_history_is_refused() -> None:
    shop = sets("ab", "bc", "cd")
    with pytest.raises(ParameterError, match=r'ask=\["membership"\] is for a table'):
        icefire.audit(shop, shop, aligned=True, ask=["membership"])


def test_membership_attacks_that_cannot_run_are_listed_with_the_reason(households, monkeypatch) -> None:
    entry = registry.get("attack", "rlink")
    monkeypatch.setitem(registry._entries, ("attack", "table", "rlink"), replace(entry, needs=("numeric_sa",)))
    bare = icefire.read(households.frame.select("head_age", "region"), qi=["head_age", "region"])
    release = icefire.anonymize(bare, STEPS)
    card = icefire.audit(bare, release, measures=["U6"], ask=["membership"]).scorecard
    assert card.membership.left_out == {"rlink": "needs a numeric sa column"}
    assert "rlink" not in card.membership.attacks


def test_a_keyword_that_does_not_exist_is_refused_also_for_data_read_before(households) -> None:
    with pytest.raises(ParameterError, match="no keyword 'sensitive'"):
        icefire.audit(households, households.frame, aligned=True, sensitive=["x"])


def test_attacks_of_a_contest_on_a_question_that_is_not_asked_are_listed_with_the_reason() -> None:
    survey = icefire.sample("survey", 200)
    card = icefire.audit(survey, survey.frame, aligned=True, contest="pwscup2021", measures=["U6"]).scorecard
    assert card.left_out["rlink"].startswith("answers the question 'membership', which is not asked")
