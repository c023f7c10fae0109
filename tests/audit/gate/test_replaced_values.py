"""The gate for values that were replaced by others: units, secret codes, order, moved dates, changed text."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import NUMBER_COLUMNS, QI, ROWS, STAFF, judge, shuffled, staff

TEXT = (
    "pain left arm night since cough mild severe review stable late invoice wrong box damaged refund "
    "agent called back angry happy renewal discount contract cancelled upgrade router broken screen slow "
    "password reset parcel neighbour "
)
WORDS = TEXT.split()
RNG = np.random.default_rng(11)


def letters(rows: int = ROWS) -> pl.DataFrame:
    """Complaints: a date and a text of everybody beside few categories."""
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "town": rng.choice([f"town {number}" for number in range(12)], rows),
            "kind": rng.choice(["order", "repair", "other"], rows),
            "day": [(date(2020, 1, 1) + timedelta(int(d))).isoformat() for d in rng.integers(0, 2500, rows)],
            "amount": np.round(np.exp(rng.normal(4, 1, rows)), 2),
            "text": [" ".join(rng.choice(WORDS, 10)) for _ in range(rows)],
        }
    )


LETTERS: dict[str, Any] = {"qi": ("town", "kind"), "sa": ("amount",)}


def only(column: str, values: Any) -> pl.DataFrame:
    """All columns shuffled but one, which holds these values."""
    return shuffled(letters()).with_columns(pl.Series(column, values))


def later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def visits() -> pl.DataFrame:
    """Two categories and three dates of everybody."""
    rng = np.random.default_rng(8)
    dates = {
        name: [later("1990-01-01", d) for d in rng.integers(0, 9000, ROWS).tolist()]
        for name in ("born", "came", "left")
    }
    return letters().select("town", "kind").with_columns(**{n: pl.Series(values) for n, values in dates.items()})


def moved_visits() -> pl.DataFrame:
    """Every date moved by up to twenty days or suppressed, categories shuffled."""
    table = shuffled(visits(), ("town", "kind"))
    moved = [
        pl.Series(name, ["*" if RNG.random() < 0.1 else later(d, int(RNG.integers(-20, 21))) for d in table[name]])
        for name in ("born", "came", "left")
    ]
    return table.with_columns(moved)


def answers(no: str = "no", yes: str = "yes") -> pl.DataFrame:
    """Questions to which some say yes."""
    said = np.random.default_rng(5).random((ROWS, 24)) < np.linspace(0.08, 0.44, 24)
    return pl.DataFrame({f"q{place}": np.where(said[:, place], yes, no) for place in range(24)})


def misspelt(text: str) -> str:
    at = int(RNG.integers(1, len(text) - 1))
    return text[:at] + "q" + text[at + 2 :]


def recoded(table: pl.DataFrame) -> pl.DataFrame:
    """Every category under another name."""
    names = [name for name in table.columns if table[name].dtype == pl.String]
    return table.with_columns(
        table[name].replace({v: f"code {n}" for n, v in enumerate(reversed(table[name].unique().sort()))})
        for name in names
    )


def reordered(text: str) -> str:
    return " ".join(RNG.permutation(text.split()))


MUST_NOT_PASS: dict[str, Any] = {
    "amounts in another unit, categories shuffled": lambda: judge(
        staff(), shuffled(staff(), QI[1:]).with_columns(pl.col(NUMBER_COLUMNS) / 1000), **STAFF
    ),
    "ranks instead of amounts, categories shuffled": lambda: judge(
        staff(), shuffled(staff(), QI[1:]).with_columns(pl.col(NUMBER_COLUMNS).rank()), **STAFF
    ),
    "logarithms of amounts, categories shuffled": lambda: judge(
        staff(), shuffled(staff(), QI[1:]).with_columns(pl.col(NUMBER_COLUMNS).log()), **STAFF
    ),
    "amounts subtracted from a secret number, categories shuffled": lambda: judge(
        staff(), shuffled(staff(), QI[1:]).with_columns(pl.col(NUMBER_COLUMNS) * -1.0 + 7777), **STAFF
    ),
    "some amounts negative, categories shuffled": lambda: judge(
        staff(), shuffled(staff(), QI[1:]).with_columns(pl.col("rent", "tax") * -2.5), **STAFF
    ),
    "categories under other names, amounts shuffled": lambda: judge(
        staff().select(QI[1:]).with_columns(kind=staff()["age"] // 13, grade=staff()["income"] // 2500),
        recoded(staff().select(QI[1:])).with_columns(kind=staff()["age"] // 13, grade=99 - staff()["income"] // 2500),
        qi=QI[1:],
        sa=(),
    ),
    "dates moved by a constant, all else shuffled": lambda: judge(
        letters(),
        only("day", [later(d, 137) for d in letters()["day"]]),
        **LETTERS,
    ),
    "dates written in another way, all else shuffled": lambda: judge(
        letters(), only("day", [".".join(reversed(d.split("-"))) for d in letters()["day"]]), **LETTERS
    ),
    "dates as days since a secret one, all else shuffled": lambda: judge(
        letters(), only("day", letters()["day"].str.to_date().to_physical() - 4000), **LETTERS
    ),
    "some dates suppressed, all moved, categories shuffled": lambda: judge(
        visits(), moved_visits(), qi=("town", "kind")
    ),
    "yes and no exchanged": lambda: judge(answers(), answers(no="yes", yes="no"), qi=("q0", "q1")),
    "texts misspelt, all else shuffled": lambda: judge(
        letters(), only("text", [misspelt(text) for text in letters()["text"]]), **LETTERS
    ),
    "words of texts in another order, all else shuffled": lambda: judge(
        letters(), only("text", [reordered(text) for text in letters()["text"]]), **LETTERS
    ),
    "texts cut, all else shuffled": lambda: judge(
        letters(), only("text", [text[:30] for text in letters()["text"]]), **LETTERS
    ),
    "texts in capitals, all else shuffled": lambda: judge(
        letters(), only("text", [text.upper() for text in letters()["text"]]), **LETTERS
    ),
}

MUST_PASS: dict[str, Any] = {
    "amounts in another unit, every column shuffled": lambda: judge(
        staff(), shuffled(staff()).with_columns(pl.col(NUMBER_COLUMNS) / 1000), **STAFF
    ),
    "categories under other names, every column shuffled": lambda: judge(staff(), recoded(shuffled(staff())), **STAFF),
    "dates moved, every column shuffled, no text": lambda: judge(
        letters().drop("text"), shuffled(letters().drop("text")), **LETTERS
    ),
    "texts drawn from the same words": lambda: judge(
        letters(), only("text", [" ".join(RNG.choice(WORDS, 10)) for _ in range(ROWS)]), **LETTERS
    ),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_values_replaced_by_others_do_not_pass(release: str) -> None:
    verdict = MUST_NOT_PASS[release]()
    assert_not_passed(verdict, verdict.reasons[0].code if verdict.reasons else "limit")
    assert {reason.code for reason in verdict.reasons} & {"limit", "verbatim"}


@pytest.mark.parametrize("release", MUST_PASS)
def test_values_that_are_nobodys_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())
