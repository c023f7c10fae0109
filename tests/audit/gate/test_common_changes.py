"""The gate for changes that several columns, or all rows, have in common; and for names that stand for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import QI, SA, STAFF, judge, shuffled, staff

from icefire.audit.obstacles.column_relations import learn_relations
from icefire.audit.obstacles.kept_words import learn_kept_words
from icefire.audit.obstacles.moved_columns import moved_to_own_rows

PEOPLE = 200
TABLE = staff(rows=PEOPLE)
IN_CENTS = TABLE.with_columns(pl.col("income") * 100 + pl.Series(np.random.default_rng(9).integers(0, 100, PEOPLE)))
TOGETHER = SA[:3]
WORDS = [f"{start}{end}" for start in ("ba", "de", "ki", "lo", "mu", "ra") for end in ("n", "s", "t", "l", "r", "m")]


def judged(released: pl.DataFrame, original: pl.DataFrame = TABLE, **options: Any) -> Any:
    return judge(original, released, **STAFF, **options, attacks=["link"], measures=["U6"])


def changed_together(change: Callable[[pl.Expr, pl.Series], pl.Expr], noise: Any) -> pl.DataFrame:
    """Three amounts of everybody changed by one and the same number, another for each person; all else shuffled."""
    rest = shuffled(TABLE, (*QI, *SA[3:]))
    return rest.with_columns(change(pl.col(name), pl.Series(noise)).round(2).alias(name) for name in TOGETHER)


def moved(rows: list[int]) -> pl.DataFrame:
    """Every column moved by so many rows."""
    places = np.arange(PEOPLE)
    return pl.DataFrame(
        [column.gather((places + rows[place % len(rows)]) % PEOPLE) for place, column in enumerate(TABLE)]
    )


def with_words() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    notes = [" ".join(rng.choice(WORDS, size, replace=False)) for size in rng.integers(5, 11, PEOPLE)]
    return TABLE.with_columns(note=pl.Series(notes))


def in_cipher(own: bool) -> pl.DataFrame:
    """Every word under the name of another, the same one everywhere; all else shuffled."""
    others = dict(
        zip(WORDS, np.random.default_rng(5).permutation([f"x{number}" for number in range(50, 86)]), strict=True)
    )
    written = [" ".join(others[word] for word in note.split()) for note in with_words()["note"]]
    released = shuffled(with_words(), TABLE.columns).with_columns(note=pl.Series(written))
    return released if own else shuffled(released, ("note",))


def stations(own: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two of thirty stations of everybody, under secret numbers with a letter."""
    rng = np.random.default_rng(6)
    table = TABLE.with_columns(pl.Series(name, [f"{n:02d}" for n in rng.integers(0, 30, PEOPLE)]) for name in QI[2:])
    codes = rng.permutation(30)
    released = shuffled(table, TABLE.columns)
    source = table if own else released
    return table, released.with_columns(
        pl.Series(name, [f"S{codes[int(station)]:02d}" for station in source[name]]) for name in QI[2:]
    )


def numbered(values: Any) -> Any:
    """Every column shuffled, and pseudonyms in the order of these values."""
    rng = np.random.default_rng(7)
    table = TABLE.with_columns(pid=pl.Series([f"P{number}" for number in rng.permutation(9000)[:PEOPLE]]))
    ranks = pl.Series(values).rank("ordinal").cast(pl.Int64)
    return judged(shuffled(table, TABLE.columns).with_columns(pid=ranks), table, ids=("pid",))


