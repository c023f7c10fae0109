"""Synthetic releases and the holder of a register: who of its people was in the data, and what is learned of them."""

from __future__ import annotations

import re

import polars as pl
import pytest
from support.synthetic_tables import ROLES, gaussian_copula, noisy, population

import icefire
from icefire.core.errors import IcefireError
from icefire.report.html import write_report
from icefire.report.sentences.next_steps import next_steps

PEOPLE, OTHERS, STRANGERS = population(150, 1), population(120, 2), population(130, 3)
REGISTER = pl.concat([STRANGERS, PEOPLE[:100]])
WHO = [-1] * 130 + [*range(100)]
QUICK = {"synthetic": True, "measures": [], **ROLES}
HELD = {"register": REGISTER, "register_truth": WHO}


@pytest.fixture(scope="module")
def copied():
    return icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), holdout=OTHERS, **HELD, **QUICK).scorecard


def test_people_of_the_register_are_told_from_its_strangers(copied):
    (holder,) = copied.attackers
    assert (holder.name, holder.people, holder.strangers, holder.targets) == ("register", 230, 130, 100)
    assert (holder.membership.members, holder.membership.outsiders) == (100, 130)
    assert max(result.auc for result in holder.membership.attacks.values()) > 0.99
    assert copied.membership == holder.membership
    assert {result.knows for result in holder.membership.attacks.values()} == {holder.words}
    (limit,) = [limit for limit in copied.limits if limit.name == "membership_tpr"]
    assert not limit.passed


def test_the_page_and_the_terminal_show_every_attacker_with_members_and_hidden_values(copied, tmp_path):
    write_report(copied, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    part = page[page.index('id="attackers"') : page.index('id="synthetic"')]
    assert "<title>register: 100.0 %</title>" in part
    assert "Share identified" not in part
    assert "230, 130 of them strangers" in part
    assert re.search(r"(income|rent|weight): (9\d\.\d|100\.0) %", part)
    steps = next_steps(copied)
    assert any("tells more about people in the data" in step for step in steps)
    assert not any("k_anonymize" in step for step in steps)


def test_only_the_columns_of_the_register_are_known():
    held = {**HELD, "register": REGISTER.select("sex", "town")}
    card = icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), **held, **QUICK).scorecard
    (holder,) = card.attackers
    assert holder.columns == ["town", "sex"]
    assert max(result.auc for result in holder.membership.attacks.values()) < 0.7
    assert holder.attributes is None
    assert card.synthetic.basis == "register"
    assert "who do not know everything" in card.verdict.text


def test_hidden_values_are_asked_of_the_people_in_the_register_if_there_is_a_hold_out():
    held = {**HELD, "register": REGISTER.select("age", "town", "sex", "rent")}
    card = icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), holdout=OTHERS, **held, **QUICK).scorecard
    hidden = card.attackers[0].attributes
    assert (hidden.known, hidden.people, hidden.controls) == (["age", "town", "sex", "rent"], 100, 120)
    assert hidden.columns["income"].attacks["nearest"].advantage > 0.8


def test_an_honest_release_passes_for_a_policy_that_names_the_register(tmp_path):
    REGISTER.write_csv(tmp_path / "roll.csv")
    (tmp_path / "who.csv").write_text("".join(f"{row}\n" for row in WHO))
    policy = tmp_path / "ours.toml"
    policy.write_text(
        "[origin]\nmax_identified = 0.09\n[membership]\nmax_tpr = 0.2\n"
        '[[attacker]]\nname = "roll"\nregister = "roll.csv"\nregister_truth = "who.csv"\n'
    )
    honest = icefire.audit(PEOPLE, gaussian_copula(PEOPLE, 150, 4), policy=policy, **QUICK).scorecard
    assert honest.verdict.passed, honest.verdict.text
    assert "(only for: roll)" in honest.verdict.headline
    assert not icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), policy=policy, **QUICK).scorecard.verdict.passed


def test_few_strangers_and_exchanged_ones_are_no_evidence():
    few = {"register": REGISTER[100:], "register_truth": WHO[100:]}
    card = icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), **few, **QUICK).scorecard
    assert "30 people were not in the data, too few" in card.verdict.text
    exchanged = {"register": REGISTER, "register_truth": [*range(130), *[-1] * 100]}
    with pytest.raises(IcefireError, match="strangers in the register 'register' overlaps the original"):
        icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), **exchanged, **QUICK)
    forgotten = {"register": REGISTER, "register_truth": [*WHO[:150], *[-1] * 30, *WHO[180:]]}
    with pytest.raises(IcefireError, match=r"30 strangers .* \(rows 150, 151, .*say who they are"):
        icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), **forgotten, **QUICK)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"register": OTHERS, "register_truth": [-1] * 120}, "holds only strangers"),
        ({"register": PEOPLE, "register_truth": [*range(150)]}, "holds only people of the original"),
        ({**HELD, "register_of": "released"}, "come from nobody; name rows of the original"),
        ({**HELD, "register": REGISTER.select(pl.all().name.prefix("x_"))}, "no column in common"),
        ({**HELD, "register": REGISTER.with_columns(income=pl.lit("much"))}, "income"),
    ],
)
def test_registers_that_answer_nothing_are_refused(options, words):
    with pytest.raises(IcefireError, match=words):
        icefire.audit(PEOPLE, noisy(PEOPLE, 0.01), **options, **QUICK)
