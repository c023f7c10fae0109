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

    asks: Literal["origin", "membership", "customers"] = "origin"
    """What attackers answer: the origin of rows of a table, who is in it at all, or whose history a customer is."""
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
    asked: int = 50
    """Membership: how many deleted records, and how many kept ones, are asked about."""
    answers: int = 1
    """Membership: how many rows may be answered for a record."""
    customer_columns: tuple[str, ...] = ()
    """Histories: names of the columns of the customers; the first one names the customer."""
    subject: str = ""
    """Histories: column of the customer."""
    item: str = ""
    """Histories: column of what was bought."""
    date: str | None = None
    time: str | None = None
    price: str | None = None
    number: str | None = None
    receipt: str | None = None

    @property
    def fields(self) -> dict[str, str]:
        """The columns of a history besides subject and item, by what they are."""
        given = {name: getattr(self, name) for name in ("receipt", "date", "time", "price", "number")}
        return {name: column for name, column in given.items() if column is not None}


def parse(table: Mapping[str, Any]) -> CustomTable:
    """Read the table; what is wrong with it is named."""
    unknown = next((name for name in table if name not in CustomTable.__struct_fields__), None)
    if unknown is not None:
        raise InputError(f"[custom] has no entry {unknown!r}; {did_you_mean(unknown, CustomTable.__struct_fields__)}")
    try:
        parsed = msgspec.convert(dict(table), CustomTable)
    except msgspec.ValidationError as error:
        raise InputError(f"[custom]: {error}; see docs/arena.md") from None
    if parsed.asks == "customers":
        _check_history(parsed)
        return parsed
    if not parsed.qi and not parsed.sa:
        raise ParameterError("[custom] names no column; give qi (what an attacker may know), sa, or both")
    twice = next((name for name in parsed.qi if name in parsed.sa), None)
    if twice is not None:
        raise ParameterError(f"[custom]: column {twice!r} is in qi and in sa; give each column one role")
    if parsed.header == bool(parsed.columns):
        raise ParameterError("[custom]: files without a header (header = false) need `columns`, and only they do")
    if parsed.asked < 1 or parsed.answers < 1:
        raise ParameterError(f"[custom]: asked is {parsed.asked} and answers {parsed.answers}; both must be at least 1")
    return parsed


def _check_history(table: CustomTable) -> None:
    """Refuse a history whose columns cannot be told."""
    if table.header or not table.columns or not table.customer_columns:
        raise ParameterError(
            "[custom]: a history has files without a header: header = false, with `columns` and `customer_columns`"
        )
    named = {"subject": table.subject, "item": table.item, **table.fields}
    for field, column in named.items():
        if column not in table.columns:
            hint = did_you_mean(str(column), table.columns)
            raise ParameterError(f"[custom]: {field} is {column!r}, which is none of `columns`; {hint}")
    if table.subject not in table.customer_columns:
        raise ParameterError(f"[custom]: `customer_columns` lack the column of customers, {table.subject!r}")
    if table.qi or table.sa:
        raise ParameterError(
            "[custom]: qi and sa are for a table of one row per person; a history has subject and item"
        )
