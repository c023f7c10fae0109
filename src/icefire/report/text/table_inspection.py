"""The measures and statistics of one table."""

from __future__ import annotations

from rich.console import Console, Group
from rich.text import Text

from icefire.audit.inspection.tables import Inspection
from icefire.core.formatting import count, counted, number, percent, size_range
from icefire.report.sentences import measures, surveys
from icefire.report.text.notes import note, notes, safe
from icefire.report.text.tables import TextColumn, table
from icefire.words import said, t


def show(inspection: Inspection, console: Console) -> None:
    """Print measures, classes and columns, each as far as the width allows."""
    source = inspection.provenance.table
    title = f"{source.name}: {counted(source.rows, 'row')}, {counted(len(inspection.columns), 'column')}"
    console.print(Text(safe(said(title)), style="bold"))
    console.print()
    for name, columns in (_measures(inspection), _classes(inspection), _columns(inspection)):
        if columns[0].cells:
            console.print(table(name, columns, console.width), highlight=False)
            console.print()
    console.print(Group(*_notes(inspection)), highlight=False)


def _measures(inspection: Inspection) -> tuple[str, list[TextColumn]]:
    results = list(inspection.measures.values())
    return "Measures", [
        TextColumn("measure", list(inspection.measures), 0, left=True),
        TextColumn("code", [r.code for r in results], 4, left=True),
        TextColumn("value", [t("numbers.none") if r.value is None else number(r.value) for r in results], 0),
        TextColumn("direction", [said(measures.direction(r)) for r in results], 2, left=True),
        TextColumn("best", [said(r.best) for r in results], 3),
    ]


def _classes(inspection: Inspection) -> tuple[str, list[TextColumn]]:
    bins = [group for group in inspection.class_sizes if group.classes]
    rows = inspection.provenance.table.rows
    return "Classes by size", [
        TextColumn("rows in class", [size_range(group.low, group.high) for group in bins], 0, left=True),
        TextColumn("classes", [count(group.classes) for group in bins], 0),
        TextColumn("rows", [count(group.rows) for group in bins], 0),
        TextColumn("of all rows", [percent(group.rows / rows) for group in bins], 1),
    ]


def _columns(inspection: Inspection) -> tuple[str, list[TextColumn]]:
    every = list(inspection.columns.values())
    numbers = [
        TextColumn(name, ["" if value is None else number(value) for value in values], rank)
        for name, rank, values in (
            ("min", 2, [column.min for column in every]),
            ("mean", 3, [column.mean for column in every]),
            ("max", 2, [column.max for column in every]),
        )
    ]
    return "Columns", [
        TextColumn("column", list(inspection.columns), 0, left=True),
        TextColumn("role", [said(column.role) for column in every], 1, left=True),
        TextColumn("type", [said(column.type) for column in every], 2, left=True),
        TextColumn("missing", [count(column.missing) for column in every], 1),
        TextColumn("distinct", [count(column.distinct) for column in every], 0),
        *(column for column in numbers if any(column.cells)),
    ]


def _notes(inspection: Inspection) -> list[Text]:
    lines = [note("Alone in their class", _alone(inspection))]
    lines += notes(surveys.lines(inspection.weighted, inspection.household, inspection.keys))
    lines += [
        note(f"Read {name!r} as {one.type}", one.read_as) for name, one in inspection.columns.items() if one.read_as
    ]
    undefined = {name: result.note for name, result in inspection.measures.items() if result.value is None}
    lines += [note(f"{name} has no value", reason) for name, reason in undefined.items()]
    for reason in dict.fromkeys(inspection.left_out.values()):
        names = ", ".join(name for name, other in inspection.left_out.items() if other == reason)
        lines.append(note(f"Left out {names}", reason))
    return lines


def _alone(inspection: Inspection) -> str:
    single, rows = inspection.uniqueness, inspection.provenance.table.rows
    text = f"{count(single.rows)} of {count(rows)} rows ({percent(single.share)})"
    if single.rows_wildcard is None or single.share_wildcard is None:
        return f"{text}; not counted where a missing cell may be any value."
    if single.rows_wildcard == single.rows:
        return f"{text}."
    many, share = count(single.rows_wildcard), percent(single.share_wildcard)
    return f"{text}; {many} ({share}) where a missing cell may be any value."
