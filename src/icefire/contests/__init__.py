"""Contests. Each is one module of this package, with everything a contest declares in its `CONTEST`.

A module beside this one is a contest, found by its name and imported only when asked for; folders hold what contests
share: `common` (the type `Contest`, checks of cells), `games` (how contests are played in the arena) and `custom` (a
contest of an organiser's own, described in a table).
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from icefire.contests.common.contest import Contest
from icefire.contests.custom import contest as custom_contest
from icefire.core.errors import UnknownNameError, did_you_mean

__all__ = ["DEFAULT", "get", "get_or_build", "names"]


DEFAULT = "pwscup2015"
"""The contest of a new competition, where an organiser names none."""


def names() -> tuple[str, ...]:
    """Return the names of all contests, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg))


def get(name: str) -> Contest:
    """Return the contest of this name.

    Raises:
        UnknownNameError: If no module of this package has the name.
    """
    if name not in names():
        raise UnknownNameError(f"no contest is called {name!r}; {did_you_mean(name, names())}")
    contest: Contest = import_module(f"{__name__}.{name}").CONTEST
    return contest


def get_or_build(name: str, table: Mapping[str, Any] | None = None) -> Contest:
    """Return the contest of this name or, for "custom", the one that an organiser's table describes."""
    return custom_contest.build(table or {}) if name == custom_contest.NAME else get(name)
