"""What the columns of a contest's table may hold, as the contest says or as a JSON file of another round does.

{"columns": {"AGE": {"type": "number", "min": 2, "max": 110, "max_decimal_places": 0},
             "GENDER": {"type": "category", "values": ["F", "M"]}}}
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from icefire.contests.common import cells
from icefire.contests.common.cells import Cells
from icefire.contests.common.problem import Problem


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """One column: a number in a range, with so many decimals, or one of some values."""

    values: tuple[str, ...] | None = None
    low: float = -math.inf
    high: float = math.inf
    decimals: int | None = None
    """None: any number of them."""

    def problems(self, table: Cells, column: str) -> list[Problem]:
        """Name the cells that are not allowed."""
        if self.values is not None:
            return cells.one_of(table, column, self.values)
        most = 400 if self.decimals is None else self.decimals
        digits = r"[0-9]+" if most == 0 else rf"([0-9]+(\.[0-9]{{0,{most}}})?|\.[0-9]{{1,{most}}})"
        numbers = table.frame[column].cast(pl.Float64, strict=False)
        right = numbers.is_between(self.low, self.high) & table.frame[column].str.contains(rf"^[+-]?{digits}$")
        return table.wrong(column, ~right.fill_null(False), self._allowed())

    def _allowed(self) -> str:
        least = "" if self.low == -math.inf else f" from {self.low:g}"
        most = "" if self.high == math.inf else f" to {self.high:g}"
        decimals = {None: "", 0: " without decimals"}.get(self.decimals, f" with at most {self.decimals} decimals")
        return f"a number{least}{most}{decimals}"


def wrong_values(table: Cells, rules: Mapping[str, ColumnRule]) -> list[Problem]:
    """Name all cells of a table that its rules do not allow."""
    return [problem for column, rule in rules.items() for problem in rule.problems(table, column)]


def read_rules(path: Path, columns: Sequence[str]) -> tuple[dict[str, ColumnRule] | None, list[Problem]]:
    """Read the rules of all columns from a JSON file; None and what is wrong with it if it cannot be used."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        return None, [Problem(path.name, f"this is no JSON file ({error})")]
    given = stored.get("columns") if isinstance(stored, dict) else None
    if not isinstance(given, dict):
        return None, [Problem(path.name, 'it must hold {"columns": {NAME: {"type": "number" or "category", …}}}')]
    rules: dict[str, ColumnRule] = {}
    problems: list[Problem] = []
    for column in columns:
        rule = _rule(given.get(column))
        if isinstance(rule, ColumnRule):
            rules[column] = rule
        else:
            problems.append(Problem(path.name, f"column {column}: {rule}"))
    return (None, problems) if problems else (rules, [])


def _rule(given: Any) -> ColumnRule | str:
    """Return one rule, or what is wrong with it."""
    if not isinstance(given, dict):
        return "it is missing; every column needs its rule"
    if given.get("type") == "category":
        values = given.get("values")
        if not isinstance(values, list) or not values:
            return f"values is {values!r}; it takes a list of the values that are allowed"
        return ColumnRule(values=tuple(str(value) for value in values))
    if given.get("type") != "number":
        return f"type is {given.get('type')!r}; it takes number or category"
    low, high, decimals = given.get("min"), given.get("max"), given.get("max_decimal_places")
    if not all(one is None or (isinstance(one, int | float) and not isinstance(one, bool)) for one in (low, high)):
        return f"min and max are {low!r} and {high!r}; they take numbers"
    if decimals is not None and (not isinstance(decimals, int) or isinstance(decimals, bool) or decimals < 0):
        return f"max_decimal_places is {decimals!r}; it takes a whole number from 0"
    return ColumnRule(None, -math.inf if low is None else low, math.inf if high is None else high, decimals)
