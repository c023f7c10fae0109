"""PWS Cup 2016: purchase histories. A team hands in customers M', transactions T' and who is who.

The files have no header. M has customer, sex, birthday, country; T customer, receipt, date, time, goods, price, number;
the correspondence has, for each row of M', the row of M it comes from, counted from 0. The score is the mean of the
worst utility and the worst attack; smaller is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import polars as pl

from icefire.contests.common import cells, tables
from icefire.contests.common.cells import Cells
from icefire.contests.common.contest import Contest
from icefire.contests.common.problem import Problem
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.formulas import mean_of_worst
from icefire.contests.games.histories import HistoryGame
from icefire.core.history import dates
from icefire.io.format import Format

M = ("customer", "sex", "birthday", "country")
T = ("customer", "receipt", "date", "time", "goods", "price", "number")
UTILITIES = ("u1_cmae", "u2_cmae", "u3_rfm")


def find_problems(paths: Sequence[Path]) -> list[Problem]:
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
        *_wrong_customers(known),
        *_wrong_transactions(bought, known),
        *_wrong_customers(shown),
        *_wrong_transactions(sold, shown),
        *_wrong_correspondence(truth, shown, known),
    ]


def _wrong_customers(table: Cells) -> list[Problem]:
    return [
        *table.wrong("customer", _empty(table, "customer"), "every row names its customer"),
        *cells.repeated(table, "customer", "customer"),
        *table.wrong("birthday", ~_empty(table, "birthday") & ~dates.readable(table.frame["birthday"]), dates.ALLOWED),
    ]


def _wrong_transactions(table: Cells, customers: Cells) -> list[Problem]:
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


def _wrong_correspondence(truth: Cells, shown: Cells, known: Cells) -> list[Problem]:
    if truth.height == shown.height:
        return tables.wrong_origins(truth, known.height)
    text = f"{truth.height:,} rows; one is needed for each of the {shown.height:,} customers of {shown.file}"
    return [Problem(truth.file, text), *cells.whole_numbers(truth, "original", 0, known.height - 1)]


def _empty(table: Cells, column: str) -> pl.Series:
    values = table.frame[column]
    return values.is_null() | (values == "")


CONTEST = Contest(
    name="pwscup2016",
    title="PWS Cup 2016: purchase histories",
    files=("M.csv", "T.csv", "M'.csv", "T'.csv", "correspondence.csv"),
    find_problems=find_problems,
    reading={
        "subject": "customer",
        "item": "goods",
        "how": Format(header=False, decimal=".", columns=T),
        "customers_how": Format(header=False, decimal=".", columns=M),
    },
    game=HistoryGame,
    sample=SampleFiles("shop", small=30),
    utilities=UTILITIES,
    score_parts=mean_of_worst.score_parts,
    figures=partial(mean_of_worst.figures, UTILITIES),
)
