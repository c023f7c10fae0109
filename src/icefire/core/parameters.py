"""Parameters of registered functions, read from their signatures: name, type, default, bounds."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from icefire.core.errors import ParameterError, did_you_mean, nearest

Columns = tuple[str, ...] | None
"""A list of column names, or None for the default the docstring names."""
Groups = dict[str, tuple[str, ...]] | None
"""Names of groups, each with its values: a table in TOML."""


Numbers = tuple[float, ...] | None
"""Numbers: a list in TOML, or text with commas between them."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Smallest and largest value a number may take, both included. Written in an Annotated type."""

    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"at least {self.low:g}"
        return f"at most {self.high:g}" if math.isinf(self.low) else f"{self.low:g} to {self.high:g}"


Share = Annotated[float, Bounds(0, 1)]
"""A fraction between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One keyword of a registered function."""

    name: str
    type: type
    default: Any
    choices: tuple[str, ...] = ()
    bounds: Bounds | None = None
    optional: bool = False
    many: bool = False

    @property
    def allowed(self) -> str:
        """Say in words what the parameter takes."""
        if self.choices:
            text = "one of " + ", ".join(self.choices)
        elif self.type is dict:
            text = 'a table of groups, each with its values: {beverage = ["coffee", "tea"]}'
        elif self.many and self.type is float:
            text = "numbers: a list, or text with commas between them"
        elif self.many:
            text = "column names, comma-separated (empty for none)"
        else:
            text = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[self.type]
            text += f", {self.bounds}" if self.bounds else ""
        return text + (" or none" if self.optional and not self.is_names else "")

    @property
    def is_names(self) -> bool:
        """Tell whether it takes names of columns."""
        return self.many and self.type is str

    def take(self, value: Any, owner: str) -> Any:
        """Return the value as the function wants it, or raise naming the value and what is allowed."""
        try:
            taken = self._convert(value)
        except (TypeError, ValueError):
            raise ParameterError(self._refusal(value, owner)) from None
        if self.bounds and taken is not None and not self.bounds.low <= taken <= self.bounds.high:
            raise ParameterError(self._refusal(value, owner))
        return taken

    def _refusal(self, value: Any, owner: str) -> str:
        close = nearest(value, self.choices) if isinstance(value, str) else None
        meant = f"; did you mean {close!r}?" if close else ""
        return f"{owner}: parameter {self.name!r} got {value!r}; it takes {self.allowed}{meant}"

    def _convert(self, value: Any) -> Any:
        if self.is_names and value is not None:
            names = value.split(",") if isinstance(value, str) else list(value)
            return tuple(str(name).strip() for name in names if str(name).strip())
        if self.optional and (value is None or value in ("", "none")):
            return None
        if self.many:
            return _numbers(value)
        if self.type is dict:
            return _groups(value)
        if self.choices:
            if value not in self.choices:
                raise ValueError
            return value
        return _number(value, self.type) if self.type is not str else _text(value)


_WORDS = {"true": True, "yes": True, "false": False, "no": False}


def _number(value: Any, wanted: type) -> Any:
    if wanted is bool:
        word = str(value).lower()
        if word not in _WORDS:
            raise ValueError
        return _WORDS[word]
    if isinstance(value, bool):
        raise TypeError
    number = float(value)
    if not math.isfinite(number) or (wanted is int and number != int(number)):
        raise ValueError
    return wanted(number)


def _numbers(value: Any) -> tuple[float, ...]:
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
    if not parts:
        raise ValueError
    numbers = [_number(part, float) for part in parts]
    return tuple(int(number) if number.is_integer() else number for number in numbers)


def _text(value: Any) -> str:
    if not isinstance(value, str | int | float):
        raise TypeError
    return str(value)


def _groups(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, Mapping) or not value:
        raise TypeError
    if any(not isinstance(members, list | tuple) or not members for members in value.values()):
        raise TypeError
    return {str(name): tuple(_text(member) for member in members) for name, members in value.items()}


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Read the keyword-only parameters of a function, in order."""
    hints = get_type_hints(function, include_extras=True)
    keywords = (p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY)
    return {p.name: _describe(p.name, hints[p.name], p.default) for p in keywords if p.name != "rng"}


def _describe(name: str, hint: Any, default: Any) -> Parameter:
    bounds = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        bounds = next((note for note in notes if isinstance(note, Bounds)), None)
    if get_origin(hint) in (Union, types.UnionType):
        inner = [part for part in get_args(hint) if part is not type(None)]
        part = _describe(name, inner[0], default)
        return Parameter(name, part.type, default, part.choices, bounds or part.bounds, True, part.many)
    if get_origin(hint) is Literal:
        return Parameter(name, str, default, get_args(hint), bounds)
    if get_origin(hint) is dict:
        return Parameter(name, dict, default)
    if get_origin(hint) is tuple:
        return Parameter(name, get_args(hint)[0], default, many=True)
    if hint not in (bool, int, float, str):
        raise TypeError(
            f"parameter {name!r}: type {hint!r} is not one of bool, int, float, str, Literal, Columns, Numbers, Groups"
        )
    return Parameter(name, hint, default, bounds=bounds)


def bind(owner: str, known: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Check what was given against the signature and fill in the defaults."""
    for name in given:
        if name not in known:
            raise ParameterError(f"{owner} has no parameter {name!r}; {did_you_mean(name, known)}")
    bound = {}
    for name, parameter in known.items():
        if name in given:
            bound[name] = parameter.take(given[name], owner)
        elif parameter.default is inspect.Parameter.empty:
            raise ParameterError(f"{owner} needs the parameter {name!r}: {parameter.allowed}")
        else:
            bound[name] = parameter.default
    return bound
