"""Attackers by what they know: rates with people who are not known, registers, policies, and what cannot be used."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from support.commands import run_icefire
from support.smallshop import history

import icefire
from icefire.audit import judge
from icefire.core.errors import IcefireError
from icefire.core.knowledge import Knowledge, KnownColumn
from icefire.core.release import Guess, Truth

PEOPLE = pl.DataFrame(
    {
        "age": [21, 32, 43, 54, 65, 76, 27, 38],
        "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
        "income": [10.5, 20.5, 30.5, 40.5, 50.5, 60.5, 70.5, 80.5],
    }
)
ORDER = [3, 0, 7, 2, 5]
RELEASED = PEOPLE[ORDER]
ROLES = {"qi": ["age", "sex"], "sa": ["income"]}
QUICK = {"measures": [], "attacks": ["id_rand", "sa_nearest", "link"], **ROLES}


def audited(**options):
    return icefire.audit(PEOPLE, RELEASED, **{"truth": ORDER, **QUICK, **options}).scorecard


# -- by hand -------------------------------------------------------------------------------------------------


def test_rates_are_over_people_known_and_precision_over_answers_by_hand():
    truth = Truth(np.array([0, -1, 2, -1, 1]))
    score = judge.score_of_known(truth, Guess(np.array([0, 1, 2, -1, 3])), known=4)
    assert (score.hits, score.targets, score.answered) == (2, 3, 4)
    assert score.rate == score.recall == pytest.approx(2 / 3)
    assert score.precision == pytest.approx(2 / 4)
    assert judge.score_of_known(truth, Guess(np.full(5, -1)), known=4).precision == 0.0


def test_nobody_is_named_for_two_rows_and_the_surer_one_is_kept():
    guess = Guess(np.array([4, 4, -1, 2, 4]), probability=np.array([0.2, 0.9, 0.0, 0.1, 0.3]))
    kept = judge.one_answer_per_person(guess, np.random.default_rng(0))
    assert kept.first.tolist() == [-1, 4, -1, 2, -1]
    drawn = [
        judge.one_answer_per_person(Guess(np.array([1, 1])), np.random.default_rng(seed)).first.tolist()
        for seed in range(20)
    ]
    assert sorted(map(tuple, {tuple(answers) for answers in drawn})) == [(-1, 1), (1, -1)]


def test_a_register_of_four_people_by_hand():
    register = PEOPLE.select("age", "sex")[[7, 1, 3, 0]]
    register = register.with_columns(age=pl.Series([38, 32, 54, 99]))
    # 38 m is released row 2, 54 m is released row 0, 32 m is not released, 99 f is a stranger.
    card = audited(register=register, register_truth=[7, 1, 3, -1], attacks=["id_rand", "link"])
    holder = card.attackers[0]
    assert (holder.name, holder.people, holder.strangers, holder.targets, holder.released) == ("register", 4, 1, 2, 5)
    assert holder.columns == ["age", "sex"]
    exact = holder.attacks["id_rand"]
    assert (exact.rate, exact.hits, exact.answered, exact.precision) == (1.0, 2, 2, 1.0)


def test_a_register_can_name_rows_of_the_release_or_people_by_a_key():
    register = PEOPLE[[7, 3]].with_columns(who=pl.Series(["h", "d"]))
    named = PEOPLE.with_columns(who=pl.Series(list("abcdefgh")))
    by_release = audited(register=register, register_truth=[2, 0], register_of="released", attacks=["link"])
    by_key = icefire.audit(
        named,
        RELEASED,
        truth=ORDER,
        register=register,
        register_key="who",
        ids=["who"],
        **{**QUICK, "attacks": ["link"]},
    ).scorecard
    assert by_release.attackers[0].targets == by_key.attackers[0].targets == 2
    assert by_release.attackers[0].attacks["link"].rate == by_key.attackers[0].attacks["link"].rate


def test_a_register_of_strangers_finds_nobody_and_shows_nothing():
    strangers = pl.DataFrame({"age": [21, 32, 54], "sex": ["f", "m", "m"]})
    card = audited(register=strangers, register_truth=[-1, -1, -1])
    assert {(result.rate, result.precision) for result in card.attackers[0].attacks.values()} == {(0.0, 0.0)}
    assert card.verdict.passed is False
    assert "knows nobody who is in the release" in card.verdict.text


# -- properties ----------------------------------------------------------------------------------------------


def test_full_knowledge_gives_what_no_knowledge_named_gives():
    households = icefire.sample("households", rows=100)
    release = icefire.anonymize(households, {"step": [{"method": "noise", "scale": 0.3}]})
    options = {"measures": [], "attacks": ["euc1", "sa_nearest", "id_rand"]}
    plain = icefire.audit(households, release, **options).scorecard
    everything = Knowledge(tuple(KnownColumn(name) for name in households.frame.columns), name="all columns")
    for knowledge in ("maximum", everything):
        known = icefire.audit(households, release, knowledge=knowledge, **options).scorecard
        assert [(r.rate, r.hits) for r in known.attacks.values()] == [(r.rate, r.hits) for r in plain.attacks.values()]
    assert plain.attackers[0].name == "maximum"


def test_whoever_knows_less_does_not_find_more(households):
    release = icefire.anonymize(households, {"step": [{"method": "noise", "scale": 0.5}]})
    notations = ["*", "*;share=0.3", "food,housing,medical", "food,housing", "food", "food/20000", "food!0.9"]
    cards = icefire.audit(households, release, knowledge=notations, measures=[], attacks=["sa_nearest", "euc2"])
    rates = {one.name: one.rate for one in cards.scorecard.attackers}
    for more, less in zip(notations, ["*;share=0.3", *notations[2:]], strict=False):
        assert rates[less] <= rates[more] + 0.08, (more, less)
    assert rates["food!0.9"] < 0.2 * max(rates["food"], 0.1)


def test_link_finds_the_few_who_are_known_among_many_who_are_not(households):
    release = icefire.anonymize(households, {"step": [{"method": "k_anonymize", "k": 5}]})
    known = icefire.audit(households, release, knowledge="*;share=0.2", measures=[], attacks=["link"]).scorecard
    result = known.attacks["link"]
    assert (result.targets, result.answered) == (100, 100)
    assert min(result.rate, result.precision) > 0.9


def test_attacks_that_lack_a_column_are_left_out_with_the_reason():
    households = icefire.sample("households", rows=60)
    release = icefire.anonymize(households, {"step": [{"method": "noise"}]})
    card = icefire.audit(households, release, knowledge="region,members", measures=[], attacks=["id_rand", "euc1"])
    assert list(card.scorecard.attackers[0].attacks) == ["id_rand"]
    assert card.scorecard.attackers[0].left_out == {"euc1": "needs a numeric sa column"}


# -- verdict -------------------------------------------------------------------------------------------------


def test_what_several_attackers_lack_is_one_reason(households):
    release = icefire.anonymize(households, {"step": [{"method": "swap"}]})
    two = ["neighbour", "maximum"]
    card = icefire.audit(households, release, attacks=["id_rand"], measures=[], knowledge=two).scorecard
    assert [one.evidence for one in card.verdict.reasons if "attack" in one.evidence] == [
        {"attack": "link"},
        {"attack": "replay"},
    ]


def test_the_worst_attacker_decides_and_without_maximum_the_headline_says_who():
    both = audited(knowledge=["sex", "maximum"])
    assert both.verdict.worst_attacker == "maximum"
    assert both.limits[0].value == max(one.rate for one in both.attackers)
    alone = audited(knowledge="sex")
    assert "only for: sex" in alone.verdict.headline
    assert "an attacker who knows sex of everybody" in alone.verdict.text


def test_a_share_known_is_a_sample_so_the_upper_end_of_its_interval_counts():
    card = audited(knowledge="age,sex;share=0.5")
    assert card.limits[0].interval is not None
    assert card.attackers[0].targets < card.attackers[0].released


def test_a_policy_names_the_attackers_its_limits_are_for(tmp_path):
    policy = tmp_path / "ours.toml"
    policy.write_text(
        '[origin]\nmax_identified = 0.5\n[[attacker]]\nname = "ex-partner"\nwords = "who is who at home"\n'
        'knows = "sex"\n[[attacker]]\nknows = "neighbour"\n'
    )
    card = audited(policy=policy, knowledge=["age"])
    assert [one.name for one in card.attackers] == ["ex-partner", "neighbour", "age"]
    assert card.attackers[0].words == "who is who at home"


# -- histories -----------------------------------------------------------------------------------------------

ROWS = [
    ("u", "1", "2020/1/01", "9:00", "tea", 1.0, 2),
    ("u", "1", "2020/1/01", "9:00", "milk", 2.0, 1),
    ("v", "2", "2020/1/02", "9:00", "tea", 1.0, 1),
    ("w", "3", "2020/1/03", "9:00", "rye", 3.0, 1),
    ("x", "4", "2020/1/04", "9:00", "rye", 3.0, 5),
]


def test_a_history_is_known_by_columns_and_by_people():
    shop = history(ROWS)
    card = icefire.audit(shop, shop, aligned=True, knowledge=["item", "item,date;share=0.5", "insider"], measures=[])
    goods, half, insider = card.scorecard.attackers
    assert "purchases" in goods.left_out or "dates" in goods.left_out
    assert (goods.targets, half.people, half.targets, insider.targets) == (5, 2, 2, 5)
    assert goods.rate <= insider.rate
    with pytest.raises(IcefireError, match="knows at least the items"):
        icefire.audit(shop, shop, aligned=True, knowledge="date")


# -- bad input -----------------------------------------------------------------------------------------------

REGISTER = PEOPLE.select("age", "sex")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"register": REGISTER}, "not known; pass either"),
        ({"register": REGISTER, "register_truth": [0], "register_key": "age"}, "said twice"),
        ({"register_truth": [0, 1]}, "name the file"),
        ({"register": REGISTER, "register_truth": [0, 1]}, "has 2 rows, the register 8"),
        ({"register": REGISTER, "register_truth": [0, 1, 2, 3, 4, 5, 6, 8]}, "row 7 holds 8; allowed"),
        ({"register": REGISTER, "register_truth": [0, 1, 2, 3, 4, 5, 6, -2]}, "row 7 holds -2; allowed"),
        ({"register": REGISTER, "register_truth": [0, 0, 2, 3, 4, 5, 6, 7]}, "rows 0 and 1 of the register are both"),
        ({"register": REGISTER.rename({"age": "a", "sex": "s"}), "register_truth": [*range(8)]}, "no column in common"),
        ({"register": REGISTER, "register_key": "name"}, "no column 'name' in the register"),
        ({"register": REGISTER, "register_truth": [*range(8)], "register_of": "both"}, "register_of is 'both'"),
        ({"knowledge": "agee"}, "did you mean 'age'"),
        ({"knowledge": ["age", "age"]}, "two attackers are called 'age'"),
        ({"knowledge": "nothing.toml"}, "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_one_clear_error(options, words):
    with pytest.raises(IcefireError, match=words):
        audited(**options)


def test_the_command_line_takes_knowledge_and_a_register(tmp_path, capsys):
    PEOPLE.write_csv(tmp_path / "o.csv")
    RELEASED.write_csv(tmp_path / "r.csv")
    REGISTER.head(3).write_csv(tmp_path / "g.csv")
    (tmp_path / "t.csv").write_text("".join(f"{row}\n" for row in ORDER))
    (tmp_path / "w.csv").write_text("0\n1\n-1\n")
    words = f"audit {tmp_path}/o.csv {tmp_path}/r.csv --truth {tmp_path}/t.csv --qi age,sex --sa income --yes"
    words += f" --knows age~2,sex --knows maximum --register {tmp_path}/g.csv --register-truth {tmp_path}/w.csv"
    words += f" --attacks id_rand,link --measures k_min --json {tmp_path}/c.json --html {tmp_path}/c.html"
    done = run_icefire(capsys, *words.split())
    assert done.code == 1
    names = [one["name"] for one in json.loads((tmp_path / "c.json").read_text())["attackers"]]
    assert names == ["age~2,sex", "maximum", "register"]
    assert "What an attacker must know" in done.out
    assert 'id="attackers"' in (tmp_path / "c.html").read_text()


def test_little_knowledge_alone_lets_no_near_copy_pass(tmp_path):
    data = icefire.sample("households", rows=120)
    noise = np.random.default_rng(1).normal(1, 0.02, data.height)
    released = data.frame.with_columns((pl.col(name) * noise).round(1) for name in data.sa)
    one = {"aligned": True, "attacks": ["link"], "qi": data.qi, "sa": data.sa}
    card = icefire.audit(data.frame, released, knowledge="region", **one).scorecard
    assert [reason.code for reason in card.verdict.reasons] == ["not_assessed"]
    assert "--knows maximum" in card.verdict.text
    policy = tmp_path / "neighbours.toml"
    policy.write_text(
        'title = "x"\n[origin]\nmax_identified = 0.09\n[[attacker]]\nname = "n"\nknows = "region"\n', encoding="utf-8"
    )
    assert icefire.audit(data.frame, released, policy=policy, **one).scorecard.verdict.passed


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_whoever_knows_some_of_the_people_reads_bands_and_masks_as_whoever_knows_all_does(share: float) -> None:
    rng = np.random.default_rng(8)
    people = pl.DataFrame({"age": rng.integers(20, 80, 600), "code": [f"{n:04d}" for n in rng.integers(0, 9999, 600)]})
    tens = pl.col("age") // 10 * 10
    bands = (tens.cast(pl.String) + "-" + (tens + 9).cast(pl.String)).alias("age")
    released = people.select(bands, pl.col("code").str.slice(0, 2) + "**")
    card = icefire.audit(
        *(people, released),
        aligned=True,
        qi=["age", "code"],
        attacks=["cover", "link"],
        measures=[],
        knowledge=["maximum", f"age,code;share={share}"],
    ).scorecard
    everybody, some = card.attackers
    # Classes are about as large for both, so each person known is found about as often.
    for attack in ("cover", "link"):
        assert some.attacks[attack].rate > 0.6 * everybody.attacks[attack].rate > 0.3
