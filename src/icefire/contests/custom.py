"""A contest of the organiser's own: a table with one row per person, described in a few lines of TOML.

[custom]
qi = ["age", "job"]
sa = ["income"]
measures = ["S1", "U1", "U5"]
attacks = ["E1", "EUC2"]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from icefire.audit import selection
from icefire.audit.verdict import Gate
from icefire.contests import custom_check
from icefire.contests.rules import Rules
from icefire.core import align, registry, roles
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError, did_you_mean
from icefire.core.registry import Entry
from icefire.io import files
from icefire.io.files import Format

NAME = "custom"
MEASURES = ("S1", "S2", "U1", "U2", "U3", "U4", "U5", "U6")
ATTACKS = ("E1", "E2", "E3", "E4", "EUC1", "EUC2")


class Custom(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an organiser may say."""

    qi: tuple[str, ...] = ()
    """Columns that an attacker may know."""
    sa: tuple[str, ...] = ()
    """Columns that say something about people."""
    title: str = "A contest of its own"
    header: bool = True
    columns: tuple[str, ...] = ()
    """Names of all columns, where the files have no header."""
    missing: tuple[str, ...] = ()
    """Words that stand for a missing value."""
    measures: tuple[str, ...] | None = None
    """By name or code; default: S1, S2 and U1 to U6, as far as there are columns for them."""
    attacks: tuple[str, ...] | None = None
    """By name or code; default: E1 to E4, EUC1 and EUC2, as far as there are columns for them."""
    utilities: tuple[str, ...] | None = None
    """Measures, errors all, that count in the ranking; default: those of U1 to U6 that are measured."""
    parameters: dict[str, dict[str, Any]] = {}
    """Parameters by measure or attack."""
    limits: dict[str, float] = {}
    """Worst value of a measure that a release may have."""
    fire_rule: Literal["total", "best_three"] = "total"


def parse(table: Mapping[str, Any]) -> Custom:
    """Read the table; what is wrong with it is named."""
    unknown = next((name for name in table if name not in Custom.__struct_fields__), None)
    if unknown is not None:
        raise InputError(f"[custom] has no entry {unknown!r}; {did_you_mean(unknown, Custom.__struct_fields__)}")
    try:
        found = msgspec.convert(dict(table), Custom)
    except msgspec.ValidationError as error:
        raise InputError(f"[custom]: {error}; see docs/arena.md") from None
    if not found.qi and not found.sa:
        raise ParameterError("[custom] names no column; give qi (what an attacker may know), sa, or both")
    twice = next((name for name in found.qi if name in found.sa), None)
    if twice is not None:
        raise ParameterError(f"[custom]: column {twice!r} is in qi and in sa; give each column one role")
    if found.header == bool(found.columns):
        raise ParameterError("[custom]: files without a header (header = false) need `columns`, and only they do")
    return found


def rules(table: Mapping[str, Any]) -> Rules:
    """Make a contest's rules from its table."""
    said = parse(table)
    measured = _entries("measure", said, said.measures, MEASURES)
    attacking = _entries("attack", said, said.attacks, ATTACKS)
    counted = _utilities(said, measured)
    reading = {"qi": said.qi, "sa": said.sa, "how": Format(said.header, said.columns or None, None, said.missing)}
    return Rules(
        name=NAME,
        title=said.title,
        files=("X.csv", "Y.csv", "correspondence.csv"),
        check=lambda paths: custom_check.check(paths, reading),
        reading=reading,
        measures=tuple(dict.fromkeys(entry.name for entry in (*measured, *counted))),
        attacks=tuple(entry.name for entry in attacking),
        utilities=tuple(entry.name for entry in counted),
        parameters=_parameters(said),
        limits=tuple(_gate(name, limit) for name, limit in said.limits.items()),
        fire_rule=said.fire_rule,
    )


def check_original(found: Rules, path: Path) -> None:
    """Refuse an original that lacks what the rules speak of."""
    frame = files.read_frame(path, found.reading["how"])
    align.check_rows(frame, path.name)
    data = Dataset(frame, roles.choose(frame, found.reading["qi"], found.reading["sa"]), path.name)
    for column in (*data.qi, *data.sa):
        align.check_values(frame[column], path.name)
    for sort, names in (("measure", found.measures), ("attack", found.attacks)):
        for name in names or ():
            selection.check_needs(registry.get(sort, name), data)  # type: ignore[arg-type]


def _entries(
    sort: Literal["measure", "attack"], said: Custom, names: tuple[str, ...] | None, default: tuple[str, ...]
) -> list[Entry]:
    if names is None:
        return [entry for name in default if _has_columns(entry := registry.get(sort, name), said)]
    found = [registry.get(sort, name) for name in names]
    strange = next((entry for entry in found if entry.data != "table" or entry.question != "origin"), None)
    if strange is not None:
        raise ParameterError(
            f"[custom]: {sort} {strange.name!r} is not for a table that asks where rows come from; "
            f"see: icefire list {sort}s"
        )
    return found


def _has_columns(entry: Entry, said: Custom) -> bool:
    there = {"qi": said.qi, "sa": said.sa, "numeric_sa": said.sa}
    return all(there.get(need, True) for need in entry.needs)


def _utilities(said: Custom, measured: list[Entry]) -> list[Entry]:
    if said.utilities is None:
        return [entry for entry in measured if entry.code.startswith("U")]
    found = _entries("measure", said, said.utilities, ())
    wrong = next((entry for entry in found if entry.better != "lower"), None)
    if wrong is not None:
        raise ParameterError(
            f"[custom]: utilities has {wrong.name!r}, which is better when higher; the ranking adds up errors: "
            "give measures that are better when lower"
        )
    return found


def _parameters(said: Custom) -> dict[str, dict[str, Any]]:
    found = {}
    for name, given in said.parameters.items():
        entry = _named(name)
        entry.bind(given)
        found[entry.name] = given
    return found


def _named(name: str) -> Entry:
    known = {*(e.name for e in registry.entries("attack")), *(e.code for e in registry.entries("attack"))}
    return registry.get("attack" if name in known else "measure", name)


def _gate(name: str, limit: float) -> Gate:
    entry = registry.get("measure", name)
    return Gate(entry.name, limit, "max" if entry.better == "lower" else "min")
