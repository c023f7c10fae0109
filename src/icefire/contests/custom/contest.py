"""Build a contest from an organiser's table, and check the original it is played with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from icefire.audit import selection, steps
from icefire.contests.common.contest import Contest
from icefire.contests.common.sample_files import SampleFiles
from icefire.contests.custom import checks, history_checks
from icefire.contests.custom.table import CustomTable, parse
from icefire.contests.games import limits
from icefire.contests.games.histories import HistoryGame
from icefire.contests.games.membership import MembershipGame
from icefire.contests.games.tables import TableGame
from icefire.core import align, registry, roles
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.registry import Entry, Sort
from icefire.core.release import Case, Comparison, Truth
from icefire.io.format import Format
from icefire.io.tables import read_frame
from icefire.samples import households

NAME = "custom"
ASKED = {
    "origin": "a table that asks where rows come from",
    "membership": "a table that asks who is in it",
    "customers": "a history",
}
MEASURES = ("S1", "S2", "U1", "U2", "U3", "U4", "U5", "U6")
ATTACKS = ("E1", "E2", "E3", "E4", "EUC1", "EUC2")


def build(table: Mapping[str, Any]) -> Contest:
    """Build the contest that a table describes."""
    parsed = parse(table)
    return _build_history(parsed) if parsed.asks == "customers" else _build_table(parsed)


def _build_table(parsed: CustomTable) -> Contest:
    measures = _entries("measure", parsed, parsed.measures, MEASURES)
    membership = parsed.asks == "membership"
    attacks = None if membership and parsed.attacks is None else _entries("attack", parsed, parsed.attacks, ATTACKS)
    utilities = _utilities(parsed, measures)
    how = Format(parsed.header, parsed.columns or None, None, parsed.missing, decimal=".")
    reading = {"qi": parsed.qi, "sa": parsed.sa, "how": how}
    origin = Contest(
        name=NAME,
        title=parsed.title,
        files=("X.csv", "Y.csv", "correspondence.csv"),
        optional=1,
        find_problems=lambda paths: checks.find_problems(paths, reading),
        reading=reading,
        game=TableGame,
        sample=SampleFiles("households"),
        measures=tuple(dict.fromkeys(entry.name for entry in (*measures, *utilities))),
        attacks=None if attacks is None else tuple(entry.name for entry in attacks),
        utilities=tuple(entry.name for entry in utilities),
        parameters=_parameters(parsed),
        limits=limits.gates((), parsed.limits),
        fire_rule=parsed.fire_rule,
    )
    if not membership:
        return origin
    return replace(
        origin,
        files=("X.csv", "Y.csv", "deleted.csv"),
        optional=0,
        find_problems=lambda paths: checks.find_member_problems(paths, reading, parsed.asked),
        game=partial(MembershipGame, asked=parsed.asked, answers=parsed.answers),
    )


def _build_history(parsed: CustomTable) -> Contest:
    asked: tuple[tuple[Sort, tuple[str, ...] | None], ...] = (("measure", parsed.measures), ("attack", parsed.attacks))
    chosen = {
        sort: None if names is None else tuple(entry.name for entry in _entries(sort, parsed, names, ()))
        for sort, names in asked
    }
    utilities = [] if parsed.utilities is None else _utilities(parsed, [])
    return Contest(
        name=NAME,
        title=parsed.title,
        files=("M.csv", "T.csv", "M'.csv", "T'.csv", "correspondence.csv"),
        optional=1,
        find_problems=lambda paths: history_checks.find_problems(paths, parsed),
        reading={
            "subject": parsed.subject,
            "item": parsed.item,
            **parsed.fields,
            "how": Format(header=False, decimal=".", columns=parsed.columns, missing=parsed.missing),
            "customers_how": Format(header=False, decimal=".", columns=parsed.customer_columns),
        },
        game=HistoryGame,
        sample=SampleFiles("shop", small=30),
        measures=chosen["measure"],
        attacks=chosen["attack"],
        utilities=tuple(entry.name for entry in utilities),
        parameters=_parameters(parsed),
        limits=limits.gates((), parsed.limits),
        fire_rule=parsed.fire_rule,
    )


def check_original(contest: Contest, path: Path) -> None:
    """Refuse an original that lacks a column that the contest needs; histories are checked with their customers."""
    if contest.data == "history":
        return
    frame = read_frame(path, contest.reading["how"])
    align.check_rows(frame, path.name)
    data = Dataset(frame, roles.choose(frame, contest.reading["qi"], contest.reading["sa"]), path.name)
    for column in (*data.qi, *data.sa):
        align.check_values(frame[column], path.name)
    measures = [registry.get("measure", name) for name in contest.measures or ()]
    attacks = [registry.get("attack", name) for name in contest.attacks or ()]
    for entry in (*measures, *attacks):
        selection.check_needs(entry, data)
    missing = _without_value(contest, data)
    if missing:
        name, why = next(iter(missing.items()))
        left = [f'"{one}"' for one in contest.utilities if one not in missing]
        raise ParameterError(
            f"[custom]: {name} counts in the ranking and has no value even on {path.name} itself ({why}): every "
            f"release would be refused; write utilities = [{', '.join(left)}]"
        )


def utilities_with_value(table: Mapping[str, Any], path: Path) -> tuple[str, ...] | None:
    """Return which of the measures that count by default have a value on an original; None if all of them have."""
    contest = build(table)
    frame = read_frame(path, contest.reading["how"])
    data = Dataset(frame, roles.choose(frame, contest.reading["qi"], contest.reading["sa"]), path.name)
    missing = _without_value(contest, data)
    codes = {registry.get("measure", name).code: name for name in contest.utilities}
    return tuple(code for code, name in codes.items() if name not in missing) if missing else None


def _without_value(contest: Contest, data: Dataset) -> dict[str, str]:
    """Return the measures of the ranking that have no value where the original is released as it is, and why."""
    itself = Comparison(Case(data, data), Truth(np.arange(data.height)))
    missing = {}
    for name in contest.utilities:
        entry = registry.get("measure", name)
        result = steps.measure(entry, itself, entry.bind(contest.parameters.get(name, {})))
        if result.value is None:
            missing[name] = result.note
    return missing


def table_of_everything() -> dict[str, Any]:
    """Return a table with every measure and every attack that a contest of an organiser's own may have."""
    measures = [entry.name for entry in registry.entries("measure", "table") if not entry.explicit_only]
    attacks = [entry.name for entry in registry.entries("attack", "table") if entry.question == "origin"]
    return {"qi": households.QI[:3], "sa": households.SA, "measures": measures, "attacks": attacks}


