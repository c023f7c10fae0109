"""What a notebook shows of data, releases, inspections and recipes. No value of any person is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from icefire.audit.inspection.histories import HistoryInspection
from icefire.audit.inspection.tables import Inspection
from icefire.core.dataset import Dataset
from icefire.core.formatting import count, counted, number, percent, plain
from icefire.core.history import History
from icefire.core.release import Guess, Release
from icefire.core.schema import Schema
from icefire.recipe.steps import Recipe
from icefire.report.html import jaccard_histogram
from icefire.report.notebook.fragment import Fragment, FragmentTable, NumberCell
from icefire.words import said

ROLES = {"qi": "quasi-identifier", "sa": "sensitive", "id": "identifier", "other": "other"}
SECRET = "The truth and the seed are secret: .released alone may be handed out."


def dataset_fragment(data: Dataset) -> Fragment:
    """Show the columns of a table with their roles."""
    rows = [
        (column.name, said(ROLES[column.role.value]), column.kind.value, *_counts(data.frame[column.name]))
        for column in data.schema.columns
        if column.name in data.frame.columns
    ]
    header = ("column", "role", "compared as", "distinct", "missing")
    title = f"{data.name}: {counted(data.height, 'row')}, {counted(len(rows), 'column')}"
    return Fragment(title, tables=[FragmentTable("", header, rows)], note=f"Roles: {data.schema.origin}.")


def history_fragment(data: History) -> Fragment:
    """Show the columns of a history with their meanings."""
    meaning = {column: name for name, column in data.fields.present.items()}
    rows = [(column.name, meaning.get(column.name, ""), *_counts(column)) for column in data.frame]
    title = f"{data.name}: {count(data.height)} rows of {count(data.subjects)} people"
    customers = "" if data.customers is None else f"Table of customers: {', '.join(data.customers.columns)}."
    return Fragment(
        title, tables=[FragmentTable("", ("column", "meaning", "distinct", "missing"), rows)], note=customers
    )


def schema_fragment(schema: Schema) -> Fragment:
    """Show the roles of columns."""
    rows = [(column.name, said(ROLES[column.role.value]), column.kind.value) for column in schema.columns]
    title = f"Roles of {counted(len(rows), 'column')} ({schema.origin})"
    return Fragment(title, tables=[FragmentTable("", ("column", "role", "compared as"), rows)])


def release_fragment(release: Release[Any]) -> Fragment:
    """Show how a release was made."""
    title = f"Release of {count(release.released.height)} rows"
    return Fragment(title, tables=[_steps(release.recipe.get("steps", ()))], note=SECRET)


def recipe_fragment(recipe: Recipe) -> Fragment:
    """Show the steps of a recipe with their parameters."""
    return Fragment(f"Recipe of {_several(len(recipe.steps), 'step')}", tables=[_steps(recipe.as_run()["steps"])])


def guess_fragment(guess: Guess) -> Fragment:
    """Show how many targets an attack answered for."""
    answered = int((guess.first >= 0).sum()) if guess.names_rows else len(guess)
    return Fragment(f"Answers for {count(answered)} of {_several(len(guess), 'target')}")


def inspection_fragment(inspection: Inspection) -> Fragment:
    """Show how many rows are alone, the measures and the columns of a table."""
    source, alone = inspection.provenance.table, inspection.uniqueness
    measures = [
        (name, NumberCell("none" if result.value is None else number(result.value)))
        for name, result in inspection.measures.items()
    ]
    columns = [
        (
            name,
            said(ROLES[column.role]),
            column.type,
            NumberCell(count(column.distinct)),
            NumberCell(count(column.missing)),
        )
        for name, column in inspection.columns.items()
    ]
    return Fragment(
        f"{source.name}: {counted(source.rows, 'row')}, {counted(len(columns), 'column')}",
        lines=[f"Alone in their class: {counted(alone.rows, 'row')} ({percent(alone.share)})."],
        tables=[
            FragmentTable(
                _several(len(measures), "measure"), ("measure", "value"), measures, folded=len(measures) > 12
            ),
            FragmentTable("Columns", ("column", "role", "type", "distinct", "missing"), columns),
        ],
    )


def history_inspection_fragment(inspection: HistoryInspection) -> Fragment:
    """Show the size of a history and how alike its people are, as a picture."""
    figures = inspection.statistics
    rows: list[tuple[str, NumberCell]] = [
        ("goods", NumberCell(count(figures.goods))),
        ("goods per person, median", NumberCell(number(figures.goods_per_customer.median))),
        ("rows per person, median", NumberCell(number(figures.rows_per_customer.median))),
    ]
    if figures.receipts is not None:
        rows.append(("receipts", NumberCell(count(figures.receipts))))
    if inspection.risk is not None and inspection.risk:
        rows.append(("largest risk by the known points", NumberCell(percent(max(inspection.risk)))))
    name = inspection.provenance.table.name
    dates = f"{figures.first_date} to {figures.last_date}." if figures.first_date else ""
    title = f"{name}: {count(figures.rows)} rows of {count(figures.customers)} people"
    return Fragment(
        title,
        lines=[*([dates] if dates else []), f"{jaccard_histogram.title(figures.jaccard)}:"],
        tables=[FragmentTable("", ("", ""), rows)],
        picture=jaccard_histogram.jaccard_histogram(figures.jaccard),
    )


def _counts(column: pl.Series) -> tuple[NumberCell, NumberCell]:
    missing = column.null_count()
    return NumberCell(count(column.n_unique() - (1 if missing else 0))), NumberCell(count(missing))


def _steps(steps: Sequence[Mapping[str, Any]]) -> FragmentTable:
    rows = [(NumberCell(str(place)), str(step["method"]), _settings(step)) for place, step in enumerate(steps, 1)]
    return FragmentTable("", ("", "method", "parameters"), rows)


def _settings(step: Mapping[str, Any]) -> str:
    given = {name: value for name, value in step.items() if name not in ("method", "notes") and value is not None}
    return ", ".join(f"{name} = {plain(value)}" for name, value in given.items())


def _several(number_of: int, word: str) -> str:
    return f"{count(number_of)} {word}{'' if number_of == 1 else 's'}"
