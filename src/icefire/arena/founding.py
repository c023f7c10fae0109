"""A new competition: a folder with its definition, explained line by line, and its original data.

The folder is written whole or not at all, and never over something that is there already.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import polars as pl

from icefire import contests, files, samples
from icefire.arena import arena, template
from icefire.arena.definition import PHASES, Definition
from icefire.arena.template import Stage
from icefire.errors import InputError, OutputError, ParameterError

Progress = Callable[[str], None]

SAMPLES = {"pwscup2015": "households", "pwscup2016": "shop", "pwscup2021": "survey"}
"""Which sample stands for the data of a contest."""
WEEKS = {"preliminary": (0, 14, 15, 29), "final": (30, 44, 45, 59)}
"""Days from the beginning to each phase, where nothing else is wished."""
WEIGHTS = {"preliminary": 0.4, "final": 0.6}

_CHECKED = {
    "pwscup2015": ("data", "data"),
    "pwscup2016": ("customers", "data", "customers", "data", "rows"),
    "pwscup2021": ("data", "data", "rows"),
}
"""How an original is shown to the contest's own check: as if it were released as it is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organiser wants."""

    rules: str = "pwscup2015"
    title: str = "Anonymisation contest"
    zone: str = "UTC"
    rows: int | None = None
    """Size of the synthetic data; the sample's own if not given."""
    data: Path | None = None
    """The organiser's own data, in place of synthetic."""
    customers: Path | None = None
    minutes: int | None = None
    """How long releases, and then attacks, are taken in one final on site; two rounds of weeks if not given."""
    seed: int = 2015


def found(folder: Path, plan: Plan, begin: datetime, progress: Progress = lambda _: None) -> Definition:
    """Make the folder of a competition that begins at an instant; returns its definition."""
    _check(plan)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{str(folder)!r} holds something already; name a new or an empty folder")
    local = begin.astimezone(zone_named(plan.zone)).replace(second=0, microsecond=0, tzinfo=None)
    with files.whole_folder(folder) as draft:
        write = _write_own if plan.data else _write_sample
        stages = []
        for number, (name, starts) in enumerate(_times(local, plan.minutes).items()):
            progress(f"data of the {name} round")
            stages.append(Stage(name, 1.0 if plan.minutes else WEIGHTS[name], starts, *write(draft, plan, number)))
        return arena.make(draft, template.text(plan.title, plan.rules, plan.zone, folder.name, stages))


def zone_named(name: str) -> ZoneInfo:
    """Return a time zone by its name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ParameterError(f"--zone is {name!r}; it takes a name such as Asia/Tokyo or Europe/Berlin") from None


def _check(plan: Plan) -> None:
    contests.get(plan.rules)
    history = plan.rules == "pwscup2016"
    if plan.customers and not plan.data:
        raise ParameterError("--customers goes with --data; give both, or neither for synthetic data")
    if plan.data and history != bool(plan.customers):
        needed = "needs --customers FILE beside --data" if history else "has no table of customers; leave it out"
        raise ParameterError(f"{plan.rules} {needed}")
    if plan.data and plan.rows:
        raise ParameterError("--rows is the size of synthetic data; leave it out where --data names a file")
    if not plan.title.strip() or not plan.title.isprintable():
        raise ParameterError(f"--title is {plan.title!r}; it takes some words on one line")


def _times(begin: datetime, minutes: int | None) -> dict[str, dict[str, datetime]]:
    """When each phase of each round begins, in the organiser's local time."""
    if minutes is None:
        return {
            name: {phase: begin + timedelta(days=days) for phase, days in zip(PHASES, plan, strict=True)}
            for name, plan in WEEKS.items()
        }
    pause = max(1, minutes // 10)
    after = (0, minutes, minutes + pause, 2 * minutes + pause)
    return {"final": {phase: begin + timedelta(minutes=m) for phase, m in zip(PHASES, after, strict=True)}}


def _write_sample(draft: Path, plan: Plan, number: int) -> tuple[str, str | None]:
    """Write synthetic data, others in every round; returns the names of the table and of its customers."""
    module = samples.load(SAMPLES[plan.rules])
    rows, seed = plan.rows or module.DEFAULT_ROWS, plan.seed + number
    table = f"original_{number + 1}.csv"
    reading = contests.get(plan.rules).reading
    _write(module.chunks(rows, seed), draft / table, reading["how"])
    if not hasattr(module, "customers"):
        return table, None
    people = f"people_{number + 1}.csv"
    _write(module.customers(rows, seed), draft / people, reading["customers_how"])
    return table, people


def _write(pieces: Iterator[pl.DataFrame], path: Path, how: files.Format) -> None:
    with path.open("wb") as file:
        for number, piece in enumerate(pieces):
            piece.write_csv(file, include_header=how.header and number == 0)


def _write_own(draft: Path, plan: Plan, number: int) -> tuple[str, str | None]:
    """Copy the organiser's files, the same for every round, if the contest's own check finds nothing wrong."""
    assert plan.data is not None
    table, people = "original.csv", "people.csv" if plan.customers else None
    if number == 0:
        _copy(plan.data, draft / table)
        if plan.customers and people:
            _copy(plan.customers, draft / people)
        _check_original(plan, draft, table, people)
    return table, people


def _copy(source: Path, target: Path) -> None:
    files.check_readable(source)
    if source.suffix.lower() not in (".csv", ".txt"):
        raise InputError(f"{str(source)!r} is no CSV; a competition hands its data out as CSV: convert it first")
    shutil.copyfile(source, target)


def _check_original(plan: Plan, draft: Path, table: str, people: str | None) -> None:
    scratch = draft / "rows.csv"
    scratch.write_text("".join(f"{row}\n" for row in range(50)), encoding="utf-8")
    paths = {"data": draft / table, "customers": draft / (people or table), "rows": scratch}
    problems = contests.get(plan.rules).check([paths[name] for name in _CHECKED[plan.rules]])
    scratch.unlink()
    wrong = [p for p in problems if p.file in (table, people) and (p.row is not None or p.column is not None)]
    if wrong:
        more = f" ({len(wrong) - 1:,} more like this)" if len(wrong) > 1 else ""
        raise InputError(f"the data does not follow the rules of {plan.rules}: {wrong[0]}{more}; correct the file")