def _entries(sort: Sort, table: CustomTable, names: tuple[str, ...] | None, default: tuple[str, ...]) -> list[Entry]:
    if names is None:
        return [entry for name in default if _has_columns(entry := registry.get(sort, name), table)]
    entries = [registry.get(sort, name) for name in names]
    data = "history" if table.asks == "customers" else "table"
    question = "membership" if table.asks == "membership" and sort == "attack" else "origin"
    unfit = next((entry for entry in entries if entry.data != data or entry.question != question), None)
    if unfit is not None:
        raise ParameterError(
            f"[custom]: {sort} {unfit.name!r} is not for {ASKED[table.asks]}; see: icefire list {sort}s"
        )
    return entries


def _has_columns(entry: Entry, table: CustomTable) -> bool:
    columns = {"qi": table.qi, "sa": table.sa, "numeric_sa": table.sa}
    if entry.code == "U4" and len(table.sa) < 2:  # it correlates one with another
        return False
    return all(columns.get(need, True) for need in entry.needs)


def _utilities(table: CustomTable, measures: list[Entry]) -> list[Entry]:
    if table.utilities is None:
        return [entry for entry in measures if entry.code.startswith("U")]
    utilities = _entries("measure", table, table.utilities, ())
    wrong = next((entry for entry in utilities if entry.better != "lower"), None)
    if wrong is not None:
        raise ParameterError(
            f"[custom]: utilities has {wrong.name!r}, which is better when higher; the ranking adds up errors: "
            "give measures that are better when lower"
        )
    return utilities


def _parameters(table: CustomTable) -> dict[str, dict[str, Any]]:
    parameters = {}
    for name, given in table.parameters.items():
        entry = _entry_named(name)
        entry.bind(given)
        parameters[entry.name] = given
    return parameters


def _entry_named(name: str) -> Entry:
    attacks = {*(e.name for e in registry.entries("attack")), *(e.code for e in registry.entries("attack"))}
    return registry.get("attack" if name in attacks else "measure", name)
