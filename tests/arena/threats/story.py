"""The competition that is attacked: two rounds, played one time, with scores that nobody could mistake."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import select
from support.arena.fixtures import BEGIN, DAY, lines, player, release_files
from support.arena.played import TOML, run_here

from icefire.arena.auth import passwords
from icefire.arena.auth.actor import Actor
from icefire.arena.clock import SetClock
from icefire.arena.contest.arena import Arena, open_arena
from icefire.arena.judge import sandbox, worker
from icefire.arena.storage.tables import AccountRow, IdentifiedRow, ReleaseRow
from icefire.arena.submit import fire, ice

ROUND = "final"
STAFF = ("judge", "organiser", "admin")
PHASES = ("before", "anonymise", "freeze", "attack", "reveal")
PASSWORD = "correct horse battery"
MARKS = {
    "team": (76543, 98765, 0.477501),
    "sample": (54321, 87654, 0.319701),
    "aya": (65432, 76549, 0.850601),
}
"""Hits, targets and rate that the judge could never find: whoever shows one of them shows a hidden score."""


@dataclass(frozen=True)
class Template:
    """The competition as it was played."""

    folder: Path
    original: Any
    people: dict[str, Actor]
    releases: dict[str, str]
    guesses: dict[str, str]


def build(folder: Path, original: Any) -> Template:
    """Play two rounds: Ice is the author everybody is after, Fire its attacker, Snow a third team."""
    folder.mkdir(mode=0o700)
    original.write_csv(folder / "original.csv")
    (folder / "contest.toml").write_text(TOML.format(more='description = "Two rounds."'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "run_task", run_here)
        patch.setattr(passwords, "_hasher", cheap_passwords)
        arena = open_arena(folder, clock=SetClock(instant("anonymise") - 4 * DAY))
        people = {"author": player(arena, "ann", "Ice"), "other": player(arena, "bob", "Fire")}
        people |= {"third": player(arena, "cat", "Snow")}
        people |= {role: player(arena, f"the-{role}", role=role) for role in STAFF}
        _give_passwords(arena)
        releases, guesses = _play(arena, original, people)
        _mark_scores(arena)
        arena.database.close()
    return Template(folder, original, people, releases, guesses)


_CHEAP = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))


def cheap_passwords() -> PasswordHash:
    """Passwords that are hashed in no time; what is tested is not the hash."""
    return _CHEAP


def _give_passwords(arena: Arena) -> None:
    stored = str(passwords.hashed(PASSWORD))
    with arena.database.transaction() as session:
        for account in session.scalars(select(AccountRow)):
            account.password = stored


def _play(arena: Arena, original: Any, people: dict[str, Actor]) -> tuple[dict[str, str], dict[str, str]]:
    author, other, third = (people[name] for name in ("author", "other", "third"))
    early = ice.submit(arena, other, "preliminary", release_files(original, 40)).id
    arena.clock.set(arena.definition.rounds[0].attack + DAY / 2)
    fire.submit(arena, author, early, lines(np.random.default_rng(59).permutation(30)))
    arena.clock.set(instant("anonymise"))
    handed = {
        "withdrawn": (author, 50, 0.0),
        "author": (author, 51, 0.3),
        "other": (other, 52, 0.1),
        "third": (third, 53, 0.6),
    }
    made = {
        name: ice.submit(arena, team, ROUND, release_files(original, seed, noise=noise)).id
        for name, (team, seed, noise) in handed.items()
    }
    ice.withdraw(arena, author, made["withdrawn"])
    worker.finish(arena)
    arena.clock.set(instant("freeze"))
    worker.finish(arena)
    arena.clock.set(instant("attack"))
    asked = {"other": (other, "author", 60), "third": (third, "author", 61), "author": (author, "other", 62)}
    guesses = {
        name: fire.submit(arena, team, made[target], lines(np.random.default_rng(seed).permutation(30))).id
        for name, (team, target, seed) in asked.items()
    }
    worker.finish(arena)
    return {"early": early, **made}, guesses


def _mark_scores(arena: Arena) -> None:
    with arena.database.transaction() as session:
        for one in session.scalars(select(IdentifiedRow).join(ReleaseRow).where(ReleaseRow.round == ROUND)):
            one.hits, one.targets, one.rate = MARKS[one.source]


def instant(phase: str) -> datetime:
    """Return the middle of a phase of the final."""
    return BEGIN + 4 * DAY + DAY / 2 + (PHASES.index(phase) - 1) * DAY
