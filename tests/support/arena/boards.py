"""What tests of boards begin with: a small round, written into the tables."""

from __future__ import annotations

import pytest

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import freezing, rankings, reading, snapshots
from support.arena.rows import Rows


@pytest.fixture
def make(tmp_path):
    """Make a competition in its own folder."""
    made: list[Rows] = []

    def one(*rounds, **options) -> Rows:
        folder = tmp_path / str(len(made))
        folder.mkdir(mode=0o700)
        made.append(Rows(folder, *rounds, **options))
        return made[-1]

    yield one
    for rows in made:
        rows.database.close()


@pytest.fixture
def played(make):
    """Three releases by three teams, attacked by one another; hits are of 100.

    | release | team | U1 | U2 | E1 | E2 | AYA | players | security |
    | Y1 | A | 0 | 10   | 50 | 20 | 10 | B 30      | 0.5 |
    | Y2 | B | 2 | 10   | 5  | 0  | 10 | A 1, C 2  | 0.1 |
    | Y3 | C | 4 | none | 10 | 20 | 0  | A 30      | 0.3 |
    """
    return fill(make())


@pytest.fixture
def played_on_both(make, database_url):
    """The same on each database in turn."""
    return fill(make(url=database_url))


def fill(rows: Rows) -> Rows:
    rows.teams("A", "B", "C")
    for team, label, measures, samples, aya in (
        ("A", "Y1", {"S1": 1.0, "U1": 0.0, "U2": 10.0}, {"E1": 50, "E2": 20}, 10),
        ("B", "Y2", {"S1": 3.0, "U1": 2.0, "U2": 10.0}, {"E1": 5, "E2": 0}, 10),
        ("C", "Y3", {"S1": 1.0, "U1": 4.0, "U2": None}, {"E1": 10, "E2": 20}, 0),
    ):
        rows.release(team, label)
        rows.judged(label, measures, samples, aya)
    for team, label, hits in (("B", "Y1", 30), ("A", "Y2", 1), ("C", "Y2", 2), ("A", "Y3", 30)):
        rows.guess(team, label, hits)
    rows.go("reveal")
    return rows


def known(rows: Rows, actor=VISITOR, round_name="final", arena=None):
    with rows.database.reading() as session:
        return reading.round_facts(session, arena or rows.arena, round_name, actor)


def board(rows: Rows, actor=VISITOR, round_name="final") -> snapshots.RoundBoard:
    with rows.database.reading() as session:
        return freezing.board(rows.arena, session, actor, round_name)


def in_order(ice: rankings.IceBoard) -> list[tuple[int | None, str]]:
    return [(row.rank, row.release.label) for row in ice.rows]
