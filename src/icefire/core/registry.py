"""Everything that can be named: methods, measures and attacks, each one plain decorated function.

A new one is one new file in `methods/`, `measures/` or `attacks/`; other packages add theirs through the
entry-point group `icefire.plugins` (a module that is imported on first look-up).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal, TypeVar

from icefire.core import parameters
from icefire.core.errors import IcefireError, UnknownNameError, did_you_mean
from icefire.core.parameters import Parameter

Sort = Literal["method", "measure", "attack"]
Data = Literal["table", "history"]
"""What a registered function works on: a table with one row per person, or a history with many."""
Question = Literal["origin", "membership"]
Function = TypeVar("Function", bound=Callable[..., Any])

_entries: dict[tuple[Sort, str], Entry] = {}


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered function with all that the command line, recipes, reports and docs show of it."""

    sort: Sort
    name: str
    code: str
    function: Callable[..., Any]
    parameters: Mapping[str, Parameter]
    data: Data = "table"
    needs: tuple[str, ...] = ()
    """Roles that must have a column ("qi", "sa", "numeric_sa"); measures may also need the "original", the "truth", or
    the original as the "population" the release was drawn from (then an unchanged table need not be without error, nor
    even have a value).
    On histories: columns there must be ("receipt", "date", "time", "price", "number") and the table of "customers"."""
    question: Question = "origin"
    """Attacks: which original row is this released one, or is this record in the release at all?"""
    knows: str = ""
    """Attacks: what the attacker holds, completing "an attacker who knows …"."""
    better: Literal["lower", "higher"] = "lower"
    best: str = ""
    """Measures: the attainable best, in words."""
    asked: bool = False
    """Measures: made for one kind of data, so run only where it is named (in a list, a parameter, a limit)."""

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @property
    def module(self) -> str:
        """Where the function lives."""
        return self.function.__module__

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Check parameters against the signature and fill in the defaults."""
        return parameters.bind(self.name, self.parameters, given)


def method(name: str, *, data: Data = "table", needs: tuple[str, ...] = ()) -> Callable[[Function], Function]:
    """Register an anonymisation method: `(data, *, rng, …) -> Dataset`, or `History` for `data="history"`."""
    return _register("method", name, "", data=data, needs=needs)


def measure(
    name: str,
    *,
    code: str = "",
    data: Data = "table",
    needs: tuple[str, ...] = (),
    better: Literal["lower", "higher"] = "lower",
    best: str = "0",
    asked: bool = False,
) -> Callable[[Function], Function]:
    """Register a measure: `(comparison, *, …) -> float`."""
    return _register("measure", name, code, data=data, needs=needs, better=better, best=best, asked=asked)


def attack(
    name: str,
    *,
    code: str = "",
    data: Data = "table",
    question: Question = "origin",
    needs: tuple[str, ...] = (),
    knows: str,
) -> Callable[[Function], Function]:
    """Register an attack: `(case, *, rng, …) -> Guess`."""
    return _register("attack", name, code, data=data, question=question, needs=needs, knows=knows)


def _register(sort: Sort, name: str, code: str, **details: Any) -> Callable[[Function], Function]:
    def add(function: Function) -> Function:
        known = _entries.get((sort, name))
        if known and known.module != function.__module__:
            raise IcefireError(f"{sort} {name!r} of {function.__module__} is registered already by {known.module}")
        _entries[sort, name] = Entry(sort, name, code, function, parameters.of(function), **details)
        return function

    return add


@cache
def load() -> None:
    """Import every module that registers something, ours and the plug-ins'."""
    for package in ("methods", "measures", "attacks"):
        parent = importlib.import_module(f"icefire.{package}")
        for found in pkgutil.walk_packages(parent.__path__, f"icefire.{package}."):
            importlib.import_module(found.name)
    for point in entry_points(group="icefire.plugins"):
        try:
            point.load()
        except Exception as error:
            raise IcefireError(
                f"plug-in {point.name!r} ({point.value}) failed to load: {error}; repair or uninstall it"
            ) from error


def entries(sort: Sort, data: Data | None = None) -> list[Entry]:
    """Every entry of a sort (for one kind of data), coded ones first (S1, U1, E1 …), then by name."""
    load()
    found = [entry for entry in _entries.values() if entry.sort == sort and data in (None, entry.data)]
    return sorted(found, key=lambda entry: (not entry.code, entry.code, entry.name))


def get(sort: Sort, name: str) -> Entry:
    """Look a name or a paper's code up; an unknown one is answered with the nearest."""
    load()
    wanted = name.strip().lower()
    for entry in entries(sort):
        if wanted in (entry.name.lower(), entry.code.lower() or None):
            return entry
    names = [entry.name for entry in entries(sort)]
    raise UnknownNameError(f"unknown {sort} {name!r}; {did_you_mean(name, names)}; see: icefire list {sort}s")
