"""The beginning of the demo: its definition, data and key, and its accounts and teams."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from icefire import contests
from icefire.arena.auth import accounts, invitations, passwords, teams
from icefire.arena.auth import actor as actors
from icefire.arena.auth.actor import Actor
from icefire.arena.contest import arena as arenas
from icefire.arena.contest import signing
from icefire.arena.contest.definition import PHASES
from icefire.arena.demo.playing import DemoStage
from icefire.arena.demo.story import ABOUT, FINAL, ORGANISER, PLAYERS, PRELIMINARY, TITLE, Player
from icefire.arena.setup import originals, template
from icefire.arena.storage.store import Store

ZONE = "Asia/Tokyo"
HOURS = {PRELIMINARY: (-30 * 24, -20 * 24, -19 * 24, -9 * 24), FINAL: (-8 * 24, -30, -6, 18)}
"""When each phase begins, in hours from now: the final is under attack for some hours yet."""
WEIGHTS = {PRELIMINARY: 0.4, FINAL: 0.6}


def start(now: datetime) -> datetime:
    """Return when the first round began."""
    return now + timedelta(hours=HOURS[PRELIMINARY][0])


def set_up(folder: Path, name: str, seed: int, rows: int, now: datetime) -> None:
    """Write the definition, the data of both rounds, and a key that follows from the seed."""
    stages = []
    for number, (round_name, hours) in enumerate(HOURS.items()):
        data, _ = originals.write_sample(folder, contests.DEFAULT, rows, seed, number)
        starts = [(now + timedelta(hours=hour)).astimezone(ZoneInfo(ZONE)) for hour in hours]
        times = dict(zip(PHASES, starts, strict=True))
        stages.append(template.PlannedRound(round_name, WEIGHTS[round_name], times, data, None))
    text = template.text(TITLE, contests.DEFAULT, ZONE, name, stages)
    arenas.write_definition(folder, text.replace('description = ""', f'description = "{ABOUT}"'))
    key = Store(folder).vault / signing.KEY
    key.touch(mode=0o600)
    key.write_bytes(Random(seed).randbytes(32))


def enrol(stage: DemoStage, password: str) -> tuple[Actor, dict[Player, Actor]]:
    """Make the organiser's account and, for every team, two of its members; returns who acts."""
    hidden = passwords.hashed(password)  # once for all: it takes long on purpose
    arena = stage.arena
    with arena.database.transaction() as session:
        organiser = accounts.add_account(session, ORGANISER, hidden, arena.now(), "admin")
        captains = {}
        for player in PLAYERS:
            first, second = (accounts.add_account(session, name, hidden, arena.now()) for name in player.accounts)
            teams.create_team(session, actors.actor_of(session, first), player.name, arena.now())
            session.flush()
            captain = captains[player] = actors.actor_of(session, first)
            code = invitations.new_invite(session, captain, captain.team_id, arena.now())
            teams.join_team(session, actors.actor_of(session, second), code, arena.now())
        return actors.actor_of(session, organiser), captains
