"""Hidden values on tables counted by hand: success, control, advantage, certainty, and the verdict."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit.attributes import rates
from icefire.audit.attributes.question import answer_question, pose_question
from icefire.audit.attributes.targets import AttributeOptions, ControlPeople
from icefire.core import registry, roles
from icefire.core.attribute import AttributeCase, AttributeGuess
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.registry import Entry
from icefire.core.scorecard import Limit, Scorecard
from icefire.core.scorecard.attributes import AttributeColumn, AttributeFindings

TWELVE = pl.DataFrame(
    {
        "age": [21, 23, 25, 27, 28, 29, 41, 43, 45, 46, 47, 49],
        "postcode": [f"A{number}" for number in range(10, 16)] + [f"B{number}" for number in range(10, 16)],
        "disease": ["flu"] * 6 + ["cancer"] * 6,
    }
)
TWO_CLASSES = TWELVE.with_columns(
    age=pl.Series(["20-29"] * 6 + ["40-49"] * 6), postcode=pl.Series(["A**"] * 6 + ["B**"] * 6)
)


def dataset(frame: pl.DataFrame, qi: list[str], sa: list[str]) -> Dataset:
    return Dataset(frame, roles.choose(frame, qi, sa))


def entries() -> list[Entry]:
    return [entry for entry in registry.entries("attack", "table") if entry.question == "attribute"]


def asked(
    original: Dataset, released: Dataset, holdout: Dataset | None = None, origin: np.ndarray | None = None
) -> AttributeFindings:
    rows = np.arange(released.height) if origin is None else origin
    question = pose_question(
        original, released, rows, AttributeOptions(), 1, controls=None if holdout is None else ControlPeople(holdout)
    )
    return answer_question(question, entries(), lambda entry: entry.bind({}), 1).findings


def about(frame: pl.DataFrame, released: pl.DataFrame, qi: list[str], secret: str, **more: Dataset) -> AttributeColumn:
    return asked(dataset(frame, qi, [secret]), dataset(released, qi, [secret]), **more).columns[secret]


def test_twelve_people_in_two_classes_with_one_disease_each() -> None:
    text = TWELVE.with_columns(pl.col("age").cast(pl.String))
    column = about(text, TWO_CLASSES, ["age", "postcode"], "disease")
    by_class = column.attacks["class"]
    assert (column.prior, by_class.success, by_class.control, column.certain) == (0.5, 1.0, 1.0, 1.0)
    assert (by_class.advantage, column.certain_known, column.certain_people) == (0.0, 1.0, 12)


def test_the_audit_of_the_twelve_does_not_pass_and_says_why() -> None:
    card = icefire.audit(
        TWELVE, TWO_CLASSES, aligned=True, qi=["age", "postcode"], sa=["disease"], policy="internal"
    ).scorecard
    assert not card.verdict.passed
    assert "Everybody's disease is known" in card.verdict.text
    assert card.attributes is not None
    assert card.attributes.columns["disease"].distinct_l == 1
    broken = {limit.name for limit in card.limits if not limit.passed}
    assert broken == {"attribute_certain"}


def test_four_unchanged_people_lose_everything_and_leave_one_out_sees_it() -> None:
    frame = pl.DataFrame({"age": [20, 30, 40, 50], "illness": ["a", "a", "b", "b"]})
    column = about(frame, frame, ["age"], "illness")
    by_class = column.attacks["class"]
    # Without the own row nothing covers a person, and of the other three the commonest illness is the other one.
    assert (by_class.success, by_class.control, by_class.baseline, by_class.advantage) == (1.0, 0.0, 0.5, 1.0)
    assert column.certain == column.certain_known == 1.0


def test_the_own_row_breaks_no_tie_where_it_is_left_out() -> None:
    frame = pl.DataFrame({"town": ["a", "a", "a", "b"], "illness": ["flu", "flu", "none", "none"]})
    by_class = about(frame, frame, ["town"], "illness").attacks["class"]
    # Without the own row the first two have one flu and one none in their town, and in all rows one flu and two nones;
    # the third has two flus, and the last nobody in town and more flus in all rows.
    assert (by_class.success, by_class.control) == (0.75, 0.0)


def test_a_number_is_right_within_a_tenth_of_the_quartiles_range() -> None:
    frame = pl.DataFrame({"age": list(range(20, 32)), "pay": [float(p) for p in range(100, 1300, 100)]})
    tolerance = about(frame, frame, ["age"], "pay").tolerance
    assert tolerance == pytest.approx(55.0)
    moved = frame.with_columns(pl.col("pay") + pl.Series([54.0, 56.0] * 6))
    assert about(frame, moved, ["age"], "pay").attacks["class"].success == 0.5


def test_numbers_of_a_few_people_are_numbers_all_the_same() -> None:
    """Eight people, two towns, pay that hardly differs within a town: quartiles 101.75 and 501.25, tolerance 39.95."""
    pay = [100, 101, 102, 103, 500, 501, 502, 503]
    frame = pl.DataFrame({"town": list("aaaabbbb"), "pay": pay})
    column = about(frame, frame, ["town"], "pay")
    by_class = column.attacks["class"]
    assert (column.kind, column.tolerance) == ("number", pytest.approx(39.95))
    # The median of everybody, 301.5, is nobody's pay; that of a town, with or without the person, is everybody's.
    assert (column.prior, by_class.success, by_class.control, by_class.advantage) == (0.0, 1.0, 1.0, 0.0)
    assert column.certain == 1.0
    apart = frame.with_columns(pay=pl.Series([100, 200, 300, 400, 500, 600, 700, 800]))
    # Tolerance 35: the median of a town, 250 or 650, is nobody's.
    assert about(apart, apart, ["town"], "pay").attacks["class"].success == 0.0


def test_numbers_that_several_people_share_are_categories() -> None:
    """Codes, grades and counts: the commonest is guessed, for a median of 0 and 1 would be nobody's value."""
    frame = pl.DataFrame({"town": list("aaaabbbb"), "ill": [0, 0, 1, 1, 1, 1, 1, 0]})
    column = about(frame, frame, ["town"], "ill")
    assert column.kind == "category"
    assert column.attacks["class"].success == 5 / 8
    # But pay in four amounts of which two and two are within the tolerance is a number.
    paid = frame.with_columns(ill=pl.Series([100, 100, 101, 101, 500, 500, 501, 501]))
    column = about(paid, paid, ["town"], "ill")
    assert (column.kind, column.attacks["class"].success, column.certain) == ("number", 1.0, 1.0)


