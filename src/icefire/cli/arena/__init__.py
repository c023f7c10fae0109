"""icefire arena: run a competition, or take part in one; one file per group of commands."""

from __future__ import annotations

from icefire.cli.arena.packages import requiring_packages
from icefire.cli.commands import CommandGroup, declared_in

COMMANDS = [
    CommandGroup(
        "arena",
        "Competitions: teams anonymise, attack one another, and one judge scores.",
        requiring_packages(declared_in(__name__)),
        order=130,
    )
]
