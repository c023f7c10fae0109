"""Fields: which column of a history holds the subject, the item, the date and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from icefire.core.errors import SchemaError, did_you_mean, listing
from icefire.core.schema import SchemaFile

NEEDED = ("subject", "item")
USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "receipt": ("receipt", "invoice", "invoiceno", "invoice_no", "order", "order_id", "basket", "transaction"),
    "date": ("date", "invoicedate", "invoice_date", "day", "timestamp", "datetime"),
    "time": ("time",),
    "price": ("price", "unitprice", "unit_price"),
    "number": ("number", "quantity", "count", "units"),
}
"""Names by which an optional column is recognised when it is not named, in lower case."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The column for each meaning; None where the file has none."""

    subject: str
    item: str
    receipt: str | None = None
    date: str | None = None
    time: str | None = None
    price: str | None = None
    number: str | None = None

    @property
    def present(self) -> dict[str, str]:
        """Columns by meaning, without the absent ones."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {meaning: column for meaning, column in named.items() if column is not None}


MEANINGS = tuple(field.name for field in fields(Fields))


def choose(columns: Sequence[str], given: Mapping[str, str | None]) -> Fields:
    """Take the columns that were named, and recognise the optional others by their usual names."""
    named = {meaning: column for meaning, column in given.items() if column is not None}
    for meaning in NEEDED:
        if meaning not in named:
            raise SchemaError(f"a history needs a {meaning} column; name it with --{meaning}, from: {listing(columns)}")
    for meaning, column in named.items():
        if column not in columns:
            raise SchemaError(f"--{meaning}: no column {column!r} in the table; {did_you_mean(column, columns)}")
    for meaning, usual in USUAL_NAMES.items():
        if meaning not in named:
            free = [column for column in columns if column not in named.values() and column.lower() in usual]
            named |= {meaning: free[0]} if free else {}
    _check_distinct(named)
    return Fields(**named)


def _check_distinct(named: Mapping[str, str]) -> None:
    for meaning, column in named.items():
        other = next((m for m, c in named.items() if c == column and m != meaning), None)
        if other:
            raise SchemaError(f"column {column!r} is both {other} and {meaning}; name another one for each")


def from_file(file: SchemaFile) -> dict[str, Any]:
    """Take from a schema file columns by meaning and, with `customers`, the customer table beside it."""
    given, path = dict(file.entries), file.path
    allowed = (*MEANINGS, "customers")
    for key, value in given.items():
        if key not in allowed:
            raise SchemaError(f"schema file {path.name!r}: unknown entry {key!r}; {did_you_mean(key, allowed)}")
        if not isinstance(value, str):
            raise SchemaError(f"schema file {path.name!r}: {key} must be the name of a column, got {value!r}")
    if "customers" in given:
        given["customers"] = path.parent / given["customers"]
    return given
