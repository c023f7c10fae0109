"""One table's own numbers in the terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.text import Text

from icefire.audit.inspect_tables import Inspection
from icefire.core import formatting
from icefire.report import words
from icefire.report.columns import Column, safe, table


def show(found: Inspection, console: Console) -> None:
    """Print measures, classes and columns, each as far as the width allows."""
    source = found.provenance.table
    title = f"{source.name}: {formatting.count(source.rows)} rows, {len(found.columns)} columns"
    console.print(Text(safe(title), style="bold"))
    console.print()
    for part in (_measures(found), _classes(found), _columns(found)):
        name, columns = part
        if columns[0].cells:
            console.print(table(name, columns, console.width), highlight=False)
            console.print()
    console.print(Group(*_notes(found)), highlight=False)


def _measures(found: Inspection) -> tuple[str, list[Column]]:
    results = list(found.measures.values())
    return "Measures", [
        Column("measure", list(found.measures), 0, left=True),
        Column("code", [r.code for r in results], 4, left=True),
        Column("value", ["none" if r.value is None else formatting.number(r.value) for r in results], 0),
        Column("direction", [words.direction(r) for r in results], 2, left=True),
        Column("best", [r.best for r in results], 3),
    ]


def _classes(found: Inspection) -> tuple[str, list[Column]]:
    bins = [group for group in found.class_sizes if group.classes]
    rows = found.provenance.table.rows
    return "Classes by size", [
        Column("rows in class", [formatting.size_range(group.low, group.high) for group in bins], 0, left=True),
        Column("classes", [formatting.count(group.classes) for group in bins], 0),
        Column("rows", [formatting.count(group.rows) for group in bins], 0),
        Column("of all rows", [formatting.percent(group.rows / rows) for group in bins], 1),
    ]


def _columns(found: Inspection) -> tuple[str, list[Column]]:
    every = list(found.columns.values())
    numbers = [
        Column(name, ["" if value is None else formatting.number(value) for value in values], rank)
        for name, rank, values in (
            ("min", 2, [column.min for column in every]),
            ("mean", 3, [column.mean for column in every]),
            ("max", 2, [column.max for column in every]),
        )
    ]
    return "Columns", [
        Column("column", list(found.columns), 0, left=True),
        Column("role", [column.role for column in every], 1, left=True),
        Column("type", [column.type for column in every], 2, left=True),
        Column("missing", [formatting.count(column.missing) for column in every], 1),
        Column("distinct", [formatting.count(column.distinct) for column in every], 0),
        *(column for column in numbers if any(column.cells)),
    ]


def _notes(found: Inspection) -> list[Text]:
    notes = [_note("Alone in their class", _alone(found))]
    undefined = {name: result.note for name, result in found.measures.items() if result.value is None}
    notes += [_note(f"{name} has no value", reason) for name, reason in undefined.items()]
    reasons = dict.fromkeys(found.left_out.values())
    for reason in reasons:
        names = ", ".join(name for name, said in found.left_out.items() if said == reason)
        notes.append(_note(f"Left out {names}", reason))
    return notes


def _alone(found: Inspection) -> str:
    single, rows = found.uniqueness, found.provenance.table.rows
    text = f"{formatting.count(single.rows)} of {formatting.count(rows)} rows ({formatting.percent(single.share)})"
    if single.rows_wildcard is None or single.share_wildcard is None:
        return f"{text}; not counted where a missing cell may be any value."
    if single.rows_wildcard == single.rows:
        return f"{text}."
    many, share = formatting.count(single.rows_wildcard), formatting.percent(single.share_wildcard)
    return f"{text}; {many} ({share}) where a missing cell may be any value."


def _note(title: str, text: str) -> Text:
    return Text.assemble((f"{safe(title)}: ", "bold"), safe(text), overflow="fold")
