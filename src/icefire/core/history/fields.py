"""Fields: which column of a history holds the subject, the item, the date and so on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from icefire.core.errors import SchemaError, did_you_mean, listing
from icefire.core.schema import SchemaFile

NEEDED = ("subject", "item")
USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "receipt": (
        "receipt",
        "invoice",
        "invoiceno",
        "order",
        "basket",
        "transaction",
        "レシート番号",
        "伝票番号",
        "注文番号",
    ),
    "date": ("date", "day", "invoicedate", "timestamp", "datetime", "日付", "日時", "購入日", "購入日時", "年月日"),
    "time": ("time", "時刻"),
    "price": ("price", "unitprice", "単価", "価格"),
    "number": ("number", "quantity", "qty", "count", "units", "数量", "個数"),
}
"""The last word of the names by which an optional column is recognised when it is not named, in lower case."""
NUMBERS = ("id", "no", "number")
"""Words that may follow the name of a receipt."""
OTHER_DATES = ("birth", "born")
"""Words of names that are dates of people, not of purchases."""
WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")


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
            free = [column for column in columns if column not in named.values() and _means(column, meaning, usual)]
            named |= {meaning: free[0]} if free else {}
    _check_distinct(named)
    return Fields(**named)


def _means(column: str, meaning: str, usual: Sequence[str]) -> bool:
    """Tell whether a column is called as columns of a meaning usually are: `visit_date`, `InvoiceNo`."""
    words = [word.lower() for word in WORDS.findall(column)]
    if meaning == "receipt" and len(words) > 1 and words[-1] in NUMBERS:
        words.pop()
    elif (meaning == "receipt" and len(words) > 1) or set(words) & set(OTHER_DATES):
        return False
    # A column "telephone number" is no number of pieces, one "line count" is.
    if meaning == "number" and len(words) > 1 and words[-1] == "number":
        return False
    return bool(words) and words[-1] in usual


def _check_distinct(named: Mapping[str, str]) -> None:
    for meaning, column in named.items():
        other = next((m for m, c in named.items() if c == column and m != meaning), None)
        if other:
            raise SchemaError(f"column {column!r} is both {other} and {meaning}; name another one for each")


def from_file(file: SchemaFile) -> dict[str, Any]:
    """Take from a schema file columns by meaning and, with `customers`, the customer table beside it."""
    given, path = dict(file.entries), file.path
    allowed = (*MEANINGS, "customers", "date_order")
    for key, value in given.items():
        if key not in allowed:
            raise SchemaError(f"schema file {path.name!r}: unknown entry {key!r}; {did_you_mean(key, allowed)}")
        if not isinstance(value, str):
            raise SchemaError(f"schema file {path.name!r}: {key} must be the name of a column, got {value!r}")
    if "customers" in given:
        given["customers"] = path.parent / given["customers"]
    return given
