"""What has changed, as the log tells it: which lines concern the guesses of a round, their results, or anything else.

A guess changes the matrix of its round and no ranking; that it was scored changes nothing that the public sees before
the reveal. Pages that know this do not read a whole round again after each guess.
"""

from __future__ import annotations

import bisect
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from icefire.arena.storage.tables import EventRow, GuessRow, ReleaseRow

UNSEEN = (
    "login",
    "token",
    "export",
    "account",
    "invite",
    "link",
    "password",
    "identity",
    "terms",
    "lockout_cleared",
    "sent_again",
    "announcement",
    "joined",
    "left",
    "captain",
)
"""Lines of the log after which every board looks as before."""
GUESS, SCORED = "guess", "scored"
LAST = "last line"
"""Under this name a session, which sees one state of the database, keeps the number of the last line it sees."""

MOST_LINES = 20_000
"""How many lines are remembered; who looks at an older state of the log gets a key of its own."""
_NEWEST = select(EventRow.number).order_by(EventRow.number.desc()).limit(1)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: what kind of thing it concerns, in which round, and which guess it tells of."""

    number: int
    kind: str
    round: str | None = None
    guess_id: str | None = None


class Changes:
    """The lines of the log that this process has read so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._first = self._read_to = -1
        self._rest: list[int] = []
        self._guesses: defaultdict[str, list[int]] = defaultdict(list)
        self._scored: defaultdict[str, list[int]] = defaultdict(list)
        self._ids: dict[int, str] = {}

    def seen_by(self, session: Session) -> SeenChanges:
        """Return what has changed up to the last line that a session sees; it must be one that reads."""
        last: int | None = session.info.get(LAST)
        if last is None:
            last = session.info[LAST] = session.scalar(_NEWEST) or 0
        with self._lock:
            if self._first < 0 or last - self._first > MOST_LINES:
                self._begin_at(last)
            elif last > self._read_to:
                self._read(session, last)
        return SeenChanges(self, last)

    def _begin_at(self, last: int) -> None:
        """Forget what was read: all lines up to this one are one change."""
        self._first = self._read_to = last
        self._rest = [last]
        self._guesses.clear()
        self._scored.clear()
        self._ids.clear()

    def _read(self, session: Session, last: int) -> None:
        for line in _lines(session, self._read_to, last):
            if line.round is None:
                self._rest.append(line.number)
            elif line.kind == GUESS:
                self._guesses[line.round].append(line.number)
                self._ids[line.number] = line.guess_id or ""
            else:
                self._scored[line.round].append(line.number)
        self._read_to = last

    def last_rest(self, last: int) -> int:
        """Return the newest line that may concern everything."""
        return self._newest(self._rest, last)

    def last_guess(self, round_name: str, last: int) -> int:
        """Return the newest line that tells of a guess in a round."""
        return self._newest(self._guesses.get(round_name, []), last)

    def last_scored(self, round_name: str, last: int) -> int:
        """Return the newest line that tells of the result of a guess in a round."""
        return self._newest(self._scored.get(round_name, []), last)

    def _newest(self, lines: list[int], last: int) -> int:
        with self._lock:
            if last < self._first:
                return last
            place = bisect.bisect_right(lines, last)
            return lines[place - 1] if place else self._first

    def guess_ids(self, round_name: str, after: int, last: int) -> list[str] | None:
        """Return the guesses of a round that were handed in after a line; None where that is not known any more."""
        with self._lock:
            if after < self._first:
                return None
            lines = self._guesses.get(round_name, [])
            return [self._ids[number] for number in lines if after < number <= last]


@dataclass(frozen=True, slots=True)
class SeenChanges:
    """What has changed up to the last line that one session sees."""

    _changes: Changes
    last: int

    @property
    def rest(self) -> int:
        """The newest line that may concern everything."""
        return self._changes.last_rest(self.last)

    def guessed(self, round_name: str) -> int:
        """Return the newest line that tells of a guess in a round."""
        return self._changes.last_guess(round_name, self.last)

    def scored(self, round_name: str) -> int:
        """Return the newest line that tells of the result of a guess in a round."""
        return self._changes.last_scored(round_name, self.last)

    def guess_ids(self, round_name: str, after: int) -> list[str] | None:
        """Return the guesses of a round that were handed in after a line; None where that is not known any more."""
        return self._changes.guess_ids(round_name, after, self.last)


def _lines(session: Session, after: int, last: int) -> list[_Line]:
    """Read new lines; one about a guess that is not in the tables concerns everything."""
    wanted = select(EventRow.number, EventRow.kind, EventRow.body).where(
        EventRow.number > after, EventRow.number <= last, EventRow.kind.not_in(UNSEEN)
    )
    new = [tuple(row) for row in session.execute(wanted.order_by(EventRow.number))]
    rounds = _rounds(session, [body.get("guess", "") for _, kind, body in new if kind in (GUESS, SCORED)])
    return [_line(number, kind, body, rounds) for number, kind, body in new]


def _line(number: int, kind: str, body: Mapping[str, str], rounds: Mapping[str, str]) -> _Line:
    guess_id = body.get("guess", "") if kind in (GUESS, SCORED) else ""
    return _Line(number, kind, rounds.get(guess_id), guess_id)


def _rounds(session: Session, guess_ids: Iterable[str]) -> dict[str, str]:
    wanted = set(guess_ids)
    if not wanted:
        return {}
    rows = select(GuessRow.id, ReleaseRow.round).join(ReleaseRow).where(GuessRow.id.in_(wanted))
    return {guess_id: round_name for guess_id, round_name in session.execute(rows)}  # noqa: C416 - rows are no pairs
