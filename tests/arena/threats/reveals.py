"""Threat 2, at the reveal: winning because a result is missing, and a phase begun by a slip of the hand."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import msgspec
from support.arena.fixtures import lines

from icefire.arena.admin import timetable
from icefire.arena.boards import revealing
from icefire.arena.contest import phases
from icefire.arena.judge import worker
from icefire.arena.storage.tables import GuessRow
from icefire.arena.submit import fire
from threats.story import ROUND
from threats.world import World


def the_reveal_waits_for_the_judge(world: World) -> None:
    """A guess is not scored when the reveal begins: nothing is public before it is, and then for good."""
    guess = _unscored(world)
    world.go("reveal")
    assert not _public(world), "the round was revealed without a result"
    assert "waits for the judge" in world.as_("anonymous").get(f"/reveal/{ROUND}").text
    worker.finish(world.arena)
    assert _public(world), "all is scored, and nothing is public"
    worker.finish(world.arena)
    with world.arena.database.transaction() as session:
        session.get_one(GuessRow, guess).state = "waiting"
    assert _public(world), "judging again hides what was public"


def the_ceremony_waits_for_the_judge(world: World) -> None:
    """Lead the ceremony while a guess is not scored: only after agreeing to the list of what is missing."""
    ceremony = msgspec.structs.replace(world.arena.definition, ceremony=True)
    world.arena = replace(world.arena, definition=ceremony)
    world.server.show(world.arena)
    _unscored(world)
    world.go("reveal")
    organiser = world.as_("organiser")
    for step in ("step", "finish"):
        status = organiser.post(f"/reveal/{ROUND}", {"do": step}).status_code
        assert status == 409, f"{step} was taken while a result is missing: {status}"
    page = organiser.get(f"/reveal/{ROUND}").text
    assert "Attack of Fresh on" in page, "what is missing is not listed"
    agreed = {"do": "without", "missing": re.findall(r'name="missing" value="(\w+)"', page)[0]}
    assert organiser.post(f"/reveal/{ROUND}", {**agreed, "missing": "0" * 16}).status_code == 409
    assert world.as_("other").post(f"/reveal/{ROUND}", agreed).status_code == 403
    assert organiser.post(f"/reveal/{ROUND}", agreed).status_code == 303
    assert organiser.post(f"/reveal/{ROUND}", {"do": "step"}).status_code == 303
    assert "reveal_without" in world.events()


def beginning_at_once_asks_and_can_be_taken_back(world: World) -> None:
    """Press "begin now" for the reveal: it asks first, and is taken back until somebody acts."""
    organiser, address = world.as_("organiser"), f"/desk/phases/{ROUND}"
    at_once = {"phase": "reveal", "now": "yes"}
    planned = _starts(world)
    asked = organiser.post(f"{address}/move", at_once)
    assert _starts(world) == planned, "the reveal began without asking"
    assert (asked.status_code, 'name="confirmed"' in asked.text) == (409, True)
    api = {"round": ROUND, "phase": "reveal"}
    assert organiser.post("/api/v1/phases", json=api).status_code == 409
    for then in ("nothing", "somebody founds a team"):
        assert organiser.post(f"{address}/move", {**at_once, "confirmed": "yes"}).status_code == 303
        worker.finish(world.arena)  # which writes down what has begun
        assert _starts(world) < planned
        if then != "nothing":
            world.add("late", "Late")
        status = organiser.post(f"{address}/undo").status_code
        assert (status, _starts(world) == planned) == ((303, True) if then == "nothing" else (409, False)), then
        assert then != "nothing" or not _public(world), "what was taken back is still public"


def _starts(world: World) -> Any:
    with world.arena.database.reading() as session:
        return world.arena.round_now(session, ROUND).starts["reveal"]


def _unscored(world: World) -> str:
    world.add("fresh", "Fresh")
    return fire.submit(world.arena, world.people["fresh"], world.releases["author"], lines(range(30))).id


def _public(world: World) -> bool:
    with world.arena.database.reading() as session:
        return world.arena.round_now(session, ROUND).revealed


# --- sabotages


def reveal_without_looking(world: World) -> None:
    world.patch.setattr(phases, "unscored", lambda *_: [])


def forget_the_reveal(world: World) -> None:
    world.patch.setattr(revealing, "settle", lambda _: None)


def begin_everything_at_once(world: World) -> None:
    world.patch.setattr(timetable, "IRREVERSIBLE", ())


def take_back_at_any_time(world: World) -> None:
    world.patch.setattr(timetable, "NO_EVENT", (*timetable.NO_EVENT, "team"))
