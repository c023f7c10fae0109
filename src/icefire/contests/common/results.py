"""Results of measures and sample attacks that are a contest's own, as scorecards hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import msgspec
import polars as pl

from icefire.audit.judge import wilson
from icefire.core.errors import ParameterError, UndefinedError, did_you_mean
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult


class SampleAttackResult(AttackResult, frozen=True):
    """What a sample attack of a contest achieved, with what only some contests have."""

    levels: dict[str, float] = msgspec.field(default_factory=dict)
    """Rate by the share of the original that is known, in per cent."""
    marked: int | None = None
    """Rows that were said to be members, where an attack marks rows."""


def measured(compute: Callable[[], float], *, highest: str = "") -> MeasureResult:
    """Return the value of a measure, or none with the reason where it is not defined; `highest` is its best value."""
    value: float | None
    try:
        value, note = float(compute()), ""
    except UndefinedError as error:
        value, note = None, error.message
    if value is not None and not math.isfinite(value):
        value, note = None, "not finite: the numbers are too large"
    better, best = ("higher", highest) if highest else ("lower", "0")
    return MeasureResult("", value, better, best, {}, note)  # type: ignore[arg-type]


def attacked(
    hits: int, targets: int, *, knows: str, levels: Mapping[str, float] | None = None, marked: int | None = None
) -> SampleAttackResult:
    """Return what an attack achieved that answered every question."""
    rate = hits / targets if targets else 0.0
    return SampleAttackResult(
        code="",
        rate=rate,
        hits=hits,
        targets=targets,
        answered=targets if marked is None else marked,
        ci=wilson(hits, targets) if targets else (0.0, 1.0),
        baseline=0.0,
        expected=None,
        aya=None,
        knows=knows,
        parameters={},
        seconds=0.0,
        levels=dict(levels or {}),
        marked=marked,
    )


def chosen(parameters: Mapping[str, Mapping[str, object]], owner: str, name: str, allowed: tuple[str, ...]) -> str:
    """Return a parameter that takes one of some words, the first if it is not given.

    Raises:
        ParameterError: If it has another value.
    """
    value = str(parameters.get(owner, {}).get(name, allowed[0]))
    if value not in allowed:
        raise ParameterError(f"{owner}.{name} is {value!r}; {did_you_mean(value, allowed)}")
    return value


def check_parameters(parameters: Mapping[str, Mapping[str, object]], known: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse parameters that a contest does not have.

    Raises:
        ParameterError: If one is unknown.
    """
    for owner, given in parameters.items():
        if owner not in known:
            listed = ", ".join(known) or "none"
            raise ParameterError(f"{owner!r} has no parameters in this contest; these have: {listed}")
        unknown = next((name for name in given if name not in known[owner]), None)
        if unknown is not None:
            raise ParameterError(f"{owner} has no parameter {unknown!r}; {did_you_mean(unknown, known[owner])}")


def as_numbers(column: pl.Series, table: str) -> pl.Series:
    """Return a column of text as finite numbers.

    Raises:
        UndefinedError: If a cell holds none.
    """
    numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    bad = (~numbers.is_finite()).fill_null(True).arg_true()
    if len(bad):
        raise UndefinedError(f"row {bad[0]} of {table} has {column[bad[0]]!r} in {column.name}, which is no number")
    return numbers
