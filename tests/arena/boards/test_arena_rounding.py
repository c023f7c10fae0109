"""Scores before the reveal are rounded, for everybody but the judges and wherever they are shown."""

from __future__ import annotations

import pytest
from support.arena.boards import make, played  # noqa: F401
from support.arena.rows import JUDGE

from icefire.arena.auth.actor import VISITOR, Actor
from icefire.arena.boards import freezing, reading
from icefire.arena.boards.facts import AttackFacts
from icefire.arena.boards.rounding import ScoreRounding
from icefire.arena.storage.tables import IdentifiedRow, MeasuredRow

OWNER = Actor(account_id="ann", name="ann", role="player", team_id="A")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.123456, 0.12), (98765.0, 99000.0), (0.000123456, 0.00012), (-1.26, -1.3), (0.0, 0.0), (None, None)],
)
def test_measures_keep_two_significant_digits(value, shown):
    assert ScoreRounding(2).measure(value) == shown
    assert ScoreRounding(None).measure(value) == value


def test_hits_follow_from_the_rounded_share():
    found = ScoreRounding(2).attack(AttackFacts("sample", "E1", "E1", 4321, 8333, 4321 / 8333))
    assert (found.rate, found.hits) == (0.52, 4333)
    assert ScoreRounding(17).measure(1 / 3) == 1 / 3


def seen(rows, actor):
    with rows.database.reading() as session:
        facts = reading.round_facts(session, rows.arena, "final", actor)
        board = freezing.board(rows.arena, session, actor, "final")
    release = next(one for one in facts.releases if one.label == "Y1")
    row = next(one for one in board.ice.rows if one.release.label == "Y1")
    return release.measures["U1"], release.found, row.release.measures["U1"], row.security


@pytest.mark.parametrize("phase", ["anonymise", "freeze", "attack"])
def test_only_judges_see_every_digit_before_the_reveal(played, phase):
    played.add(MeasuredRow(release_id="Y1", name="U1", value=0.123456))
    played.add(IdentifiedRow(release_id="Y1", source="sample", name="E1", hits=987, targets=2000, rate=0.4935))
    played.arena = played.with_options(played.arena.definition, show_sample_attacks=True)
    played.go(phase)
    for actor in (VISITOR, OWNER):
        measure, found, on_board, security = seen(played, actor)
        assert measure == on_board == 0.12
        assert (found[0].rate, found[0].hits, security) == (0.49, 980, 0.49)
    assert seen(played, JUDGE)[0] == 0.123456
    assert seen(played, JUDGE)[1][0].hits == 987
    played.go("reveal")
    played.reveal()
    assert seen(played, VISITOR)[0] == 0.123456
    assert seen(played, VISITOR)[1][0].rate == 0.4935


def test_the_number_of_digits_is_a_rule_of_the_contest(played):
    played.add(MeasuredRow(release_id="Y1", name="U1", value=0.123456))
    played.arena = played.with_options(played.arena.definition, shown_digits=4)
    played.go("attack")
    assert seen(played, VISITOR)[0] == 0.1235
