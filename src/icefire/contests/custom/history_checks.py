"""Check the files of an organiser's own contest on histories: customers, what they bought, and who is who."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from icefire.contests.common import cells, tables
from icefire.contests.common.cells import Cells
from icefire.contests.common.problem import Problem
from icefire.contests.custom.table import CustomTable
from icefire.core.history import dates


def find_problems(paths: Sequence[Path], table: CustomTable) -> list[Problem]:
    """Check customers and rows of the original and of the release and, if it is given, the correspondence."""
    names = (table.customer_columns, table.columns, table.customer_columns, table.columns)
    read = [cells.read(path, columns) for path, columns in zip(paths, names, strict=False)]
    problems = [problem for _, some in read for problem in some]
    if problems:
        return problems
    known, bought, shown, sold = (one for one, _ in read if one is not None)
    for people, rows in ((known, bought), (shown, sold)):
        problems += [*_wrong_people(people, rows, table), *_wrong_rows(rows, people, table)]
    problems += tables.too_many_rows(shown.file, known.height, shown.height)
    if len(paths) > len(names):
        problems += tables.wrong_correspondence(paths[-1], known.height, shown.height)
    return problems


def _wrong_people(people: Cells, rows: Cells, table: CustomTable) -> list[Problem]:
    subject = table.subject
    buyers = rows.frame[subject].unique().to_list()
    return [
        *people.wrong(subject, _empty(people.frame[subject]), "every row names its customer"),
        *cells.repeated(people, subject, "customer"),
        *people.wrong(subject, ~people.frame[subject].is_in(buyers), f"a customer with rows in {rows.file}"),
    ]


def _wrong_rows(rows: Cells, people: Cells, table: CustomTable) -> list[Problem]:
    known = people.frame[table.subject].to_list()
    problems = [
        *rows.wrong(table.subject, ~rows.frame[table.subject].is_in(known), f"a customer of {people.file}"),
        *rows.wrong(table.item, _empty(rows.frame[table.item]), "every row names what was bought"),
    ]
    if table.date:
        problems += rows.wrong(table.date, ~dates.readable(rows.frame[table.date]), dates.ALLOWED)
    if table.time:
        problems += rows.wrong(table.time, ~dates.readable_time(rows.frame[table.time]), dates.ALLOWED_TIMES)
    for column in filter(None, (table.price, table.number)):
        problems += cells.numbers(rows, column, lambda number: number > 0, "a number above zero")
    return problems


def _empty(values: pl.Series) -> pl.Series:
    return values.is_null() | (values == "")
