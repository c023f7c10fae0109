"""The two rounds of the demo: the preliminary to its end, the final into its attacks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from random import Random

from icefire.arena.admin import contest
from icefire.arena.auth.actor import Actor
from icefire.arena.boards import reading
from icefire.arena.demo import beginning, playing
from icefire.arena.demo.playing import DemoStage
from icefire.arena.demo.story import CHEATER, FINAL, PLAYERS, PRELIMINARY, Player
from icefire.arena.judge import worker
from icefire.arena.submit import ice
from icefire.core.dataset import Dataset
from icefire.core.types import Progress

JUDGES = 2
MOMENT = timedelta(minutes=1)
Captains = dict[Player, Actor]


def play(stage: DemoStage, password: str, now: datetime, progress: Progress) -> None:
    """Play both rounds up to now."""
    progress("accounts and teams")
    organiser, captains = beginning.enrol(stage, password)
    contest.announce(stage.arena, organiser, "Welcome! Read the rules, found a team and release your first table.")
    _round(stage, captains, PRELIMINARY, _starts(stage, PRELIMINARY)["reveal"], progress)
    stage.clock.set(_starts(stage, PRELIMINARY)["reveal"] + MOMENT)
    contest.announce(stage.arena, organiser, _verdict(stage, organiser))
    _round(stage, captains, FINAL, now, progress)
    stage.clock.set(now)
    contest.announce(stage.arena, organiser, "The final is open for attacks: one answer for each release, choose well.")


def _round(stage: DemoStage, captains: Captains, name: str, end: datetime, progress: Progress) -> None:
    original, starts = stage.original(name), _starts(stage, name)
    progress(f"{name}: releases")
    _ice(stage, captains, name, original, (starts["anonymise"], starts["freeze"]))
    progress(f"{name}: the judge")
    _judge(stage)
    stage.clock.set(starts["freeze"] + MOMENT)
    _judge(stage)  # takes the snapshot of the board
    progress(f"{name}: attacks")
    _fire(stage, captains, name, original, (starts["attack"], end))
    progress(f"{name}: the judge")
    _judge(stage)


def _judge(stage: DemoStage) -> None:
    """Judge all that waits."""
    with ThreadPoolExecutor(JUDGES) as pool:
        list(pool.map(lambda number: worker.finish(stage.arena, f"demo-{number}"), range(JUDGES)))


def _starts(stage: DemoStage, name: str) -> dict[str, datetime]:
    return stage.arena.round(name).starts()


def _ice(
    stage: DemoStage, captains: Captains, name: str, original: Dataset, between: tuple[datetime, datetime]
) -> None:
    plans = [(one, steps) for one in PLAYERS for steps in (one.final if name == FINAL else one.preliminary)]
    first: dict[Player, str] = {}
    for number, ((player, steps), at) in enumerate(zip(plans, playing.moments(*between, len(plans)), strict=True)):
        stage.clock.set(at)
        release_id = playing.hand_in(stage, captains[player], name, original, steps, number)
        first.setdefault(player, release_id)
    stage.clock.set(between[1] - MOMENT)
    for player, release_id in first.items():
        if player.takes_back and name == PRELIMINARY:
            ice.withdraw(stage.arena, captains[player], release_id)


def _fire(
    stage: DemoStage, captains: Captains, name: str, original: Dataset, between: tuple[datetime, datetime]
) -> None:
    plans = [
        (player, release)
        for player in PLAYERS
        for release in playing.targets(
            stage, captains[player], name, player.most_final if name == FINAL else player.most
        )
    ]
    Random(stage.seed).shuffle(plans)  # not one team after the other
    for (player, release), at in zip(plans, playing.moments(*between, len(plans)), strict=True):
        stage.clock.set(at)
        playing.attack(stage, captains[player], original, release, player.attack)


def _verdict(stage: DemoStage, organiser: Actor) -> str:
    """What the organiser says about the cheater, once everything is public."""
    with stage.arena.database.reading() as session:
        known = reading.round_facts(session, stage.arena, PRELIMINARY, organiser)
    label = next(one.label for one in known.releases if one.team == CHEATER)
    return (
        f"The preliminary round is over; see the board. Release {label} looked safe against every attack, but AYA, the "
        "judge's check, credits all its rows: the correspondence handed in with it does not fit the table."
    )
