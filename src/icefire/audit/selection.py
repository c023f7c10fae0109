"""Which measures and attacks run on these data: all that fit, or those named, which then must fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from icefire.core import registry
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, listing
from icefire.core.history import History
from icefire.core.registry import Data, Entry, Question

COLUMNS = ("qi", "sa", "numeric_sa")
FIELDS = ("receipt", "date", "time", "price", "number", "customers")


def kind(data: Dataset | History) -> Data:
    """Say what the data are, in the registry's words."""
    return "history" if isinstance(data, History) else "table"


def entries(
    sort: Literal["measure", "attack"],
    names: Sequence[str] | None,
    data: Dataset | History,
    left_out: dict[str, str],
    asks: Callable[[Entry], bool] = lambda _: True,
    question: Question = "origin",
) -> list[Entry]:
    """Look up what was named, or all that `asks` lets through; one that lacks a column is left out, with the reason."""
    if names is not None:
        named = [registry.get(sort, name) for name in names]
        for entry in named:
            check_needs(entry, data)
        return [entry for entry in named if entry.question == question]
    kept = []
    for entry in filter(asks, registry.entries(sort, kind(data))):
        if entry.question != question:
            continue
        lacking = _lacking(entry, data)
        if lacking:
            left_out[entry.name] = f"needs {_words(lacking)}"
        else:
            kept.append(entry)
    return kept


def check_needs(entry: Entry, data: Dataset | History) -> None:
    """Refuse a measure or attack that was asked for but has nothing to work on."""
    if entry.data != kind(data):
        fitting = [other.name for other in registry.entries(entry.sort, kind(data))]
        raise ParameterError(
            f"{entry.sort} {entry.name!r} is for a {entry.data}, but this is a {kind(data)}; use: {listing(fitting)}"
        )
    lacking = _lacking(entry, data)
    if lacking:
        option = lacking[-2:] if lacking in COLUMNS else lacking
        raise SchemaError(f"{entry.sort} {entry.name!r} needs {_words(lacking)}; name it with --{option}")


def _words(need: str) -> str:
    return "the table of customers" if need == "customers" else f"a {need.replace('_', ' ')} column"


def _lacking(entry: Entry, data: Dataset | History) -> str | None:
    if isinstance(data, History):
        return next((need for need in entry.needs if need in FIELDS and not data.has(need)), None)
    present = {"qi": data.qi, "sa": data.sa, "numeric_sa": data.numeric_sa}
    return next((need for need in entry.needs if need in present and not present[need]), None)
