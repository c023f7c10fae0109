"""The gate for values of which a part was kept: last digits, lengths of words, the place of rows in the file."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import QI, SA, STAFF, judge, shuffled, staff
from support.small_tables import compare

import icefire
from icefire.audit.obstacles.informed_attacker import unread_relations
from icefire.audit.obstacles.kept_parts import learn_kept_part

PEOPLE = 160
TABLE = staff(rows=PEOPLE)
RNG = np.random.default_rng(3)
EVERYBODY = np.arange(PEOPLE)


def judged(original: pl.DataFrame, released: pl.DataFrame, rows: Any = EVERYBODY) -> Any:
    return judge(original, released, truth=rows, attacks=["link"], measures=["U6"], **STAFF)


def in_steps(step: int, most: int) -> pl.DataFrame:
    """Amounts changed by whole steps, up to so many, quasi-identifiers shuffled."""
    steps = {name: pl.Series(step * RNG.integers(-most, most + 1, PEOPLE)) for name in SA}
    return shuffled(TABLE, QI).with_columns((pl.col(name) + steps[name]).alias(name) for name in SA)


def notes() -> pl.Series:
    """Texts of some words of different lengths."""
    words = ["".join(RNG.choice(list("abcdefgh"), size)) for size in RNG.integers(2, 9, 12 * PEOPLE)]
    return pl.Series("note", [" ".join(words[12 * row : 12 * row + 6 + row % 6]) for row in range(PEOPLE)])


def with_blanks(table: pl.DataFrame, share: float = 0.4) -> pl.DataFrame:
    """The table with cells left blank at random."""
    blank = {name: pl.Series(RNG.random(table.height) < share) for name in table.columns}
    return table.with_columns(pl.when(~blank[name]).then(pl.col(name)).alias(name) for name in table.columns)


def shuffled_around_blanks(table: pl.DataFrame) -> pl.DataFrame:
    """Every column shuffled among its cells that are not blank."""
    columns = []
    for column in table:
        filled = np.flatnonzero(column.is_not_null().to_numpy())
        places = np.arange(table.height)
        places[filled] = RNG.permutation(filled)
        columns.append(column.gather(places))
    return pl.DataFrame(columns)


NOTES = notes()
WITH_NOTES = TABLE.with_columns(NOTES)
MASKED = NOTES.str.replace_all("[a-h]", "x")
COUNTS = pl.Series("note", ["/".join(str(text.count(letter)) for letter in "abcdefgh") for text in NOTES])
COUNT_COLUMNS = [pl.Series(f"count {letter}", [text.count(letter) for text in NOTES]) for letter in "abcdefgh"]
BLANKS = with_blanks(TABLE)
CODES = pl.Series("job", [hashlib.sha256(str(row).encode()).hexdigest()[:12] for row in TABLE.iter_rows()])
BY_INCOME_IN_JOBS = np.lexsort([TABLE["income"].to_numpy(), TABLE["job"].to_numpy()])
JOBS_ALONE = shuffled(TABLE).with_columns(TABLE["job"])
MIXED = RNG.permutation(PEOPLE)
BY_JOB = MIXED[np.argsort(TABLE["job"].to_numpy()[MIXED], kind="stable")]

BY_JOB_ALONE = np.argsort(TABLE["job"].to_numpy(), kind="stable")

MUST_NOT_PASS: dict[str, Any] = {
    "large noise in whole hundreds": lambda: judged(TABLE, in_steps(100, 300)),
    "amounts without their thousands": lambda: judged(
        TABLE, shuffled(TABLE, QI).with_columns(pl.col(name) % 1000 for name in SA)
    ),
    "texts with every letter masked": lambda: judged(WITH_NOTES, shuffled(TABLE).with_columns(MASKED)),
    "texts as counts of their letters": lambda: judged(WITH_NOTES, shuffled(TABLE).with_columns(COUNTS)),
    "counts of letters as columns of their own": lambda: judged(
        WITH_NOTES, shuffled(TABLE).with_columns(COUNT_COLUMNS)
    ),
    "values shuffled around the cells that people left blank": lambda: judged(BLANKS, shuffled_around_blanks(BLANKS)),
    "a category replaced by codes made from the whole row": lambda: judged(TABLE, shuffled(TABLE).with_columns(CODES)),
    "rows sorted by a category, then by an amount of the original": lambda: judged(
        TABLE, JOBS_ALONE[BY_INCOME_IN_JOBS], BY_INCOME_IN_JOBS
    ),
}

MUST_PASS: dict[str, Any] = {
    "noise in hundreds, every column shuffled": lambda: judged(TABLE, shuffled(in_steps(100, 300))),
    "masked texts of other people": lambda: judged(
        WITH_NOTES, shuffled(TABLE).with_columns(MASKED.gather(RNG.permutation(PEOPLE)))
    ),
    "counts of letters of other people's texts": lambda: judged(
        WITH_NOTES, shuffled(TABLE).with_columns(COUNTS.gather(RNG.permutation(PEOPLE)))
    ),
    "blanks shuffled with the values": lambda: judged(BLANKS, shuffled(BLANKS)),
    "rows sorted by a released category": lambda: judged(TABLE, JOBS_ALONE[BY_JOB], BY_JOB),
    "rows sorted by a released category, otherwise as they were": lambda: judged(
        TABLE, JOBS_ALONE[BY_JOB_ALONE], BY_JOB_ALONE
    ),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_values_that_kept_a_part_do_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_values_that_kept_nothing_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())


def test_blanks_in_amounts_alone_tell_people_to_whoever_knows_how_they_came_about() -> None:
    amounts = BLANKS.select(SA).with_columns(pl.Series(f"more {n}", BLANKS[n].gather(MIXED)) for n in SA)
    original = icefire.read(amounts, sa=tuple(amounts.columns))
    for released, told in ((shuffled_around_blanks(amounts), True), (shuffled(amounts, amounts.columns), False)):
        both = compare(original, original.with_columns(*released))
        assert bool(unread_relations(both, {}, 0.09, 1)) == told


def test_last_digits_are_learned_by_hand() -> None:
    x = pl.Series([1.25, 7.5, 3.75, None, 9.0, 12.5] * 5)
    part = learn_kept_part(x, x + pl.Series([10.0, 20.0] * 15), np.arange(30), np.arange(30))
    assert part is not None
    # Of hundredths divided by 100 there remain 25, 50, 75, 0 and 50, by 200 five different numbers.
    assert part.known[:6].tolist() == [125, 150, 175, -1, 100, 50]
    assert part.shown[:6].tolist() == part.known[:6].tolist()
    scores = np.zeros((2, len(part.known)))
    part.add_scores(scores, np.array([0, 3]))
    assert scores[0].argmax() == 0
    assert not scores[1].any()


def test_columns_of_two_kinds_kept_nothing() -> None:
    rows = np.arange(3)
    assert learn_kept_part(pl.Series([1, 2, 3]), pl.Series(["a", "b", "c"]), rows, rows) is None
    assert learn_kept_part(pl.Series([None] * 3, dtype=pl.Int64), pl.Series([1, 2, 3]), rows, rows) is None