FACTORS = np.exp(np.random.default_rng(1).normal(0, 0.8, PEOPLE))
MUST_NOT_PASS: dict[str, Any] = {
    "amounts of a person times one secret factor": lambda: judged(changed_together(lambda c, f: c * f, FACTORS)),
    "one number added to all amounts of a person": lambda: judged(
        changed_together(lambda c, f: c + f, 4_000 * np.log(FACTORS))
    ),
    "an amount split into thousands and the rest": lambda: judged(
        shuffled(IN_CENTS).with_columns(income=IN_CENTS["income"] // 1e5, rent=IN_CENTS["income"] % 1e5), IN_CENTS
    ),
    "every column moved by another number of rows": lambda: judged(moved([3, 17, 80, 5])),
    "sines of amounts over several periods": lambda: judged(
        shuffled(TABLE, QI).with_columns((pl.col(name) / pl.col(name).std() * 5).sin().round(5) for name in SA)
    ),
    "comments in which every word has another name": lambda: judged(in_cipher(own=True), with_words()),
    "120 stations under secret numbers": lambda: many_stations(own=True),
    "stations under secret numbers": lambda: judged(stations(own=True)[1], stations(own=True)[0]),
    "pseudonyms in the order of the incomes": lambda: numbered(TABLE["income"]),
    "pseudonyms in the reversed order of the incomes": lambda: numbered(-TABLE["income"]),
}
MANY = 800


def many_stations(own: bool) -> Any:
    """Two of 120 stations of everybody, under secret numbers; nothing else is released but shuffled wages."""
    rng = np.random.default_rng(6)
    table = pl.DataFrame({name: [f"{n:03d}" for n in rng.integers(0, 120, MANY)] for name in ("home", "work")})
    table = table.with_columns(wage=pl.Series(np.round(rng.lognormal(8, 0.5, MANY), 2)))
    codes, source = rng.permutation(120), table if own else shuffled(table)
    released = shuffled(table).with_columns(
        pl.Series(name, [f"N{codes[int(station)]:03d}" for station in source[name]]) for name in ("home", "work")
    )
    return judge(table, released, qi=("home", "work"), sa=("wage",), attacks=["link"], measures=["U6"])


MUST_PASS: dict[str, Any] = {
    "amounts times a secret factor each": lambda: judged(
        shuffled(TABLE, QI).with_columns(
            pl.col(name) * np.exp(np.random.default_rng(place).normal(0, 6, PEOPLE)) for place, name in enumerate(SA)
        )
    ),
    "every column moved by another number of rows, then shuffled": lambda: judged(shuffled(moved([3, 17, 80, 5]))),
    "comments of others in which every word has another name": lambda: judged(in_cipher(own=False), with_words()),
    "120 stations of others under secret numbers": lambda: many_stations(own=False),
    "stations of others under secret numbers": lambda: judged(stations(own=False)[1], stations(own=False)[0]),
    "pseudonyms in an order drawn at random": lambda: numbered(np.random.default_rng(8).random(PEOPLE)),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_common_changes_that_can_be_undone_do_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_common_changes_of_other_peoples_values_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())


def test_sums_of_columns_that_were_changed_together_are_learned() -> None:
    released = changed_together(lambda c, f: c + f, 40_000 * np.log(FACTORS))
    taught = np.arange(0, PEOPLE, 2)
    relations = learn_relations(TABLE, released, np.arange(PEOPLE), taught)
    assert set(TOGETHER) == set(next(iter(relations.closest(1))).split(", "))
    others = np.arange(1, PEOPLE, 2)
    assert (relations.scores(others).argmax(axis=1) == others).mean() > 0.9


def test_how_far_columns_were_moved_is_learned_from_some_rows() -> None:
    released = moved([3, 17, 0, 5])
    found_again = moved_to_own_rows(TABLE, released, np.arange(PEOPLE), np.arange(0, PEOPLE, 2))
    assert found_again.equals(released)
    same = shuffled(TABLE)
    assert moved_to_own_rows(TABLE, same, np.arange(PEOPLE), np.arange(0, PEOPLE, 2)).equals(TABLE)


def test_words_tell_whose_text_it_is_by_those_they_stand_for() -> None:
    taught = np.arange(0, PEOPLE, 2)
    words = learn_kept_words(with_words()["note"], in_cipher(own=True)["note"], np.arange(PEOPLE), taught)
    assert words is not None
    others = np.arange(1, PEOPLE, 2)
    scores = np.zeros((len(others), PEOPLE))
    words.add_scores(scores, others)
    assert (scores.argmax(axis=1) == others).mean() > 0.9
    assert learn_kept_words(with_words()["note"], in_cipher(own=False)["note"], np.arange(PEOPLE), taught) is None
