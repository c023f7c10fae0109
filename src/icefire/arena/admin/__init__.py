"""The actions of organisers and judges. Each takes the arena and the actor, checks the role and writes to the log."""

from __future__ import annotations

from icefire.arena.admin.accounts import make_account, reset_password, set_disabled, set_role
from icefire.arena.admin.contest import announce, disqualify, pause, reinstate, rescore, resume, set_division
from icefire.arena.admin.deliveries import deliveries, send_again
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
from icefire.arena.admin.lockouts import FailedLogins, clear_all_lockouts, clear_lockout, failed_logins
from icefire.arena.admin.people import NewLink, make_accounts, new_link
from icefire.arena.admin.people_file import ListedPerson
from icefire.arena.admin.related_teams import SuspicionFact, suspicions
from icefire.arena.admin.timetable import Unconfirmed, extend, move_phase, undo_begin

__all__ = [
    "AccountLine",
    "FailedLogins",
    "FingerprintLine",
    "GuessLine",
    "ListedPerson",
    "LogLine",
    "NewLink",
    "ReleaseLine",
    "SuspicionFact",
    "TeamLine",
    "Unconfirmed",
    "accounts",
    "announce",
    "clear_all_lockouts",
    "clear_lockout",
    "deliveries",
    "disqualify",
    "extend",
    "failed_logins",
    "fingerprints",
    "guesses",
    "log_page",
    "make_account",
    "make_accounts",
    "move_phase",
    "new_link",
    "pause",
    "queue",
    "recognise_methods",
    "reinstate",
    "releases",
    "rescore",
    "reset_password",
    "resume",
    "send_again",
    "set_disabled",
    "set_division",
    "set_role",
    "suspicions",
    "teams",
    "undo_begin",
]
