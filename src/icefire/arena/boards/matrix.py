"""The matrix attacker × release: who has attacked what and, once it is public, with which success."""

from __future__ import annotations

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
    guesses = {(guess.team_id, guess.release_id): guess for guess in facts.guesses}
    cells = tuple(
        tuple(_cell(team, release, guesses.get((team.id, release.id))) for release in releases) for team in facts.teams
    )
    return Matrix(facts.teams, tuple(releases), cells)


def _by_team(release: ReleaseFacts) -> tuple[str, int]:
    return (release.team or "").casefold(), release.number or 0


def _by_label(release: ReleaseFacts) -> tuple[str, int]:
    return release.label, 0


def _cell(team: TeamFacts, release: ReleaseFacts, guess: GuessFacts | None) -> MatrixCell:
    """A team's own release is told only where its author is: elsewhere it looks like one not attacked."""
    if guess is not None and guess.found is not None:
        return MatrixCell("scored", guess.found.rate, guess.id)
    if guess is not None and guess.state != FAILED:
        return MatrixCell("submitted", None, guess.id)
    if release.team_id == team.id:
        return OWN
    return OPEN if release.withdrawn is None else WITHDRAWN
