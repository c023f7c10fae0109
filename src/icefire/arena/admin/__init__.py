"""The actions of organisers and judges. Each takes the arena and the actor, checks the role and writes to the log."""

from __future__ import annotations

from icefire.arena.admin.accounts import make_account, reset_password, set_disabled, set_role
from icefire.arena.admin.contest import announce, disqualify, pause, reinstate, rescore, resume
from icefire.arena.admin.fingerprints import FingerprintLine, fingerprints, recognise_methods
from icefire.arena.admin.lists import (
    AccountLine,
    GuessLine,
    LogLine,
    ReleaseLine,
    TeamLine,
    accounts,
    guesses,
    log_page,
    queue,
    releases,
    teams,
)
from icefire.arena.admin.timetable import extend, move_phase

__all__ = [
    "AccountLine",
    "FingerprintLine",
    "GuessLine",
    "LogLine",
    "ReleaseLine",
    "TeamLine",
    "accounts",
    "announce",
    "disqualify",
    "extend",
    "fingerprints",
    "guesses",
    "log_page",
    "make_account",
    "move_phase",
    "pause",
    "queue",
    "recognise_methods",
    "reinstate",
    "releases",
    "rescore",
    "reset_password",
    "resume",
    "set_disabled",
    "set_role",
    "teams",
]
