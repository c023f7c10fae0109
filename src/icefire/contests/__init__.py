"""Contests: their files, checks, measures, attacks and limits, so that a release is judged as it was there.

Each contest is one module with a `RULES`; it is imported only when asked for.
"""

from __future__ import annotations

from importlib import import_module

from icefire.contests.rules import Checked, Problem, Rules
from icefire.core.errors import UnknownNameError, did_you_mean

NAMES = ("pwscup2015", "pwscup2016", "pwscup2021")

__all__ = ["NAMES", "Checked", "Problem", "Rules", "get"]


def get(name: str) -> Rules:
    """Return the rules of the contest of this name."""
    if name not in NAMES:
        raise UnknownNameError(f"no contest is called {name!r}; {did_you_mean(name, NAMES)}")
    rules: Rules = import_module(f"icefire.contests.{name}").RULES
    return rules
