"""A new contest: a folder with its definition, explained line by line, and its original data.

The folder is written whole or not at all, and never over something that is there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from icefire import contests
from icefire.arena.contest import arena
from icefire.arena.contest.definition import PHASES, Definition
from icefire.arena.contest.instants import in_utc, in_zone
from icefire.arena.setup import histories, originals, template
from icefire.arena.setup.template import PlannedRound
from icefire.contests.custom import contest as custom
from icefire.core.errors import OutputError, ParameterError, did_you_mean
from icefire.core.types import Progress, no_progress
from icefire.io.writing import whole_folder

WEEKS = {"preliminary": (0, 14, 15, 29), "final": (30, 44, 45, 59)}
"""Days from the beginning to each phase, where nothing else is wished."""
WEIGHTS = {"preliminary": 0.4, "final": 0.6}


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """What an organiser wants."""

    rules: str = contests.DEFAULT
    title: str = "Anonymisation contest"
    zone: str = "UTC"
    rows: int | None = None
    """Size of the synthetic data; the sample's own if not given."""
    data: tuple[Path, ...] = ()
    """The organiser's own data, in place of synthetic: one file for all rounds, or one for each."""
    customers: tuple[Path, ...] = ()
    qi: tuple[str, ...] | None = None
    """For a contest of the organiser's own: columns an attacker may know; guessed if neither these nor sa are given."""
    sa: tuple[str, ...] | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    """For a history of the organiser's own: which column is what, subject and item at least."""
    minutes: int | None = None
    """How long releases, and then attacks, are taken in one final on site; two rounds of weeks if not given."""
    seed: int = 2015


def create(folder: Path, plan: SetupPlan, begin: datetime, progress: Progress = no_progress) -> Definition:
    """Make the folder of a competition that begins at an instant; returns its definition."""
    _check(plan)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{str(folder)!r} holds something already; name a new or an empty folder")
    zone = zone_named(plan.zone)
    local = in_zone(in_utc(begin, zone), zone).replace(second=0, microsecond=0, tzinfo=None)
    with whole_folder(folder, None, secret=True) as draft:
        stages = []
        for number, (name, starts) in enumerate(_times(local, plan.minutes).items()):
            progress(f"data of the {name} round")
            data = _data(draft, plan, number)
            stages.append(PlannedRound(name, 1.0 if plan.minutes else WEIGHTS[name], starts, *data))
        own = _own_contest(draft, plan, stages) if plan.rules == custom.NAME else None
        return arena.write_definition(draft, template.text(plan.title, plan.rules, plan.zone, folder.name, stages, own))


def _own_contest(draft: Path, plan: SetupPlan, stages: Sequence[PlannedRound]) -> Mapping[str, Any]:
    """Return the entries of `[custom]`."""
    if plan.fields:
        return histories.describe(draft, [(one.data, one.customers or "") for one in stages], plan.fields)
    return originals.roles(draft, [one.data for one in stages], plan.qi, plan.sa)


def _data(draft: Path, plan: SetupPlan, number: int) -> tuple[str, str | None]:
    """Write the data of a round: synthetic ones differ from round to round, an organiser's own if there are several."""
    if not plan.data:
        return originals.write_sample(draft, plan.rules, plan.rows, plan.seed, number)
    several = len(plan.data) > 1
    place = number if several else 0
    customers = plan.customers[place] if plan.customers else None
    return originals.copy(draft, plan.rules, plan.data[place], customers, number + 1 if several else None)


def zone_named(name: str) -> ZoneInfo:
    """Return a time zone by its name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ParameterError(f"--zone is {name!r}; it takes a name such as Asia/Tokyo or Europe/Berlin") from None


def _check(plan: SetupPlan) -> None:
    known = (*contests.names(), custom.NAME)
    if plan.rules not in known:
        raise ParameterError(f"--rules is {plan.rules!r}; {did_you_mean(plan.rules, known)}")
    if not plan.title.strip() or not plan.title.isprintable():
        raise ParameterError(f"--title is {plan.title!r}; it takes some words on one line")
    if (plan.qi or plan.sa) and plan.rules != custom.NAME:
        raise ParameterError(
            f"--qi and --sa describe a contest of your own (--rules custom); {plan.rules} has its roles"
        )
    histories.check_fields(plan.fields, plan.customers, plan.rules == custom.NAME)
    if not plan.data:
        _check_synthetic(plan)
    elif plan.rows is not None:
        raise ParameterError("--rows is the size of synthetic data; leave it out where --data names a file")
    else:
        _check_files(plan)


def _check_files(plan: SetupPlan) -> None:
    """Refuse files that are not one for all rounds or one for each, and customers where there are none."""
    rounds = 1 if plan.minutes else len(WEEKS)
    if len(plan.data) not in (1, rounds):
        listed = f"1 or {rounds}" if rounds > 1 else "1"
        raise ParameterError(
            f"--data names {len(plan.data)} files; give {listed}: one for all rounds, or one for each in their order"
        )
    if (history := _is_history(plan)) != bool(plan.customers):
        needed = "needs --customers FILE beside --data" if history else "has no table of customers; leave it out"
        raise ParameterError(f"{plan.rules} {needed}")
    if plan.customers and len(plan.customers) != len(plan.data):
        raise ParameterError(
            f"--data names {len(plan.data)} files, {len(plan.customers)} come with --customers; give as many of both"
        )


def _is_history(plan: SetupPlan) -> bool:
    return bool(plan.fields) if plan.rules == custom.NAME else contests.get(plan.rules).data == "history"


def _check_synthetic(plan: SetupPlan) -> None:
    if plan.rules == custom.NAME:
        raise ParameterError("--rules custom is about your own table; name it with --data FILE")
    if plan.customers:
        raise ParameterError("--customers goes with --data; give both, or neither for synthetic data")


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
