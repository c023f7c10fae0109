"""The text of a new contest's definition: every setting with a comment on what it does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from icefire.arena.contest import settings
from icefire.arena.contest.definition import PHASES


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """One round as it is to be written down, in local times."""

    name: str
    weight: float
    starts: dict[str, datetime]
    data: str
    customers: str | None


HEAD = """\
# A competition of icefire: what is played, by which rules, and when.
# Change what you like, then start it:  icefire arena serve {folder}

title = {title}
rules = {rules}
# All times below are local times of this zone; everybody sees them in UTC and in this zone.
zone = {zone}
# Some sentences for the front page.
description = ""

# Who may make an account: "open" (anybody), "invite" (with a code from the desk), "organiser" (you make them all).
registration = "open"
# Who released what, before the reveal: "hidden" or "shown".
team_names = "hidden"

# Where people reach the server; for links that are made on its terminal or sent by mail.
# address = "https://cup.example"
# What everybody has to accept before any data is downloaded, in one language or in both; that is written in the log.
# terms = {{ en = "Use the data for this contest alone.", ja = "データはこの大会にのみ使用できます。" }}
# How many people a team may have; no limit where this line is left out.
# members_per_team = 5
# Groups of teams with rankings of their own beside the one of all; whoever founds a team chooses one of them.
# divisions = ["students", "professionals"]
# Releases a team may have in a round at one time, and how many it may hand in altogether.
releases_per_team = 3
submissions_per_team = 30
# The largest file that is taken, in megabytes.
max_upload_mb = 64
# Text cells of releases that a spreadsheet would run (= + - @ tab): "refuse", or "escape" with a ' where handed out.
formulas = "refuse"
# For how many days the files of releases are kept that were withdrawn before the freeze.
keep_withdrawn_days = 30

# What is shown before the reveal: the measures of releases, and what the sample attacks and AYA achieve.
show_utility = true
show_sample_attacks = true
# Rounded to so many significant digits (shares to so many decimals), so that no attacker can test a guess by them.
shown_digits = 2
# Whether the strongest attacks (link) are among the sample attacks; judging takes some seconds longer.
joint_attacks = true
# How releases are ranked: "normalised" (sum of the values, each brought to 0..1) or "rank_sum" (sum of ranks).
# A contest that has a score of its own is ranked by that score.
ranking = "normalised"
# What AYA, the check of the correspondence, counts for: "total" (security and limit), "limit" or "shown" (nothing).
aya = "total"
# Whether you reveal the ranking place by place on a projector; otherwise all is public when the reveal begins.
ceremony = false

# Worst value of a measure that a release may have: the largest or, if it is better when higher, the smallest.
# A release that breaks a limit, or has no value of a measure that is limited or counts in the ranking, is "refused":
# it stays in play and on the board, can be attacked, and has no rank. "security" is the largest share of people that a
# sample attack may identify, "aya" the largest AYA; pwscup2015 has 0.5 and 0.95 without being told. For example:
# [limits]
# security = 0.5
# U5 = 0.5

# The server: seconds that a submission may take to be checked and to be judged, HTTPS proxies that are believed, and
# failures allowed in 15 minutes.
# [server]
# check_seconds = 60
# judge_seconds = 300
# trusted_proxies = ["127.0.0.1"]
# failures = {{ address = 60, invite = 20 }}
# Mail on phase changes, to accounts that have an address; its password in the environment, {mail_password}.
# [mail]
# host = "smtp.example.org"
# sender = "cup@example.org"
# user = "cup"
# Your own server, told of phase changes; the secret for its signature in the environment, {webhook_secret}.
# [webhook]
# url = "https://example.org/hook"
# Login by a provider of OpenID Connect; the client's secret, if it has one, in the environment, {oidc_secret}.
# [oidc]
# issuer = "https://login.example.org"
# client_id = "cup"
"""

SECRETS = {
    "mail_password": settings.MAIL_PASSWORD,
    "webhook_secret": settings.WEBHOOK_SECRET,
    "oidc_secret": settings.OIDC_SECRET,
}
PHASES_TOLD = {
    "anonymise": "releases are taken",
    "freeze": "no more releases; the board stands still",
    "attack": "releases are handed out, answers are taken",
    "reveal": "everything is public",
}

CUSTOM = """
# Your own contest. Columns an attacker may know (qi) and columns that say something about people (sa).
[custom]
qi = {qi}
sa = {sa}
{counting}# What attackers answer: "origin" of rows (this file), "membership" (who is in it), "customers" of a history.
# asks = "origin"
# What is measured, which attacks the judge runs, and which measures count in the ranking, by name or code:
# measures = ["S1", "S2", "U1", "U5"]
# attacks = ["E1", "E4", "EUC2"]
# utilities = ["U1", "U5"]
"""

OWN_HISTORY = """
# Your own contest: whose history is whose. What each column of the files is, which have no header.
[custom]
{entries}
# What is measured, and which attacks the judge runs, by name or code; see: icefire list measures, icefire list attacks
# measures = ["u1_cmae", "u3_rfm"]
# attacks = ["jaccard"]
"""

COUNTING = """# Which measures count in the ranking: of the usual ones those that have a value on your data.
utilities = {}
"""

ROUNDS = """
# The rounds in order. Their times count when a command first opens the contest (admin, accounts, serve); after that,
# phases are moved at the organiser's desk and no longer here.
"""


def text(
    title: str,
    rules: str,
    zone: str,
    folder: str,
    stages: Sequence[PlannedRound],
    own_contest: Mapping[str, Any] | None = None,
) -> str:
    """Return the definition as TOML, with the entries of a contest of the organiser's own if it is one."""
    quoted = {"title": _quoted(title), "rules": _quoted(rules), "zone": _quoted(zone)}
    own = _custom(own_contest) if own_contest else ""
    return HEAD.format(folder=folder, **quoted, **SECRETS) + own + ROUNDS + "\n".join(_round(one) for one in stages)


def _custom(entries: Mapping[str, Any]) -> str:
    if "asks" in entries:
        return OWN_HISTORY.format(entries="\n".join(f"{name} = {_quoted(value)}" for name, value in entries.items()))
    counting = COUNTING.format(_quoted(list(entries["utilities"]))) if "utilities" in entries else ""
    return CUSTOM.format(qi=_quoted(list(entries["qi"])), sa=_quoted(list(entries["sa"])), counting=counting)


def _round(one: PlannedRound) -> str:
    lines = [
        "[[round]]",
        f"name = {_quoted(one.name)}",
        '# title = { en = "…", ja = "…" }  # what pages call it, in one language or in both',
        f"data = {_quoted(one.data)}",
        *([f"customers = {_quoted(one.customers)}"] if one.customers else []),
        f"weight = {one.weight:g}  # in the ranking over all rounds",
        *(f"{phase} = {one.starts[phase]:%Y-%m-%dT%H:%M:%S}  # {PHASES_TOLD[phase]}" for phase in PHASES),
    ]
    return "\n".join(lines) + "\n"


def _quoted(words: Any) -> str:
    return json.dumps(words, ensure_ascii=False)
