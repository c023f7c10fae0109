"""Boards, matrix, releases and teams as CSV and JSON, for whoever asks: read through facts and boards and nothing else.

A cell of text in the CSV that begins with = + - @ ' a tab or the end of a line gets a ' put before it, so that no
spreadsheet takes a team's name for a formula. Taking one leading ' off gives every text back as it was. Numbers, also
negative ones, and texts that are numbers stay as they are. JSON needs none of this.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy.orm import Session

from icefire.arena.auth.actor import Actor
from icefire.arena.boards import export_tables, freezing
from icefire.arena.boards.export_tables import Cell
from icefire.arena.contest.arena import Arena
from icefire.arena.errors import Absent
from icefire.contests.common.formulas import harmless

ExportFormat = Literal["csv", "json"]
TYPES: dict[ExportFormat, str] = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
"""What a browser is told a file is."""
OF_A_ROUND = ("board", "fire", "matrix", "releases", "attacks")
OF_ALL = ("overall", "teams")


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table to export."""

    what: str
    round: str | None
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def export(
    arena: Arena, actor: Actor, what: str, kind: ExportFormat, round_name: str | None = None, team_id: str | None = None
) -> bytes:
    """Return a table as a file: the whole of it, or what concerns one team."""
    if kind not in TYPES:
        raise Absent
    freezing.keep_up(arena)
    with arena.database.reading() as session:
        rows = table(session, arena, actor, what, round_name, team_id)
    return as_csv(rows) if kind == "csv" else as_json(rows)


def table(
    session: Session, arena: Arena, actor: Actor, what: str, round_name: str | None = None, team_id: str | None = None
) -> ExportTable:
    """Return a table as an actor may see it."""
    if what in OF_A_ROUND:
        if round_name is None:
            raise Absent
        arena.round(round_name)
        columns, lines = export_tables.OF_A_ROUND[what](session, arena, actor, round_name)
    elif what in OF_ALL:
        round_name = None
        columns, lines = export_tables.OF_ALL[what](session, arena, actor)
    else:
        raise Absent
    kept = tuple(line.cells for line in lines if team_id is None or team_id in line.teams)
    return ExportTable(what, round_name, tuple(columns), kept)


def as_json(table: ExportTable) -> bytes:
    """Write a table as JSON: its name, its round, and a list of rows."""
    rows = [dict(zip(table.columns, map(_plain, cells), strict=True)) for cells in table.rows]
    body = {"what": table.what, "round": table.round, "columns": table.columns, "rows": rows}
    return (json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def _plain(cell: Cell) -> str | int | float | bool | None:
    return cell.isoformat() if isinstance(cell, datetime) else cell


def as_csv(table: ExportTable) -> bytes:
    """Write a table as CSV with a header, formulas made harmless."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([harmless(name) for name in table.columns])
    writer.writerows([_shown(cell) for cell in cells] for cells in table.rows)
    return text.getvalue().encode()


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str):
        return harmless(cell)
    return str(_plain(cell))
