"""The registry of methods, measures and attacks: decorators that add one, and look-up by name.

Each is one plain decorated function. What others must know of it before it runs is declared in the decorator, and
`icefire.testing` checks that it is so. A new one is one new file in `methods/`, `measures/` or `attacks/`; other
packages add theirs through the entry-point group `icefire.plugins` (a module that is imported on first look-up).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal, TypeVar

from icefire.core import parameters
from icefire.core.errors import IcefireError, ParameterError, UnknownNameError, did_you_mean
from icefire.core.parameters import Parameter
from icefire.core.types import DataKind

Sort = Literal["method", "measure", "attack"]
Question = Literal["origin", "membership", "attribute", "linking"]
ReleaseKind = Literal["rows", "synthetic"]
EngineName = Literal["local", "partitioned", "spark"]
EngineChoice = Literal["auto", "local", "partitioned", "spark"]
ENGINES: tuple[EngineName, ...] = ("local", "partitioned", "spark")
Function = TypeVar("Function", bound=Callable[..., Any])
PartitionWay = Literal["rows", "values", "classes", "counts", "partitions", "clusters"]
"""How a method works on a table in partitions, each held by itself:

- rows: what becomes of a row depends on this row alone;
- values: on the row and on which values its columns have in the whole table;
- classes: on the rows that agree with it in the quasi-identifiers (or those named in `qi`);
- counts: on how many rows have each combination of quasi-identifiers;
- partitions: on the rows of its partition, drawn at random, instead of all rows;
- clusters: in a history, on the rows of the people of one cluster; clusters are made of the goods of everybody.

All but "partitions" give what they give in one process, except for what is drawn at random."""
PartitionWays = PartitionWay | Callable[[Mapping[str, Any]], PartitionWay | None] | None
Condition = bool | Callable[[Mapping[str, Any]], bool]
"""A fact about a method: always so, or depending on the parameters of a step."""
EarlyCheck = Callable[[Any, Mapping[str, Any], Collection[str] | None], None]
"""What a method can refuse before the recipe starts: from the data, the parameters of the step (every one of them, with
the defaults filled in), and the columns that are sure to reach the step with the values they have now; None if a step
before it may make anything of the data. Raises what the method itself would raise, in the same words."""

_entries: dict[tuple[Sort, DataKind, str], Entry] = {}
"""A name may stand for one function per kind of data: `link` attacks tables, and another `link` histories."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered function with all that the command line, recipes, reports and docs show of it."""

    sort: Sort
    name: str
    code: str
    function: Callable[..., Any]
    parameters: Mapping[str, Parameter]
    data: DataKind = "table"
    needs: tuple[str, ...] = ()
    """Roles that must have a column ("qi", "sa", "numeric_sa"); measures may also need the "original", the "truth", or
    the original as the "population" the release was drawn from (then an unchanged table need not be without error, nor
    even have a value).
    On histories: columns there must be ("receipt", "date", "time", "price", "number") and the table of "customers"."""
    question: Question = "origin"
    """Attacks: which original row is this released one, or is this record in the release at all?"""
    release: ReleaseKind = "rows"
    """Attacks: releases whose rows come from people, or synthetic ones, whose rows come from nobody in particular."""
    knows: str = ""
    """Attacks: what the attacker holds, completing "an attacker who knows …"."""
    supposes: str = ""
    """Attacks: what a release must be like for the attack to do its best, if that is not an unchanged one."""
    better: Literal["lower", "higher"] = "lower"
    best: str = ""
    """Measures: the attainable best, in words."""
    explicit_only: bool = False
    """Measures: made for one kind of data, so run only where it is named (in a list, a parameter, a limit)."""
    draws: Condition | None = None
    """Methods: whether it draws at random; None if it does not say. Attacks: whether every answer is drawn among the
    rows of the same class."""
    drops_rows: Condition | None = None
    """Methods: whether rows can disappear; None if it does not say."""
    secrets: tuple[str, ...] = ()
    """Methods: parameters that name a secret; whoever knows the recipe does not have it."""
    files: tuple[str, ...] = ()
    """Methods: parameters that name a file or folder; a judge takes no recipe from others that gives one."""
    least_rows: str = ""
    """Methods: the parameter that says how many rows a group must have at least."""
    makes_classes: bool = False
    """Methods: afterwards every class of the quasi-identifiers has at least `least_rows` rows."""
    breaks_classes: bool = False
    """Methods: by default it changes quasi-identifiers row by row, so that classes fall apart."""
    makes_constant: bool = False
    """Methods: afterwards the columns hold one value."""
    check: EarlyCheck | None = None
    """Methods: what can be refused before the recipe starts."""
    hint: str | Callable[[Mapping[str, Any]], str] = ""
    """Methods: a remark for everybody who uses it in a recipe; may depend on the parameters (empty: none)."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """What a parameter that is not given means, in words, by parameter."""
    in_parts: Callable[..., Any] | None = None
    """Measures and attacks: the same on tables in parts (`core.parts`), with the same parameters and answers; None if
    it needs the whole table at once."""
    in_partitions: PartitionWays = None
    """Methods: how it works on a table in partitions; may depend on the parameters; None if it does not."""

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines it runs on."""
        if self.sort == "method":
            known = ENGINES[:2] if self.data == "history" else ENGINES
            return known if self.in_partitions is not None else ENGINES[:1]
        if self.in_parts is not None:
            return ENGINES[:2] if self.data == "history" else ENGINES
        return ENGINES[:1]

    def partition_way(self, bound: Mapping[str, Any]) -> PartitionWay | None:
        """Return how a method works on a table in partitions with these parameters; None if it does not."""
        return self.in_partitions(bound) if callable(self.in_partitions) else self.in_partitions

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

    def hint_with(self, bound: Mapping[str, Any]) -> str:
        """Return the remark for whoever uses a method with these parameters; empty if there is none."""
        return self.hint(bound) if callable(self.hint) else self.hint

    def draws_with(self, bound: Mapping[str, Any]) -> bool | None:
        """Tell whether a method draws at random with these parameters; None if it does not say."""
        return self.draws(bound) if callable(self.draws) else self.draws

    def can_be_repeated(self, bound: Mapping[str, Any]) -> bool:
        """Tell whether whoever knows these parameters gets the same result: no draws, no secret."""
        return self.draws_with(bound) is False and all(bound.get(name) is None for name in self.secrets)

    def drops_rows_with(self, bound: Mapping[str, Any]) -> bool | None:
        """Tell whether rows can disappear with these parameters; None if the method does not say."""
        return self.drops_rows(bound) if callable(self.drops_rows) else self.drops_rows


