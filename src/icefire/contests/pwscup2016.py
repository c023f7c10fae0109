"""PWS Cup 2016: purchase histories. A team hands in customers M', transactions T' and who is who.

The files have no header. M has customer, sex, birthday, country; T customer, receipt, date, time, goods, price, number;
the correspondence has, for each row of M', the row of M it comes from, counted from 0. The score is the mean of the
worst utility and the worst attack; smaller is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from icefire.contests import cells
from icefire.contests.cells import Cells
from icefire.contests.rules import Problem, Rules
from icefire.core.history import dates
from icefire.core.scorecard import Scorecard
from icefire.io.files import Format

M = ("customer", "sex", "birthday", "country")
T = ("customer", "receipt", "date", "time", "goods", "price", "number")
UTILITIES = ("u1_cmae", "u2_cmae", "u3_rfm")


def check(paths: Sequence[Path]) -> list[Problem]:
    """Check a submission against the original: M, T, M', T' and the correspondence."""
    known, first = cells.read(paths[0], M)
    bought, second = cells.read(paths[1], T)
    shown, third = cells.read(paths[2], M)
    sold, fourth = cells.read(paths[3], T)
    truth, fifth = cells.read(paths[4], ("original",))
    problems = [*first, *second, *third, *fourth, *fifth]
    if known is None or bought is None or shown is None or sold is None or truth is None:
        return problems
    return [
        *problems,
        *_customers(known),
        *_transactions(bought, known),
        *_customers(shown),
        *_transactions(sold, shown),
        *_correspondence(truth, shown, known),
    ]


def _customers(table: Cells) -> list[Problem]:
    return [
        *table.wrong("customer", _empty(table, "customer"), "every row names its customer"),
        *cells.repeated(table, "customer", "customer"),
        *table.wrong("birthday", ~_empty(table, "birthday") & ~dates.readable(table.frame["birthday"]), dates.ALLOWED),
    ]


def _transactions(table: Cells, customers: Cells) -> list[Problem]:
    known = customers.frame["customer"].to_list()
    missing = _without_rows(table, customers)
    return [
        *table.wrong("customer", ~table.frame["customer"].is_in(known), f"a customer of {customers.file}"),
        *table.wrong("date", ~dates.readable(table.frame["date"]), dates.ALLOWED),
        *table.wrong("time", ~dates.readable_time(table.frame["time"]), dates.ALLOWED_TIMES),
        *table.wrong("goods", _empty(table, "goods"), "every row names a good"),
        *cells.numbers(table, "price", lambda price: price > 0, "a price above zero"),
        *cells.numbers(table, "number", lambda number: number > 0, "a number above zero"),
        *missing,
    ]


def _without_rows(table: Cells, customers: Cells) -> list[Problem]:
    buyers = table.frame["customer"].unique().to_list()
    idle = ~customers.frame["customer"].is_in(buyers)
    return customers.wrong("customer", idle, f"a customer with rows in {table.file}")


def _correspondence(truth: Cells, shown: Cells, known: Cells) -> list[Problem]:
    problems = cells.whole_numbers(truth, "original", 0, known.height - 1)
    if truth.height != shown.height:
        text = f"{truth.height:,} rows; one is needed for each of the {shown.height:,} customers of {shown.file}"
        problems.insert(0, Problem(truth.file, text))
    return problems or cells.repeated(truth, "original", "row of the original")


def _empty(table: Cells, column: str) -> pl.Series:
    values = table.frame[column]
    return values.is_null() | (values == "")


def standing(card: Scorecard) -> dict[str, float]:
    """Utility is the worst of the three errors, security the best attack's rate; their mean ranks the release."""
    errors = [card.measures[name].value for name in UTILITIES if name in card.measures]
    if not errors or any(error is None for error in errors) or not card.attacks:
        return {}
    utility = max(error for error in errors if error is not None)
    security = max(attack.rate for attack in card.attacks.values())
    return {"utility": utility, "security": security, "score": (utility + security) / 2}


RULES = Rules(
    name="pwscup2016",
    title="PWS Cup 2016: purchase histories",
    files=("M.csv", "T.csv", "M'.csv", "T'.csv", "correspondence.csv"),
    check=check,
    reading={
        "subject": "customer",
        "item": "goods",
        "how": Format(header=False, columns=T),
        "customers_how": Format(header=False, columns=M),
    },
    utilities=UTILITIES,
    standing=standing,
)
