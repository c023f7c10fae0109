"""The keywords of `read`, which every verb that reads data takes too: types, defaults and descriptions, once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict, TypeVar

from icefire.core.errors import ParameterError, did_you_mean
from icefire.core.option_names import LISTS

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from icefire.core.dataset import Dataset
    from icefire.core.history import History
    from icefire.core.history.date_order import DateOrder
    from icefire.core.schema import Schema
    from icefire.io.format import Format

Function = TypeVar("Function", bound=Callable[..., Any])


class ArrowTable(Protocol):
    """A table of another library that can be handed over without a copy: pandas, pyarrow, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the table as an Arrow stream."""


DataSource: TypeAlias = (
    "str | os.PathLike[str] | pl.DataFrame | pl.LazyFrame | Dataset | History | ArrowTable | Mapping[str, Any]"
)
"""Where data come from: a path, a table of polars, pandas or Arrow, or data that were read already."""


class ReadOptions(TypedDict, total=False):
    """What the columns of the data mean and how their files are to be read."""

    qi: str | Sequence[str] | None
    sa: str | Sequence[str] | None
    ids: str | Sequence[str]
    schema: str | Path | Schema | None
    infer_roles: bool
    weight: str | None
    household: str | None
    how: Format | None
    subject: str | None
    item: str | None
    receipt: str | None
    date: str | None
    time: str | None
    price: str | None
    number: str | None
    customers: DataSource | None
    customers_how: Format | None
    drop_unusable: bool | None
    date_order: DateOrder | None


DESCRIPTIONS = {
    "qi": "Quasi-identifiers: columns that somebody may know about a person; one name, or several.",
    "sa": "Sensitive attributes; one name, or several.",
    "ids": "Direct identifiers, one name or several; they are never compared.",
    "schema": "TOML file, or `Schema`, that gives the roles instead of `qi`, `sa` and `ids`.",
    "infer_roles": "Use roles inferred from the names and values of the columns where none are given.",
    "weight": "Column that says how many people of the population a row stands for.",
    "household": "Column that names the household of a person.",
    "how": "How to read text files: header, column names, delimiter, words for missing values.",
    "subject": "Histories: column that names the person of each row. With it and `item` the data are a history.",
    "item": "Histories: column that names what was bought.",
    "receipt": "Histories: column of the receipt.",
    "date": "Histories: column of the date.",
    "time": "Histories: column of the time of day.",
    "price": "Histories: column of the price of one piece.",
    "number": "Histories: column of the number of pieces.",
    "customers": "Histories: table with one row per person.",
    "customers_how": "Histories: how to read the table of customers.",
    "drop_unusable": "Histories: leave out and count rows that cannot be used, instead of refusing them.",
    "date_order": "Histories: what comes first in dates that end with the year, `day` or `month`, where the column "
    "does not tell.",
}
DEFAULTS: dict[str, Any] = {"ids": (), "infer_roles": False}


def takes_read_options(function: Function) -> Function:
    """Show the keywords of `ReadOptions` in the signature and the docstring of a function that has `**reading`.

    Where the function takes several names, one name alone may be given: `qi="age"`. A keyword that it does not have is
    refused with the nearest one that it has.

    Args:
        function: A function whose last parameter is `**reading: Unpack[ReadOptions]`.

    Returns:
        The function; `help()` and completion show its real parameters.
    """
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    hints = ReadOptions.__annotations__
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=DEFAULTS.get(name),
            annotation=getattr(hints[name], "__forward_arg__", hints[name]),
        )
        for name in DESCRIPTIONS
        if name not in signature.parameters
    ]
    known = [p.name for p in (*own, *added)]

    @wraps(function)
    def checked(*data: Any, **given: Any) -> Any:
        unknown = next((name for name in given if name not in known), None)
        if unknown is not None:
            raise ParameterError(f"{checked.__name__} has no keyword {unknown!r}; {did_you_mean(unknown, known)}")
        return function(*data, **{name: _several(name, value) for name, value in given.items()})

    checked.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    lines = "".join(f"        {p.name}: {DESCRIPTIONS[p.name]}\n" for p in added)
    before, section, after = (function.__doc__ or "").partition("\n    Returns:\n")
    checked.__doc__ = before + lines + section + after
    return checked  # type: ignore[return-value]


def _several(name: str, value: Any) -> Any:
    """Return one name as a list of one, where a keyword takes several names."""
    return [value] if name in LISTS and isinstance(value, str) else value
