"""Text cells that a spreadsheet would run as a formula: finding, escaping and giving them back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from icefire.contests.common.contest import Contest
from icefire.contests.common.game import ORIGINAL, ORIGINAL_CUSTOMERS
from icefire.contests.common.problem import Problem

STARTS = tuple("=+-@\t\r＝＋－＠")
MOST = 20
"""So many cells are named; what is wrong with the others is the same."""
_QUOTED = (*STARTS, "'", "\n")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def is_formula(cell: str) -> bool:
    """Tell a text that a spreadsheet takes for a formula; numbers, also negative ones, are none."""
    return cell.startswith(STARTS) and not _NUMBER.fullmatch(cell)


def harmless(cell: str) -> str:
    """Return a text that no spreadsheet runs; taking one leading ' off gives every text back."""
    return f"'{cell}" if cell.startswith(_QUOTED) and not _NUMBER.fullmatch(cell) else cell


def escaped(table: bytes) -> bytes:
    """Return a CSV file with every cell harmless."""
    return _rewritten(table, harmless)


def plain(table: bytes) -> bytes:
    """Return a CSV file as it was before it was escaped."""
    return _rewritten(table, lambda cell: cell.removeprefix("'"))


def problems(path: Path, known: list[Path], header: bool) -> list[Problem]:
    """Name the cells of a file that begin a formula; those that the original has as well are the organiser's own."""
    own = {cell for one in known if one.exists() for _, cell in _formulas(one)}
    cells = [(place, cell) for place, cell in _formulas(path) if cell not in own]
    allowed = "text that does not begin with = + - @ or a tab, which a spreadsheet would run as a formula"
    names = _first_row(path) if header else []
    named = []
    for (line, column), cell in cells[:MOST]:
        row = line - header if line >= header else None
        name = names[column] if row is not None and column < len(names) else str(column + 1)
        named.append(Problem(path.name, f"{cell[:40]!r} is not allowed; {allowed}", row, name))
    more = len(cells) - len(named)
    return [*named, *([Problem(path.name, f"{more:,} more cells like these")] if more > 0 else [])]


def refused(contest: Contest) -> Contest:
    """Return a contest whose checks also refuse formulas, in the files of a submission that rivals get."""
    game = contest.play()
    ours = [name in (ORIGINAL, ORIGINAL_CUSTOMERS) for name in game.checked]
    handed = [name in game.handed_in and name in game.handed_out for name in game.checked]

    def find_problems(paths: Sequence[Path]) -> list[Problem]:
        known = [path for path, is_ours in zip(paths, ours, strict=False) if is_ours]
        shown = [path for path, is_handed in zip(paths, handed, strict=False) if is_handed]
        wrong = contest.find_problems(paths)
        return wrong or [one for path in shown for one in problems(path, known, game.has_header)]

    return replace(contest, find_problems=find_problems)


def _first_row(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file), [])


def _formulas(path: Path) -> Iterator[tuple[tuple[int, int], str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row, cells in enumerate(csv.reader(file)):
            for column, cell in enumerate(cells):
                if is_formula(cell):
                    yield (row, column), cell


def _rewritten(table: bytes, change) -> bytes:  # type: ignore[no-untyped-def]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([change(cell) for cell in row] for row in csv.reader(io.StringIO(table.decode(), newline="")))
    return text.getvalue().encode()
