"""Who has attacked what, while results are hidden: read once, then only what was handed in since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from icefire.arena.boards import matrix, reading
from icefire.arena.boards.facts import GuessFacts, RoundFacts
from icefire.arena.boards.matrix import Matrix
from icefire.arena.web.changes import SeenChanges


@dataclass(frozen=True, slots=True)
class GuessList:
    """The guesses of a round up to a line of the log, in the order of their arrival."""

    facts: RoundFacts
    """The round with them."""
    without: RoundFacts
    """The round as it was read, without them."""
    line: int
    pairs: frozenset[tuple[str, str]]
    """Release and team of each."""
    new: tuple[GuessFacts, ...] | None = None
    """Those that the list of `line_before` had not; None if it was read as a whole."""
    line_before: int = -1


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The matrix of a list of guesses."""

    listed: GuessList
    matrix: Matrix


def read_guesses(session: Session, changes: SeenChanges, without: RoundFacts, before: GuessList | None) -> GuessList:
    """Return the guesses of a round that a session sees, made from an earlier list where that is possible."""
    name = without.now.name
    line = changes.guessed(name)
    usable = before is not None and before.without is without and before.line <= line
    ids = changes.guess_ids(name, before.line) if usable and before is not None else None
    if before is None or ids is None:
        every = reading.hidden_guesses(session, without)
        return GuessList(replace(without, guesses=every), without, line, _pairs(every))
    new = reading.hidden_guesses(session, without, ids) if ids else ()
    merged, pairs = _merged(before, new), _pairs(new)
    return GuessList(replace(without, guesses=merged), without, line, before.pairs | pairs, new, before.line)


def _pairs(guesses: Sequence[GuessFacts]) -> frozenset[tuple[str, str]]:
    return frozenset((guess.release_id, guess.team_id) for guess in guesses)


def _merged(before: GuessList, new: tuple[GuessFacts, ...]) -> tuple[GuessFacts, ...]:
    """Add new guesses; one that follows a guess that could not be scored takes its place."""
    old, again = before.facts.guesses, _pairs(new)
    if before.pairs.isdisjoint(again) and (not old or all(old[-1].received <= guess.received for guess in new)):
        return (*old, *new)  # the usual case: neither sorted nor compared, of tens of thousands
    kept = [guess for guess in old if (guess.release_id, guess.team_id) not in again]
    return tuple(sorted([*kept, *new], key=lambda guess: guess.received))


def lay_out(listed: GuessList, before: LaidOut | None) -> LaidOut:
    """Return the matrix of a list of guesses, made from an earlier one where that is possible."""
    if before is None or before.listed.without is not listed.without:
        return LaidOut(listed, matrix.round_matrix(listed.facts))
    if listed.new is not None and listed.line_before == before.listed.line:
        return LaidOut(listed, matrix.with_guesses(before.matrix, listed.new))
    known = {id(guess) for guess in before.listed.facts.guesses}
    new = [guess for guess in listed.facts.guesses if id(guess) not in known]
    return LaidOut(listed, matrix.with_guesses(before.matrix, new))
