"""The state of a competition for one team, on a terminal of any width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table
from rich.text import Text

from icefire.core.formatting import percent

NARROW = 100
"""Below so many columns a table of releases leaves its measures out."""
LATEST = 3
"""Announcements shown."""


def show(status: Mapping[str, Any], out: Console) -> None:
    """Print the phase, the team's releases, and what can be attacked; `status` is the server's answer."""
    contest = status["contest"]
    here = next(one for one in contest["rounds"] if one["name"] == status["round"])
    out.print(f"{contest['title']}: round {here['name']}, {_phase(here, contest)}", markup=False)
    for one in status["announcements"][:LATEST]:
        out.print(f"{_at(one['at'], contest['zone'])}: {one['text']}", markup=False, style="bold")
    team = status["team"]
    if team is None:
        out.print("You are in no team here; log in with: icefire arena login URL", markup=False)
    else:
        _show_team(team, contest, out)
    if status["others"]:
        out.print(_targets(status["others"], team))


def _phase(here: Mapping[str, Any], contest: Mapping[str, Any]) -> str:
    paused = ", paused" if here["paused"] else ""
    if here["next"] is None:
        return f"phase {here['phase']}{paused}"
    starts = here["next"]["starts"]
    left = datetime.fromisoformat(starts) - datetime.fromisoformat(contest["now"])
    return f"phase {here['phase']}{paused}; {here['next']['phase']} {_in(left)}: {_at(starts, contest['zone'])}"


def _in(left: timedelta) -> str:
    seconds = max(0, round(left.total_seconds()))
    days, hours, minutes = seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return f"in {days} d {hours} h"
    return f"in {hours} h {minutes} min" if hours else f"in {minutes} min {seconds % 60} s"


def _at(instant: str, zone: str) -> str:
    return f"{datetime.fromisoformat(instant).astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} {zone}"


def _show_team(team: Mapping[str, Any], contest: Mapping[str, Any], out: Console) -> None:
    quota = team["quota"]
    in_play = f"{quota['used']} of {quota['most']} releases in play"
    handed_in = f"{quota['submitted']} of {quota['most_submitted']} handed in"
    out.print(f"{team['name']}: {in_play}, {handed_in}", markup=False)
    if team["disqualified"]:
        out.print(f"disqualified: {team['disqualified']}", markup=False)
    if team["releases"]:
        out.print(_own(team["releases"], contest["measures"], out.width))


def _own(releases: Sequence[Mapping[str, Any]], measures: Sequence[str], width: int) -> Table:
    shown = measures if width >= NARROW else []
    table = _table("Your releases", "label", "state", "rows", "identified", *shown)
    for one in releases:
        values = one["measures"] or {}
        _add(
            table,
            one["label"],
            _state(one),
            f"{one['rows']:,}",
            _identified(one["found"]),
            *("-" if values.get(name) is None else f"{values[name]:.4g}" for name in shown),
        )
    return table


def _identified(attacks: Sequence[Mapping[str, Any]] | None) -> str:
    """The largest share that any attack shown has identified."""
    return "hidden" if attacks is None else percent(max((attack["rate"] for attack in attacks), default=0.0))


def _state(one: Mapping[str, Any]) -> str:
    if one["withdrawn"]:
        return "withdrawn"
    note = f": {one['note']}" if one["note"] else ""
    return f"waiting ({one['waiting']} in the queue)" if one["waiting"] else f"{one['state']}{note}"


def _targets(others: Sequence[Mapping[str, Any]], team: Mapping[str, Any] | None) -> Table:
    attacked = {guess["release_id"]: guess for guess in team["guesses"]} if team else {}
    table = _table("Other releases", "label", "team", "rows", "your attack")
    for one in others:
        guess = attacked.get(one["id"])
        done = _result(guess) if guess else ("open" if one["attackable"] else "-")
        _add(table, one["label"], one["team"] or "?", f"{one['rows']:,}", done)
    return table


def _result(guess: Mapping[str, Any]) -> str:
    score = guess["found"]
    return f"{score['hits']:,} of {score['targets']:,}" if score else "handed in"


def _add(table: Table, *cells: str) -> None:
    table.add_row(*(Text(cell) for cell in cells))  # plain text: a team's name is no markup


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", expand=False)
    for place, name in enumerate(columns):
        table.add_column(name, overflow="fold", justify="left" if place < 2 else "right")
    return table
