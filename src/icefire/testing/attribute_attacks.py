"""The contract of attacks on hidden values: well-formed answers, chance on noise, the maximum on an unchanged release.

The maximum of an attack is the success it has if it is given the original itself, counted here without the judge.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl

from icefire.audit.attributes.question import answer_question, pose_question
from icefire.audit.attributes.targets import AttributeOptions, known_part
from icefire.core import roles, seeds
from icefire.core.attribute import AttributeCase, AttributeGuess
from icefire.core.dataset import Dataset
from icefire.core.errors import IcefireError
from icefire.core.registry import Entry
from icefire.testing.examples import people, with_holes
from icefire.testing.repeated import run_twice

PEOPLE = 200
SEED = 1
STANDARD_ERRORS = 4
"""A rate farther than this from chance is not chance."""


def check_attribute_attack(entry: Entry) -> None:
    """Check that an attack answers in the right form, learns nothing from noise, and most from people's own rows."""
    for table in (people(), with_holes(people())):
        _check_form(entry, table, "job")
        _check_form(entry, table, "rent")
    table = _people_and_illnesses()
    unchanged, noise = (_success(entry, table, released) for released in (table, _independent_noise(table)))
    chance = 1 / 3
    error = STANDARD_ERRORS * (chance * (1 - chance) / PEOPLE) ** 0.5
    assert abs(noise - chance) <= error, f"{entry.name}: on independent noise it is right as often as chance"
    assert unchanged > chance + error, f"{entry.name}: on an unchanged release it is right more often than chance"
    maximum = _success_on_the_original(entry, table)
    assert unchanged == maximum, (
        f"{entry.name}: on an unchanged release it is right for {unchanged:.3f} of the people, given the original for "
        f"{maximum:.3f}"
    )
    partly = _success(entry, table, _half_noise(table))
    assert partly <= maximum + error, f"{entry.name}: a release of which half is noise tells more than the original"


def _check_form(entry: Entry, table: Dataset, secret: str) -> None:
    """Run it on people some of whom nothing covers, and check the answers."""
    columns = [column for column in table.schema.names if column != secret]
    known = Dataset(table.frame.select(columns), roles.choose(table.frame.select(columns), columns))
    case = AttributeCase(known.take(np.arange(0, table.height, 2)), table, secret, known)

    def answer() -> AttributeGuess:
        fresh = AttributeCase(case.known, case.released, secret, case.everybody)
        guess: AttributeGuess = entry.function(fresh, rng=seeds.generator(1, entry.name), **entry.bind({}))
        return guess

    guess = run_twice(entry, [case.known, case.released], answer, _content)
    assert isinstance(guess, AttributeGuess), f"{entry.name}: an attack on hidden values returns an AttributeGuess"
    try:
        guess.checked(case.targets, case.choices)
    except IcefireError as error:
        raise AssertionError(f"{entry.name}: every target has evidence or a value: {error}") from None


def _content(guess: object) -> object:
    if not isinstance(guess, AttributeGuess):
        return None
    return guess.start.tolist(), guess.rows.tolist(), None if guess.values is None else guess.values.to_list()


def _people_and_illnesses() -> Dataset:
    """Everybody has a number of his own, and one of three illnesses that nothing else depends on."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"number": rng.permutation(PEOPLE), "illness": rng.choice(["a", "b", "c"], PEOPLE)})
    return Dataset(frame, roles.choose(frame, ["number"], ["illness"]))


def _independent_noise(table: Dataset) -> Dataset:
    rng = np.random.default_rng(6)
    return table.with_columns(
        pl.Series("number", rng.permutation(PEOPLE)), pl.Series("illness", rng.choice(["a", "b", "c"], PEOPLE))
    )


def _half_noise(table: Dataset) -> Dataset:
    kept = np.arange(PEOPLE) % 2 == 0
    return table.with_frame(
        table.frame.with_row_index("row")
        .vstack(_independent_noise(table).frame.with_row_index("row"))
        .filter(np.concatenate([kept, ~kept]))
        .sort("row")
        .drop("row")
    )


def _success_on_the_original(entry: Entry, table: Dataset) -> float:
    """Give the attack the original, in the order that the judge shuffles to, and count its right answers."""
    original = table.take(seeds.generator(SEED, "shuffle").permutation(PEOPLE))
    known = known_part(table, ("number",))
    rng = seeds.generator(SEED, "attack", entry.name, "illness")
    guess: AttributeGuess = entry.function(AttributeCase(known, original, "illness", known), rng=rng, **entry.bind({}))
    illness = original.frame["illness"].to_list()
    answers = _answers(guess, illness) if guess.values is None else guess.values.to_list()
    commonest = Counter(illness).most_common(1)[0][0]
    truth = table.frame["illness"].to_list()
    return float(np.mean([(answer or commonest) == value for answer, value in zip(answers, truth, strict=True)]))


def _answers(guess: AttributeGuess, illness: list[str]) -> list[str | None]:
    """Take the first or the commonest value of the evidence; of equally common ones the commonest in the table."""
    overall, answers = Counter(illness), []
    for first, last in pairwise(guess.start.tolist()):
        values = [illness[row] for row in guess.rows[first : first + 1 if guess.rule == "first" else last]]
        votes = Counter(values)
        answers.append(max(votes, key=lambda value: (votes[value], overall[value])) if votes else None)
    return answers


def _success(entry: Entry, original: Dataset, released: Dataset) -> float:
    question = pose_question(original, released, np.arange(PEOPLE), AttributeOptions(), SEED)
    answers = answer_question(question, [entry], lambda attack: attack.bind({}), SEED)
    return answers.findings.columns["illness"].attacks[entry.name].success
