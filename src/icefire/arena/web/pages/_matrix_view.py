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


@dataclass(frozen=True, slots=True)
class AttackerRow:
    """One attacker."""

    team: TeamFacts
    done: int
    possible: int
    cells: Sequence[MatrixCell]


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
class CountedMatrix:
    """A whole matrix, and how many of its cells are in each state."""

    whole: Matrix
    counts: dict[str, int]


def count_states(whole: Matrix) -> CountedMatrix:
    """Count the cells of a matrix by their state."""
    counts = Counter(str(cell.state) for row in whole.cells for cell in row)
    return CountedMatrix(whole, {state: counts[state] for state in STATES})


def select_view(whole: Matrix, asked: MatrixFilter) -> MatrixView:
    """Return the part of a matrix that a filter asks for."""
    rows = [at for at, one in enumerate(whole.attackers) if asked.team in ids.name_key(one.name)]
    columns = list(range(len(whole.releases)))
    if asked.state:
        rows = [row for row in rows if any(cell.state == asked.state for cell in whole.cells[row])]
        columns = [at for at in columns if any(whole.cells[row][at].state == asked.state for row in rows)]
    row_numbers, on_page = _slice(rows, asked.rows, ROWS), _slice(columns, asked.columns, COLUMNS)
    return MatrixView(
        releases=[whole.releases[at] for at in on_page],
        lines=[_attacker_row(whole.attackers[row], whole.cells[row], on_page) for row in row_numbers],
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
    return _attacker_row(whole.attackers[row], cells, columns)


def counts_with_own(public: CountedMatrix, team_id: str | None, own: set[str]) -> dict[str, int]:
    """Return the counts as a team sees them: its own releases are no longer open ones."""
    counts, row = dict(public.counts), _row_of(public.whole, team_id)
    if row is not None:
        for release, cell in zip(public.whole.releases, public.whole.cells[row], strict=True):
            if release.id in own:
                counts[cell.state] -= 1
                counts["own"] += 1
    return counts


def _attacker_row(team: TeamFacts, cells: Sequence[MatrixCell], columns: Sequence[int]) -> AttackerRow:
    done, own = (sum(cell.state in states for cell in cells) for states in (DONE, ("own",)))
    return AttackerRow(team, done, len(cells) - own, [cells[at] for at in columns])


def _row_of(whole: Matrix, team_id: str | None) -> int | None:
    return next((at for at, one in enumerate(whole.attackers) if one.id == team_id), None)


def _slice(every: Sequence[int], page: int, size: int) -> Sequence[int]:
    start = (min(page, _pages(every, size)) - 1) * size
    return every[start : start + size]


def _pages(every: Sequence[int], size: int) -> int:
    return max(1, -(-len(every) // size))
