"""What the charts take from a board: releases with a value, their names, and the names of measures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from icefire.arena.boards.rankings import IceBoard, IceRow
from icefire.arena.charts.words import ChartWords
from icefire.core import formatting, registry
from icefire.core.errors import UnknownNameError


@cache
def code(measure: str) -> str:
    """Return how a measure is called in short: U5 for information_loss."""
    try:
        return registry.get("measure", measure).code or measure
    except UnknownNameError:
        return measure


def named(board: IceBoard, wanted: str) -> str | None:
    """Return the measure of a board with this code or name."""
    return next((name for name in board.measures if wanted in (name, code(name))), None)


def value(row: IceRow, measure: str) -> float | None:
    """Return what a release has of a measure; None where it is not known or not shown."""
    return None if row.release.measures is None else row.release.measures.get(measure)


def having(board: IceBoard, measure: str) -> list[tuple[IceRow, float]]:
    """Return the releases in play that have a value of a measure, with it."""
    pairs = ((row, value(row, measure)) for row in board.rows if row.release.in_play)
    return [(row, number) for row, number in pairs if number is not None]


def secured(board: IceBoard) -> list[tuple[IceRow, float]]:
    """Return the releases in play of which it is known how many people were identified, with that share."""
    return [(row, row.security) for row in board.rows if row.security is not None and row.release.in_play]


def release(row: IceRow, say: ChartWords) -> str:
    """Name a release, with its team where that may be known."""
    if row.release.team is None:
        return say("release", label=row.release.label)
    return say("release_of", label=row.release.label, team=row.release.team)


def ranked(row: IceRow, say: ChartWords) -> str:
    """Name a release after its rank, if it has one."""
    name = release(row, say)
    return name if row.rank is None else say("ranked", rank=rank(row), release=name)


def rank(row: IceRow) -> str:
    """Write a rank."""
    return "" if row.rank is None else str(row.rank)


def texts(row: IceRow) -> tuple[str, ...]:
    """What may stand beside a release: rank and team, else rank and label, else the rank alone."""
    longest = row.release.team or row.release.label
    return (f"{rank(row)} {longest}".strip(), f"{rank(row)} {row.release.label}".strip(), rank(row) or "·")


def first(board: IceBoard) -> IceRow | None:
    """Return the release that leads."""
    ranked = [row for row in board.rows if row.rank is not None]
    return min(ranked, key=lambda row: row.rank or 0) if ranked else None


def part(shown: int, every: int, say: ChartWords) -> str:
    """Say that only the first ones are drawn, if that is so."""
    return "" if shown == every else say("first_of", shown=shown, every=every)


def in_front(row: IceRow, most: int = 5) -> bool:
    """Tell a release among the first few."""
    return row.rank is not None and row.rank <= most


def mark_of(row: IceRow) -> tuple[str, str]:
    """Return shape and tone of a release: one whose risk is that of AYA does not look like one of identified people."""
    if row.by_aya:
        return "triangle", "three"
    if row.rank is None:
        return "cross", "faint"
    return "circle", "two" if in_front(row) else "one"


def told_of_aya(rows: Sequence[IceRow], say: ChartWords) -> str:
    """Say what a triangle is, if one is drawn."""
    return say("by_aya_told") if any(row.by_aya for row in rows) else ""


def percent(share: float) -> str:
    """Write a share."""
    return formatting.percent(share)