def method(
    name: str,
    *,
    data: DataKind = "table",
    needs: tuple[str, ...] = (),
    draws: Condition | None = None,
    drops_rows: Condition | None = None,
    secrets: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    least_rows: str = "",
    makes_classes: bool = False,
    breaks_classes: bool = False,
    makes_constant: bool = False,
    check: EarlyCheck | None = None,
    hint: str | Callable[[Mapping[str, Any]], str] = "",
    defaults: Mapping[str, str] | None = None,
    in_partitions: PartitionWays = None,
) -> Callable[[Function], Function]:
    """Register an anonymisation method: `(data, *, rng, …) -> Dataset`, or `History` for `data="history"`.

    Args:
        name: Name in recipes, lower case with underscores.
        data: Kind of data it works on.
        needs: Roles there must be a column for, on histories columns there must be.
        draws: Whether it draws at random; may depend on the parameters.
        drops_rows: Whether rows can disappear; may depend on the parameters.
        secrets: Parameters that name a secret, which nobody has who only knows the recipe.
        files: Parameters that name a file or folder; the judge of an arena takes no recipe that gives one.
        least_rows: Parameter that says how many rows a group must have at least.
        makes_classes: Afterwards every class of the quasi-identifiers has at least `least_rows` rows.
        breaks_classes: By default it changes quasi-identifiers row by row, so that classes fall apart.
        makes_constant: Afterwards the columns hold one value.
        check: Raises, before the recipe starts, what the method itself would refuse.
        hint: A remark for everybody who uses it in a recipe; may depend on the parameters.
        defaults: What a parameter that is not given means, in words.
        in_partitions: How it works on a table in partitions; may depend on the parameters. Default: it does not.

    Returns:
        A decorator that registers the function and returns it unchanged.
    """
    return _register(
        "method",
        name,
        "",
        data=data,
        needs=needs,
        draws=draws,
        drops_rows=drops_rows,
        secrets=secrets,
        files=files,
        least_rows=least_rows,
        makes_classes=makes_classes,
        breaks_classes=breaks_classes,
        makes_constant=makes_constant,
        check=check,
        hint=hint,
        defaults=defaults or {},
        in_partitions=in_partitions,
    )


