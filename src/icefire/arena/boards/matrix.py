"""The matrix attacker × release: who has attacked what and, once it is public, with which success."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from icefire.arena.boards.facts import FAILED, GuessFacts, ReleaseFacts, RoundFacts, TeamFacts

State = Literal["open", "submitted", "scored", "own", "withdrawn"]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What one team did with one release."""

    state: State
    """withdrawn: its team has withdrawn it and this attacker has not attacked it; it may still do so."""
    rate: float | None
    guess_id: Annotated[str | None, Field(exclude=True)] = None
    """For pages: the receipt is found by it."""


OPEN, OWN, WITHDRAWN = MatrixCell("open", None), MatrixCell("own", None), MatrixCell("withdrawn", None)
SUBMITTED = MatrixCell("submitted", None)
"""Most cells are one of these: hundreds of teams times hundreds of releases need no object each."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Attackers by name; releases in play by label, and by team once that is public."""

    attackers: tuple[TeamFacts, ...]
    releases: tuple[ReleaseFacts, ...]
    cells: tuple[tuple[MatrixCell, ...], ...]
    """A row for each attacker, a cell for each release."""


def round_matrix(facts: RoundFacts) -> Matrix:
    """Lay out a round."""
    releases = [one for one in facts.releases if one.in_play]
    releases.sort(key=_by_team if facts.now.revealed else _by_label)
    columns = {release.id: at for at, release in enumerate(releases)}
    usual = [_cell_without_guess(release) for release in releases]
    rows = {team.id: list(usual) for team in facts.teams}
    for at, release in enumerate(releases):
        if release.team_id in rows:
            rows[release.team_id][at] = OWN
    for guess in facts.guesses:
        if guess.release_id in columns and guess.team_id in rows:
            at = columns[guess.release_id]
            rows[guess.team_id][at] = _cell_of_guess(guess) or rows[guess.team_id][at]
    return Matrix(facts.teams, tuple(releases), tuple(tuple(rows[team.id]) for team in facts.teams))


def with_guesses(before: Matrix, new: Sequence[GuessFacts]) -> Matrix:
    """Return a matrix with guesses that were handed in since; rows that nobody has touched are the same objects."""
    columns = {release.id: at for at, release in enumerate(before.releases)}
    rows = {team.id: at for at, team in enumerate(before.attackers)}
    cells = list(before.cells)
    for guess in new:
        cell = _cell_of_guess(guess)
        if cell is not None and guess.release_id in columns and guess.team_id in rows:
            row, column = rows[guess.team_id], columns[guess.release_id]
            cells[row] = (*cells[row][:column], cell, *cells[row][column + 1 :])
    return Matrix(before.attackers, before.releases, tuple(cells))


def with_own_row(public: Matrix, own: RoundFacts, team_id: str) -> Matrix | None:
    """Return a team's matrix, made of everybody's: its releases and its row are as its own facts have them.

    None if the team sees other releases than everybody does, and the matrix must be laid out from its facts.
    """
    known = {release.id: release for release in own.releases if release.in_play}
    if known.keys() != {release.id for release in public.releases}:
        return None
    releases = tuple(known[release.id] for release in public.releases)
    guesses = {guess.release_id: guess for guess in own.guesses if guess.team_id == team_id}
    rows = (
        row if team.id != team_id else tuple(_cell(team, release, guesses.get(release.id)) for release in releases)
        for team, row in zip(public.attackers, public.cells, strict=True)
    )
    return Matrix(public.attackers, releases, tuple(rows))


def _by_team(release: ReleaseFacts) -> tuple[str, int]:
    return (release.team or "").casefold(), release.number or 0


def _by_label(release: ReleaseFacts) -> tuple[str, int]:
    return release.label, 0


def _cell(team: TeamFacts, release: ReleaseFacts, guess: GuessFacts | None) -> MatrixCell:
    """A team's own release is told only where its author is: elsewhere it looks like one not attacked."""
    of_guess = _cell_of_guess(guess) if guess is not None else None
    return of_guess or (OWN if release.team_id == team.id else _cell_without_guess(release))


def _cell_of_guess(guess: GuessFacts) -> MatrixCell | None:
    if guess.found is not None:
        return MatrixCell("scored", guess.found.rate, guess.id)
    if guess.state == FAILED:
        return None
    return SUBMITTED if guess.id is None else MatrixCell("submitted", None, guess.id)


def _cell_without_guess(release: ReleaseFacts) -> MatrixCell:
    return OPEN if release.withdrawn is None else WITHDRAWN
