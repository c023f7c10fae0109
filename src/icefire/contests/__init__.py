"""Contests. Each is one module of this package, with everything a contest declares in its `CONTEST`.

A module beside this one is a contest, found by its name and imported only when asked for; folders hold what contests
share: `common` (the type `Contest`, checks of cells), `games` (how contests are played in the arena) and `custom` (a
contest of an organiser's own, described in a table).
"""

from __future__ import annotations

import json
import pkgutil
import tomllib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from icefire.contests.common.contest import Contest
from icefire.contests.common.formulas import refused as without_formulas
from icefire.contests.custom import contest as custom_contest
from icefire.core.errors import InputError, ParameterError, UnknownNameError, did_you_mean
from icefire.io import files

__all__ = ["DEFAULT", "get", "get_or_build", "get_or_read", "names"]


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


def get_or_read(name: str) -> Contest:
    """Return the contest of this name or, for the path of a competition's file, the one that it describes.

    Raises:
        UnknownNameError: If no contest has the name.
        InputError: If the file cannot be read.
    """
    if name == custom_contest.NAME:
        raise ParameterError(
            "a custom contest is described in a competition's file; name it: icefire check contest.toml X.csv Y.csv"
        )
    if not name.endswith((".toml", ".json")):
        return get(name)
    given = _read_description(Path(name))
    rules = given.get("rules", custom_contest.NAME if "custom" in given else None)
    table = given.get("custom") or {}
    if not isinstance(rules, str) or not isinstance(table, dict):
        raise InputError(f'{name} does not say by which rules it is played; write rules = "custom" and [custom]')
    contest = get_or_build(rules, table)
    return contest if given.get("formulas") == "escape" else without_formulas(contest)


def _read_description(path: Path) -> dict[str, Any]:
    files.check_readable(path)
    text = path.read_text(encoding="utf-8-sig")
    try:
        given = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except ValueError as error:
        raise InputError(f"{str(path)!r} cannot be read as {path.suffix[1:].upper()}: {error}") from None
    if not isinstance(given, dict):
        raise InputError(f"{str(path)!r} describes no competition; take the contest.toml or contest.json of one")
    return given
