"""The part of the matrix attacker × release that is on one page, and how a team sees its own row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from icefire.arena import ids
from icefire.arena.boards.facts import ReleaseFacts, TeamFacts
from icefire.arena.boards.matrix import Matrix, MatrixCell, State

ROWS, COLUMNS = 50, 40
"""How much of it is on one page; a contest of the usual size fits on the first."""
STATES: tuple[str, ...] = get_args(State)
DONE = ("submitted", "scored")


@dataclass(frozen=True, slots=True)
class MatrixFilter:
    """What of the matrix somebody wants to see."""

    state: str = ""
    team: str = ""
    rows: int = 1
    columns: int = 1

    def is_page_of(self, whole: Matrix) -> bool:
        """Tell whether it asks for a page of the whole matrix; these few are what most people look at."""
        pages = self.rows <= _pages(whole.attackers, ROWS) and self.columns <= _pages(whole.releases, COLUMNS)
        return pages and not self.state and not self.team


@dataclass(frozen=True, slots=True)
class AttackerRow:
    """One attacker."""

    team: TeamFacts
    done: int
    possible: int
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class MatrixView:
    """The part of the matrix on a page."""

    releases: Sequence[ReleaseFacts]
    lines: Sequence[AttackerRow]
    attackers: int
    columns: int
    """How many of each are left after the filter."""
    row_pages: int
    column_pages: int


@dataclass(frozen=True, slots=True)
class DrawnView:
    """The part of the matrix on a page, and its rows as they are drawn for all."""

    view: MatrixView
    rows: dict[str, str]
    """By team."""
    text: str

    def without(self, team_id: str | None) -> str:
        """Return the rows of all teams but one, whose row is drawn for it alone."""
        own = self.rows.get(team_id or "")
        return self.text if own is None else self.text.replace(own, "", 1)


@dataclass(frozen=True, slots=True)
class CountedMatrix:
    """A whole matrix, and how many of its cells are in each state, altogether and by row."""

    whole: Matrix
    counts: dict[str, int]
    by_row: Sequence[Counter[str]]


def count_states(whole: Matrix, before: CountedMatrix | None = None) -> CountedMatrix:
    """Count the cells of a matrix by their state; rows that are as they were before are not counted again."""
    known = {id(row): counts for row, counts in zip(before.whole.cells, before.by_row, strict=True)} if before else {}
    by_row = [known.get(id(row)) or _count(row) for row in whole.cells]
    return CountedMatrix(whole, {state: sum(row[state] for row in by_row) for state in STATES}, by_row)


def _count(row: Sequence[MatrixCell]) -> Counter[str]:
    counts: Counter[str] = Counter()
    counts.update(cell.state for cell in row)
    return counts


def select_view(public: CountedMatrix, asked: MatrixFilter) -> MatrixView:
    """Return the part of a matrix that a filter asks for."""
    whole = public.whole
    rows = [at for at, one in enumerate(whole.attackers) if asked.team in ids.folded_name(one.name)]
    columns = list(range(len(whole.releases)))
    if asked.state:
        rows = [row for row in rows if any(cell.state == asked.state for cell in whole.cells[row])]
        columns = [at for at in columns if any(whole.cells[row][at].state == asked.state for row in rows)]
    row_numbers, on_page = _slice(rows, asked.rows, ROWS), _slice(columns, asked.columns, COLUMNS)
    return MatrixView(
        releases=[whole.releases[at] for at in on_page],
        lines=[_attacker_row(public, row, on_page) for row in row_numbers],
        attackers=len(rows),
        columns=len(columns),
        row_pages=_pages(rows, ROWS),
        column_pages=_pages(columns, COLUMNS),
    )


def own_row(whole: Matrix, view: MatrixView, team_id: str | None, own: set[str]) -> AttackerRow | None:
    """Return the team's own row, in which it sees which releases are its own."""
    row = _row_of(whole, team_id)
    if row is None:
        return None
    cells = [
        MatrixCell("own", None) if release.id in own else cell
        for release, cell in zip(whole.releases, whole.cells[row], strict=True)
    ]
    on_page = {release.id for release in view.releases}
    columns = [at for at, one in enumerate(whole.releases) if one.id in on_page]
    counts = _count(cells)
    return AttackerRow(
        whole.attackers[row], _done(counts), len(cells) - counts["own"], tuple(cells[at] for at in columns)
    )


def counts_with_own(public: CountedMatrix, team_id: str | None, own: set[str]) -> dict[str, int]:
    """Return the counts as a team sees them: its own releases are no longer open ones."""
    counts, row = dict(public.counts), _row_of(public.whole, team_id)
    if row is not None:
        for release, cell in zip(public.whole.releases, public.whole.cells[row], strict=True):
            if release.id in own:
                counts[cell.state] -= 1
                counts["own"] += 1
    return counts


def _attacker_row(public: CountedMatrix, row: int, columns: Sequence[int]) -> AttackerRow:
    counts, cells = public.by_row[row], public.whole.cells[row]
    return AttackerRow(
        public.whole.attackers[row], _done(counts), len(cells) - counts["own"], tuple(cells[at] for at in columns)
    )


def _done(counts: Counter[str]) -> int:
    return sum(counts[state] for state in DONE)


def _row_of(whole: Matrix, team_id: str | None) -> int | None:
    return next((at for at, one in enumerate(whole.attackers) if one.id == team_id), None)


def _slice(every: Sequence[int], page: int, size: int) -> Sequence[int]:
    start = (min(page, _pages(every, size)) - 1) * size
    return every[start : start + size]


def _pages(every: Sequence[object], size: int) -> int:
    return max(1, -(-len(every) // size))