def test_a_released_set_counts_for_each_of_its_values_in_equal_parts() -> None:
    frame = pl.DataFrame({"age": [20, 20, 20, 50, 50, 50], "illness": ["flu", "flu", "cold", "gout", "gout", "cold"]})
    released = frame.with_columns(illness=pl.Series(["{flu, cold}", "flu", "cold", "{gout, cold}", "gout", "cold"]))
    column = about(frame, released, ["age"], "illness")
    # In each class cold has 1.5 votes of 3, and the other illness too; cold is commoner in the release.
    assert column.attacks["class"].success == pytest.approx(2 / 6)
    assert column.certain == 0


def test_a_constant_column_is_a_stated_result_and_no_disclosure() -> None:
    frame = TWELVE.with_columns(disease=pl.lit("flu"))
    card = icefire.audit(frame, frame, aligned=True, qi=["age"], sa=["disease"], ids=["postcode"]).scorecard
    assert card.attributes is not None
    assert "same value" in card.attributes.columns["disease"].note
    assert {limit.name: limit.value for limit in card.limits}["attribute_certain"] == 0


def population(people: int, seed: int, shift: float = 0.3) -> pl.DataFrame:
    """People whose illness depends on their age, so that there is something to know about the population."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, people)
    ill = rng.random(people) < 0.35 + shift * (age > 50)
    return pl.DataFrame(
        {"age": age, "town": rng.choice(["a", "b", "c"], people), "illness": np.where(ill, "ill", "well")}
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_holds_for_the_population_is_no_disclosure(seed: int) -> None:
    people, sample, others = population(600, seed), population(600, seed + 10), population(600, seed + 20)
    qi = ["age", "town"]
    column = about(people, sample, qi, "illness", holdout=dataset(others, qi, ["illness"]))
    for result in column.attacks.values():
        assert abs(result.success - result.control) < 4 * (2 * 0.25 / 600) ** 0.5
    assert column.certain_known < 0.09


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shuffled_values_tell_nothing_even_where_single_rows_cover_people(seed: int) -> None:
    people = population(400, seed, shift=0.0).with_columns(age=pl.Series(range(400)))
    shuffled = people.with_columns(pl.col("illness").shuffle(seed))
    column = about(people, shuffled, ["age", "town"], "illness")
    assert column.certain > 0.3  # by the letter: one row covers each, and its value is often right
    assert column.certain_known == 0
    assert column.attacks["class"].advantage < 0.2


def test_known_for_certain_takes_off_what_chance_explains() -> None:
    claimed, own = np.ones(100, bool), np.ones(100, bool)
    right = np.arange(100) < 80
    half = np.full(100, 0.5)
    assert rates.known_for_certain(claimed, right, own, half, 0.95) == pytest.approx(60)
    assert rates.known_for_certain(claimed, np.arange(100) < 55, own, half, 0.95) == 0
    assert rates.known_for_certain(claimed, right, ~own, half, 0.95) == 0
    assert rates.known_for_certain(claimed, np.arange(100) < 97, ~own, half, 0.95) == 97


def test_the_interval_of_the_advantage_holds_its_value() -> None:
    right, control = np.arange(200) < 150, np.arange(200) < 100
    low, high = rates.advantage_interval(right, control, control, paired=True)
    assert low < rates.advantage(0.75, 0.5) < high
    assert high - low < 0.3


def test_an_attack_that_answers_with_values_is_run_again_on_folds() -> None:
    frame = pl.DataFrame({"age": [20, 30, 40, 50], "illness": ["a", "b", "c", "d"]})

    def exact(case: AttributeCase, *, rng: np.random.Generator) -> AttributeGuess:
        joined = case.known.frame.join(case.released.frame, on="age", how="left", maintain_order="left")
        return AttributeGuess.of_values(joined[case.secret])

    entry = Entry("attack", "exact", "", exact, {}, question="attribute", knows="the age")
    data = dataset(frame, ["age"], ["illness"])
    question = pose_question(data, data, np.arange(4), AttributeOptions(), 1)
    result = answer_question(question, [entry], lambda _: {}, 1).findings.columns["illness"].attacks["exact"]
    assert (result.success, result.control) == (1.0, 0.0)


def test_a_hold_out_that_is_the_original_is_refused() -> None:
    with pytest.raises(InputError, match="hold-out"):
        icefire.audit(TWELVE, TWO_CLASSES, aligned=True, qi=["age"], sa=["disease"], holdout=TWELVE)


def test_the_records_say_whose_value_is_certain() -> None:
    result = icefire.audit(TWELVE, TWO_CLASSES, aligned=True, qi=["age", "postcode"], sa=["disease"])
    assert result.records["certain_disease"].to_list() == [True] * 12


def known_by(knowledge: str) -> AttributeFindings:
    card = icefire.audit(
        TWELVE,
        TWO_CLASSES,
        aligned=True,
        qi=["age", "postcode"],
        sa=["disease"],
        attacks=["class"],
        knowledge=knowledge,
    ).scorecard
    assert card.attributes is not None
    return card.attributes


def test_an_attacker_who_knows_the_postcode_of_half_the_people_learns_their_disease() -> None:
    findings = known_by("postcode;share=0.5")
    assert (findings.known, findings.people) == (["postcode"], 6)
    assert findings.columns["disease"].certain == 1.0


def test_an_attacker_whose_knowledge_is_wrong_learns_little() -> None:
    findings = known_by("age!1,postcode!1")
    assert findings.people == 12
    assert findings.columns["disease"].certain < 1.0


def test_the_column_asked_about_is_not_named_among_those_known() -> None:
    frame = pl.DataFrame({"age": list(range(20, 60)), "town": ["x"] * 40, "illness": ["a", "b"] * 20})
    card = icefire.audit(
        frame, frame, aligned=True, qi=["age", "town"], sa=["illness"], attacks=["class"], knowledge="age,illness"
    ).scorecard
    texts = [reason.text for reason in card.verdict.reasons if "illness" in reason.text and "age" in reason.text]
    assert any("Whoever knows age guesses illness right" in text for text in texts)
    assert not any("age and illness" in text for text in texts)


def test_the_words_of_a_broken_limit_say_by_what_guess_the_baseline_is_reached() -> None:
    frame = pl.DataFrame({"age": list(range(20, 60)), "illness": ["a", "b"] * 20})
    apart = frame.with_columns(pl.col("age") + 100, illness=pl.Series(["b"] * 22 + ["a"] * 18))
    alike = frame.with_columns(pl.col("age") + 100, illness=pl.Series(["a"] * 30 + ["b"] * 10))

    def words(holdout: pl.DataFrame | None) -> str:
        given = {"aligned": True, "qi": ["age"], "sa": ["illness"], "attacks": ["id_rand", "class"], "measures": []}
        verdict = icefire.audit(frame, frame, holdout=holdout, **given).scorecard.verdict
        return next(reason.text for reason in verdict.reasons if "left open is learned" in reason.text)

    # Nobody of the hold-out is covered, so "a", the first of two equally common values, is guessed for them.
    prior = "for 50.0 % by guessing the commonest value, or the median, for everybody:"
    assert f"{prior} 100 % of the 50.0 % left open is learned;" in words(None)
    assert prior in words(apart)
    assert "for 75.0 % of the people outside: 100 % of the 25.0 % left open is learned" in words(alike)


def test_the_advantage_is_over_the_control_and_another_figure_over_the_best_guess() -> None:
    frame = pl.DataFrame({"town": ["a"] * 5 + ["b"] * 5, "illness": ["flu", "flu", "flu", "gout", "cold"] * 2})
    result = about(frame, frame, ["town"], "illness").attacks["class"]
    # Flu is guessed for everybody, and without the own row too: 6 of 10.
    assert (result.success, result.control, result.baseline) == (0.6, 0.6, 0.6)
    assert result.advantage == result.advantage_over_best_guess == 0
    frame = frame.with_columns(
        illness=pl.Series(["flu", "flu", "cold", "gout", "ache", "flu", "ache", "ache", "b", "c"])
    )
    result = about(frame, frame, ["town"], "illness").attacks["class"]
    # Flu in one town, ache in the other: 4 right. Without the own row none of these four has a majority in town, and in
    # all rows the other illness is commoner: 0 right. Whoever says ache to everybody is right for 3.
    assert (result.success, result.control, result.baseline) == (0.4, 0.0, 0.3)
    assert result.advantage == pytest.approx(0.4)
    assert result.advantage_over_best_guess == pytest.approx(0.1 / 0.7)
    assert result.advantage_ci[0] <= result.advantage <= result.advantage_ci[1]


def advantage_limit(frame: pl.DataFrame, released: pl.DataFrame, **given: object) -> Limit:
    card = icefire.audit(
        frame, released, aligned=True, sa=["illness"], attacks=["id_rand", "class"], measures=[], **given
    ).scorecard
    return next(limit for limit in card.limits if limit.name == "attribute_advantage")


def test_classes_where_both_values_are_equally_common_keep_the_limit_on_the_advantage() -> None:
    frame = pl.DataFrame({"town": [town for town in "abcde" for _ in range(12)], "illness": ["yes", "no"] * 30})
    result = about(frame, frame, ["town"], "illness").attacks["class"]
    assert (result.success, result.control, result.advantage) == (0.5, 0.0, 0.5)
    limit = advantage_limit(frame, frame, qi=["town"])
    assert (limit.value, limit.passed) == (0.0, True)


def test_an_advantage_over_people_outside_counts_where_the_commonest_value_is_as_good_a_guess() -> None:
    rng = np.random.default_rng(3)
    illness = rng.choice(["none", "a", "b", "c"], 1000, p=[0.7, 0.1, 0.1, 0.1])
    people = pl.DataFrame({"age": np.arange(1000) * 10, "illness": illness})
    others = people.select(pl.col("age") + 5, pl.col("illness").shuffle(5))
    # Half of the rows are as they were, the others have somebody else's illness: about 76 % right, and 52 % outside.
    swapped = people.with_columns(
        illness=pl.when(pl.col("age") % 20 == 0).then("illness").otherwise(pl.col("illness").shuffle(7))
    )

    def limited(limit: float) -> tuple[Scorecard, Limit]:
        card = icefire.audit(
            *(people, swapped),
            aligned=True,
            qi=["age"],
            sa=["illness"],
            attacks=["id_rand", "nearest"],
            measures=[],
            holdout=others,
            limits={"attribute_advantage": limit},
        ).scorecard
        return card, next(one for one in card.limits if one.name == "attribute_advantage" and one.limit == limit)

    card, broken = limited(0.35)
    assert card.attributes is not None
    result = card.attributes.columns["illness"].attacks["nearest"]
    assert result.advantage_over_best_guess_ci[1] < 0.35 < result.advantage_ci[0]
    assert (broken.value, broken.passed) == (result.advantage_ci[0], False)
    (words,) = [reason.text for reason in card.verdict.reasons if "at most 35 %" in reason.text]
    assert "of the people outside: at least" in words
    assert limited(0.45)[1].passed


@pytest.mark.parametrize("rule", ["by a rule", "by chance, in a column that names the person"])
def test_a_model_of_some_rows_learns_as_much_as_one_of_all(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The value follows from three columns, or it is anything and only the person's own row tells it.
    rng, people = np.random.default_rng(3), 4000
    known = {name: rng.integers(0, 6, people) for name in "abc"}
    disease = (known["a"] + known["b"]) % 4 if rule == "by a rule" else rng.integers(0, 4, people)
    frame = pl.DataFrame(known | {"number": rng.normal(size=people), "disease": disease.astype(str)})

    def success() -> tuple[float, float]:
        result = about(frame, frame, ["a", "b", "c", "number"], "disease").attacks["model"]
        return result.success, result.control

    everything = success()
    monkeypatch.setattr("icefire.attacks.attributes.model.TRAINED", 1500)
    some = success()
    assert some[0] > everything[0] - 0.08
    assert some[0] - some[1] > 0.8 * (everything[0] - everything[1]) - 0.02
