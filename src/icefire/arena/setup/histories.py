"""A history of the organiser's own: its files lose their header, whose names go into the contest's table."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from icefire import contests
from icefire.contests.common.game import ORIGINAL, ORIGINAL_CUSTOMERS
from icefire.contests.custom import contest as custom
from icefire.contests.pwscup2016 import UTILITIES
from icefire.core import registry
from icefire.core.errors import InputError, ParameterError

FIELDS = ("subject", "item", "receipt", "date", "time", "price", "number")


def describe(draft: Path, tables: Iterable[tuple[str, str]], fields: Mapping[str, str]) -> dict[str, Any]:
    """Take the headers off the files of every round, and return the table of the contest that they make.

    Args:
        draft: The folder with the files.
        tables: Names of the purchases and of the customers, of every round.
        fields: Which column is what.

    Returns:
        The entries of `[custom]`.
    """
    pairs = list(dict.fromkeys(tables))
    headers = [(_take_header(draft / rows), _take_header(draft / people)) for rows, people in pairs]
    for (rows, _), header in zip(pairs, headers, strict=True):
        if header != headers[0]:
            raise InputError(f"{rows} and its customers have other columns than {pairs[0][0]}; give all the same")
    columns, customer_columns = headers[0]
    entries = {
        "asks": "customers",
        "header": False,
        "columns": columns,
        "customer_columns": customer_columns,
        **fields,
        "utilities": [name for name in UTILITIES if _has_needs(name, fields)],
    }
    for rows, people in pairs:
        _check(draft / rows, draft / people, entries)
    return entries


def _has_needs(measure: str, fields: Mapping[str, str]) -> bool:
    return all(need in fields for need in registry.get("measure", measure).needs if need in FIELDS)


def _take_header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    header = rows[0] if rows else []
    if len(set(header)) < len(header) or not all(name.strip() for name in header):
        raise InputError(f"{path.name} has no header with a name for each column; write one as its first line")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows[1:])
    return header


def _check(rows: Path, people: Path, entries: Mapping[str, Any]) -> None:
    contest = contests.get_or_build(custom.NAME, entries)
    with tempfile.TemporaryDirectory(prefix="icefire-original-") as place:
        shutil.copyfile(rows, Path(place) / ORIGINAL)
        shutil.copyfile(people, Path(place) / ORIGINAL_CUSTOMERS)
        problems = contest.play().original_problems(Path(place))
    if problems:
        raise InputError(f"the data cannot be played: {problems[0]}; correct the file")


def check_fields(fields: Mapping[str, str], customers: Sequence[Path], is_custom: bool) -> None:
    """Refuse columns of a history where there is none, and a history whose columns are not named."""
    if fields and not is_custom:
        raise ParameterError("--subject, --item and the like describe a history of your own (--rules custom)")
    if is_custom and bool(customers) != bool({"subject", "item"} <= set(fields)):
        raise ParameterError(
            "a history of your own takes --data, --customers, --subject and --item, and where there are such columns "
            "--date, --time, --price, --number and --receipt; a table takes --data, --qi and --sa"
        )
