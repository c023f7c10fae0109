"""The frozen board and the ceremony that opens it."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from sqlalchemy import select
from support.arena.boards import board, in_order, known, make, played, played_on_both  # noqa: F401
from support.arena.rows import BEGIN, DAY, JUDGE, ORGANISER, Rows, player

from icefire.arena.auth.actor import VISITOR
from icefire.arena.boards import ceremony, freezing
from icefire.arena.errors import Absent, Clash, Refused
from icefire.arena.storage import jobs, log
from icefire.arena.storage.tables import EventRow, PhaseRow, SnapshotRow, TeamRow

# --- the freeze


def public(rows: Rows, actor=VISITOR) -> bytes:
    """Everything about scores that somebody gets, as bytes."""
    releases = [one for one in known(rows, actor).releases if not one.own]
    return msgspec.json.encode([board(rows, actor), releases])


def test_the_public_board_stays_byte_for_byte_until_the_reveal(played_on_both):
    played = played_on_both
    played.arena = played.with_options(played.arena.definition, team_names="shown", show_sample_attacks=True)
    played.reference()
    played.go("freeze")
    freezing.keep_up(played.arena)
    frozen = {actor: public(played, actor) for actor in (VISITOR, player("A"), player(None, "A"))}
    assert board(played).frozen == BEGIN + DAY + timedelta(hours=1)
    for act in (
        lambda: played.go("attack"),
        lambda: played.guess("B", "Y3", 100),
        lambda: played.judged("Y1", {"U1": 99.0}, {"E1": 99}, 99),
        lambda: played.add(TeamRow(id="B", name="Bee", name_key="bee", created=BEGIN, disqualified="late")),
        lambda: played.release("C", "Y3", state="refused", note="U1 is 9; at most 5"),
        lambda: played.job("judge", "Y1"),
        lambda: freezing.keep_up(played.arena),
    ):
        act()
        assert {actor: public(played, actor) for actor in frozen} == frozen
    assert board(played, JUDGE).frozen is None
    assert {row.release.label: row.security for row in board(played, JUDGE).ice.rows}["Y1"] == 0.99
    played.go("reveal")
    assert public(played) not in frozen.values()
    assert board(played).frozen is None


def test_a_withdrawal_is_told_in_the_matrix_and_not_on_the_frozen_board(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    before = msgspec.json.encode(board(played))
    played.release("C", "Y3", withdrawn=BEGIN + DAY)
    assert msgspec.json.encode(board(played)) == before
    assert [one.withdrawn is not None for one in known(played).releases] == [False, False, True]


def test_a_team_sees_its_own_release_as_it_is_and_others_as_they_were(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    played.judged("Y1", {"U1": 42.0}, {})
    played.judged("Y2", {"U1": 42.0}, {})
    assert [one.measures["U1"] for one in known(played, player("A")).releases] == [42.0, 2.0, 4.0]
    assert [one.measures["U1"] for one in known(played, JUDGE).releases] == [42.0, 42.0, 4.0]


def test_the_snapshot_waits_for_the_judge_but_not_beyond_the_attacks(played):
    def taken() -> bool:
        freezing.keep_up(played.arena)
        with played.database.reading() as session:
            return session.get(SnapshotRow, "final") is not None

    played.go("anonymise")
    assert not taken()
    played.go("freeze")
    played.job("judge", "Y1", "running")
    assert not taken()
    played.job("judge", "Y1", "failed")
    played.job("judge", "of another round", "waiting")
    played.job("guess", "A-Y2", "waiting")
    played.job("reference", jobs.reference_of("final"), "waiting")
    assert not taken()
    assert board(played, player("A")) == board(played, VISITOR)  # what will be frozen, and nobody's own
    played.go("attack")
    assert taken()


def test_the_snapshot_is_taken_once_and_is_in_the_log(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    first = board(played).frozen
    played.clock.move(timedelta(hours=2))
    freezing.keep_up(played.arena)
    assert board(played).frozen == first
    with played.database.reading() as session:
        lines = session.scalars(select(EventRow).where(EventRow.kind == "frozen")).all()
        assert [line.body["round"] for line in lines] == ["final"]
        assert log.verify(session) == []


def test_a_freeze_that_is_put_off_is_taken_anew(played):
    played.go("freeze")
    freezing.keep_up(played.arena)
    played.add(PhaseRow(round="final", name="freeze", starts=BEGIN + 1.5 * DAY))
    assert board(played).frozen is None
    played.release("C", "Y9")
    played.judged("Y9", {"U1": 7.0}, {})
    played.clock.set(BEGIN + 1.6 * DAY)
    assert "Y9" in [row.release.label for row in board(played).ice.rows]
    freezing.keep_up(played.arena)
    assert board(played).frozen == BEGIN + 1.6 * DAY
    assert "Y9" in [row.release.label for row in board(played).ice.rows]


def test_while_releases_are_made_the_board_is_live_if_it_has_something_to_say(played):
    played.go("anonymise")
    assert len(board(played).ice.rows) == 3
    assert {row.release.team for row in board(played).ice.rows} == {None}
    played.arena = played.with_options(played.arena.definition, show_utility=False)
    assert board(played).ice.rows == ()
    assert [row.release.label for row in board(played, player("A")).ice.rows] == ["Y1"]
    assert len(board(played, JUDGE).ice.rows) == 3


def test_an_unknown_round_is_nothing(played):
    for ask in (board, known):
        with pytest.raises(Absent):
            ask(played, VISITOR, "semi-final")


# --- the ceremony


@pytest.fixture
def on_stage(played_on_both):
    played = played_on_both
    played.arena = played.with_options(played.arena.definition, ceremony=True)
    played.go("freeze")
    freezing.keep_up(played.arena)
    played.go("reveal")
    return played


def stage(rows: Rows) -> ceremony.CeremonyStage:
    with rows.database.reading() as session:
        return ceremony.stage(rows.arena, session, "final")


def test_places_are_told_one_by_one_from_the_last_to_the_first(on_stage):
    before = public(on_stage)
    assert (stage(on_stage).ice, stage(on_stage).fire, stage(on_stage).ice_places) == ((), (), 3)
    told = []
    for _ in range(6):
        now = ceremony.step(on_stage.arena, ORGANISER, "final")
        latest = (now.fire or now.ice)[-1]
        told.append((now.board, latest.rank, latest.team, latest.label))
        assert public(on_stage) == before
        assert not now.done
    assert told == [
        ("ice", 3, "C", "Y3"),
        ("ice", 2, "A", "Y1"),
        ("ice", 1, "B", "Y2"),
        ("fire", 3, "C", None),
        ("fire", 2, "B", None),
        ("fire", 1, "A", None),
    ]
    assert stage(on_stage).ice[2] == ceremony.RevealedPlace(1, "B", "Y2", 0.5, 0.1)
    assert stage(on_stage).fire[2] == ceremony.RevealedPlace(1, "A", None, 31.0, 0.155)
    assert ceremony.step(on_stage.arena, ORGANISER, "final").done
    assert in_order(board(on_stage).ice)[0] == (1, "Y2")
    with pytest.raises(Clash, match="is over"):
        ceremony.step(on_stage.arena, ORGANISER, "final")


def test_a_reveal_that_is_put_off_takes_the_stage_back(on_stage):
    ceremony.step(on_stage.arena, ORGANISER, "final")
    on_stage.go("attack")
    assert stage(on_stage).places_shown == 0
    on_stage.go("reveal")
    assert stage(on_stage).places_shown == 1


def test_the_stage_holds_no_place_that_has_not_been_told(on_stage):
    ceremony.step(on_stage.arena, ORGANISER, "final")
    shown = msgspec.json.encode(stage(on_stage)).decode()
    assert "Y3" in shown
    assert "Y1" not in shown
    assert "Y2" not in shown


def test_a_step_can_be_taken_back_and_a_second_click_does_nothing(on_stage):
    with pytest.raises(Clash, match="nothing to take back"):
        ceremony.back(on_stage.arena, ORGANISER, "final")
    for told in range(4):
        ceremony.step(on_stage.arena, ORGANISER, "final", seen=told)
        assert ceremony.step(on_stage.arena, ORGANISER, "final", seen=told).places_shown == told + 1
    assert [place.team for place in stage(on_stage).fire] == ["C"]
    assert ceremony.back(on_stage.arena, ORGANISER, "final").fire == ()
    assert len(ceremony.back(on_stage.arena, ORGANISER, "final").ice) == 2


def test_all_can_be_told_at_once_and_each_step_is_in_the_log(on_stage):
    ceremony.step(on_stage.arena, ORGANISER, "final")
    done = ceremony.finish(on_stage.arena, ORGANISER, "final")
    assert (done.done, len(done.ice), len(done.fire)) == (True, 3, 3)
    with on_stage.database.reading() as session:
        lines = session.scalars(select(EventRow).where(EventRow.kind == "reveal").order_by(EventRow.number)).all()
    assert [(line.actor, line.body) for line in lines] == [
        ("organiser", {"round": "final", "board": "ice", "shown": 1, "done": False}),
        ("organiser", {"round": "final", "board": "fire", "shown": 3, "done": True}),
    ]


def test_the_ceremony_is_the_organisers_and_begins_with_the_reveal(on_stage):
    for act in (ceremony.step, ceremony.back, ceremony.finish):
        for actor in (VISITOR, player("A"), JUDGE):
            with pytest.raises(Refused, match="only organisers"):
                act(on_stage.arena, actor, "final")
    on_stage.go("attack")
    with pytest.raises(Refused, match="cannot begin before"):
        ceremony.step(on_stage.arena, ORGANISER, "final")
    assert stage(on_stage).places_shown == 0
    plain = on_stage.with_options(on_stage.arena.definition, ceremony=False)
    with pytest.raises(Refused, match="has no ceremony"):
        ceremony.step(plain, ORGANISER, "final")


def test_without_a_ceremony_all_is_told_when_the_reveal_begins(played):
    assert (stage(played).done, stage(played).places_shown) == (True, 6)
    played.go("attack")
    assert (stage(played).done, stage(played).places_shown) == (False, 0)


def test_a_round_nobody_played_in_is_over_with_the_first_step(make):
    rows = make(ceremony=True)
    rows.go("reveal")
    assert ceremony.step(rows.arena, ORGANISER, "final").done
