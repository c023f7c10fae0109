"""The text of a new contest's definition: every setting with a comment on what it does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

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

# Releases a team may have in a round at one time, and how many it may hand in altogether.
releases_per_team = 3
submissions_per_team = 30
# The largest file that is taken, in megabytes.
max_upload_mb = 64

# What a team sees of its own releases at once: their measures, and what the sample attacks achieve.
show_utility = true
show_sample_attacks = false
# Whether the strongest attacks (link) are among the sample attacks; judging takes some seconds longer.
joint_attacks = true
# How releases are ranked: "normalised" (sum of the values, each brought to 0..1) or "rank_sum" (sum of ranks).
# A contest that has a score of its own is ranked by that score.
ranking = "normalised"
# Whether you reveal the ranking place by place on a projector; otherwise all is public when the reveal begins.
ceremony = false

# Worst value of a measure that a release may have: the largest or, if it is better when higher, the smallest.
# A release that breaks a limit is refused. For example:
# [limits]
# U5 = 0.5
"""

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
# What is measured, which attacks the judge runs, and which measures count in the ranking, by name or code:
# measures = ["S1", "S2", "U1", "U5"]
# attacks = ["E1", "E4", "EUC2"]
# utilities = ["U1", "U5"]
"""

ROUNDS = """
# The rounds in order. Once the server has run, phases are moved at the organiser's desk and no longer here.
"""


def text(
    title: str,
    rules: str,
    zone: str,
    folder: str,
    stages: Sequence[PlannedRound],
    roles: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the definition as TOML; `roles` are those of the columns in a contest of the organiser's own."""
    quoted = {"title": _quoted(title), "rules": _quoted(rules), "zone": _quoted(zone)}
    own = CUSTOM.format(**{role: _quoted(list(names)) for role, names in roles.items()}) if roles else ""
    return HEAD.format(folder=folder, **quoted) + own + ROUNDS + "\n".join(_round(one) for one in stages)


def _round(one: PlannedRound) -> str:
    lines = [
        "[[round]]",
        f"name = {_quoted(one.name)}",
        f"data = {_quoted(one.data)}",
        *([f"customers = {_quoted(one.customers)}"] if one.customers else []),
        f"weight = {one.weight:g}  # in the ranking over all rounds",
        *(f"{phase} = {one.starts[phase]:%Y-%m-%dT%H:%M:%S}  # {PHASES_TOLD[phase]}" for phase in PHASES),
    ]
    return "\n".join(lines) + "\n"


def _quoted(words: str | list[str]) -> str:
    return json.dumps(words, ensure_ascii=False)