def measure(
    name: str,
    *,
    code: str = "",
    data: DataKind = "table",
    needs: tuple[str, ...] = (),
    better: Literal["lower", "higher"] = "lower",
    best: str = "0",
    explicit_only: bool = False,
    in_parts: Callable[..., float] | None = None,
) -> Callable[[Function], Function]:
    """Register a measure: `(comparison, *, …) -> float`.

    Args:
        name: Name in lists and limits, lower case with underscores.
        code: Name in the paper it comes from.
        data: Kind of data it works on.
        needs: Roles there must be a column for, and "original", "truth" or "population" if it takes them.
        better: Whether lower or higher values are better.
        best: The attainable best, in words.
        explicit_only: Run only where it is named.
        in_parts: The same measure on tables in parts (`PairedTables`), for engines other than local.

    Returns:
        A decorator that registers the function and returns it unchanged.
    """
    return _register(
        "measure",
        name,
        code,
        data=data,
        needs=needs,
        better=better,
        best=best,
        explicit_only=explicit_only,
        in_parts=in_parts,
    )


def attack(
    name: str,
    *,
    code: str = "",
    data: DataKind = "table",
    question: Question = "origin",
    release: ReleaseKind = "rows",
    needs: tuple[str, ...] = (),
    knows: str,
    supposes: str = "",
    draws: bool = False,
    in_parts: Callable[..., Any] | None = None,
) -> Callable[[Function], Function]:
    """Register an attack: `(case, *, rng, …) -> Guess`.

    Args:
        name: Name in lists, lower case with underscores.
        code: Name in the paper it comes from.
        data: Kind of data it works on.
        question: What it answers: which original row a released one is, or whether a record is in the release.
        release: Whether it is for releases whose rows come from people, or for synthetic ones.
        needs: Roles there must be a column for.
        knows: What the attacker holds, completing "an attacker who knows …".
        supposes: What a release must be like for the attack to do its best, if that is not an unchanged one.
        draws: Whether every answer is drawn among the rows of the same class.
        in_parts: The same attack on tables in parts (`PartedTables`), for engines other than local. It returns the
            same answers, row by row.

    Returns:
        A decorator that registers the function and returns it unchanged.
    """
    return _register(
        "attack",
        name,
        code,
        data=data,
        question=question,
        release=release,
        needs=needs,
        knows=knows,
        supposes=supposes,
        draws=draws,
        in_parts=in_parts,
    )


def _register(sort: Sort, name: str, code: str, **details: Any) -> Callable[[Function], Function]:
    def add(function: Function) -> Function:
        key = (sort, details.get("data", "table"), name)
        known = _entries.get(key)
        if known and known.module != function.__module__:
            raise IcefireError(f"{sort} {name!r} of {function.__module__} is registered already by {known.module}")
        _entries[key] = Entry(sort, name, code, function, parameters.parameters_of(function), **details)
        return function

    return add


@cache
def load() -> None:
    """Import every module that registers something, ours and the plug-ins'."""
    for package in ("methods", "measures", "attacks"):
        parent = importlib.import_module(f"icefire.{package}")
        for module in pkgutil.walk_packages(parent.__path__, f"icefire.{package}."):
            importlib.import_module(module.name)
    for point in entry_points(group="icefire.plugins"):
        try:
            point.load()
        except Exception as error:
            raise IcefireError(
                f"plug-in {point.name!r} ({point.value}) failed to load: {error}; repair or uninstall it"
            ) from error


def entries(sort: Sort, data: DataKind | None = None) -> list[Entry]:
    """Every entry of a sort (for one kind of data), coded ones first (S1, U1, E1 …), then by name."""
    load()
    fitting = [entry for entry in _entries.values() if entry.sort == sort and data in (None, entry.data)]
    return sorted(fitting, key=lambda entry: (not entry.code, entry.code, entry.name, entry.data != "table"))


def get(sort: Sort, name: str, data: DataKind | None = None) -> Entry:
    """Look a name or a paper's code up, first for one kind of data; an unknown one is answered with the nearest."""
    given: Any = name
    if not isinstance(given, str):
        raise ParameterError(
            f"expected the name of one of the {sort}s; got a {type(given).__name__} instead; see: icefire list {sort}s"
        )
    wanted = name.strip().lower()
    fitting = [entry for entry in entries(sort) if wanted in (entry.name.lower(), entry.code.lower() or None)]
    if fitting:
        return next((entry for entry in fitting if entry.data == data), fitting[0])
    names = [entry.name for entry in entries(sort)]
    raise UnknownNameError(f"unknown {sort} {name!r}; {did_you_mean(name, names)}; see: icefire list {sort}s")
