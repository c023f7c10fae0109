"""The table in which an organiser describes a contest: one row per person, roles, measures, attacks.

[custom]
qi = ["age", "job"]
sa = ["income"]
measures = ["S1", "U1", "U5"]
attacks = ["E1", "EUC2"]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from icefire.core.errors import InputError, ParameterError, did_you_mean


class CustomTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


def parse(table: Mapping[str, Any]) -> CustomTable:
    """Read the table; what is wrong with it is named."""
    unknown = next((name for name in table if name not in CustomTable.__struct_fields__), None)
    if unknown is not None:
        raise InputError(f"[custom] has no entry {unknown!r}; {did_you_mean(unknown, CustomTable.__struct_fields__)}")
    try:
        parsed = msgspec.convert(dict(table), CustomTable)
    except msgspec.ValidationError as error:
        raise InputError(f"[custom]: {error}; see docs/arena.md") from None
    if not parsed.qi and not parsed.sa:
        raise ParameterError("[custom] names no column; give qi (what an attacker may know), sa, or both")
    twice = next((name for name in parsed.qi if name in parsed.sa), None)
    if twice is not None:
        raise ParameterError(f"[custom]: column {twice!r} is in qi and in sa; give each column one role")
    if parsed.header == bool(parsed.columns):
        raise ParameterError("[custom]: files without a header (header = false) need `columns`, and only they do")
    return parsed
