"""The original data of a new contest: synthetic, or the organiser's own, checked by the contest's rules."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from icefire import contests, samples
from icefire.contests.custom import contest as custom
from icefire.core import roles as role_guesses
from icefire.core.errors import InputError
from icefire.io import files

SAMPLES = {"pwscup2015": "households", "pwscup2016": "shop", "pwscup2021": "survey"}
"""Which sample stands for the data of a contest."""

_CHECKED = {
    "pwscup2015": ("data", "data"),
    "pwscup2016": ("customers", "data", "customers", "data", "rows"),
    "pwscup2021": ("data", "data", "rows"),
}
"""How an original is shown to the contest's own check: as if it were released as it is."""


def write_sample(draft: Path, rules: str, rows: int | None, seed: int, number: int) -> tuple[str, str | None]:
    """Write synthetic data, others for every round; returns the names of the table and of its customers."""
    module = samples.load(SAMPLES[rules])
    reading = contests.get(rules).reading
    wanted = rows or module.DEFAULT_ROWS
    table = f"original_{number + 1}.csv"
    _write(module.chunks(wanted, seed + number), draft / table, reading["how"])
    if not hasattr(module, "customers"):
        return table, None
    people = f"people_{number + 1}.csv"
    _write(module.customers(wanted, seed + number), draft / people, reading["customers_how"])
    return table, people


def _write(pieces: Iterator[pl.DataFrame], path: Path, how: files.Format) -> None:
    with path.open("wb") as file:
        for number, piece in enumerate(pieces):
            piece.write_csv(file, include_header=how.header and number == 0)


def copy(draft: Path, rules: str, data: Path, customers: Path | None) -> tuple[str, str | None]:
    """Copy an organiser's files, if the contest's own check finds nothing wrong; returns their names there."""
    table, people = "original.csv", "people.csv" if customers else None
    if not (draft / table).exists():
        _copy(data, draft / table)
        if customers and people:
            _copy(customers, draft / people)
        if rules != custom.NAME:  # that one is checked with its definition
            _check(draft, rules, table, people)
    return table, people


def _copy(source: Path, target: Path) -> None:
    files.check_readable(source)
    if source.suffix.lower() not in (".csv", ".txt"):
        raise InputError(f"{str(source)!r} is no CSV; a competition hands its data out as CSV: convert it first")
    shutil.copyfile(source, target)


def _check(draft: Path, rules: str, table: str, people: str | None) -> None:
    scratch = draft / "rows.csv"
    scratch.write_text("".join(f"{row}\n" for row in range(50)), encoding="utf-8")
    paths = {"data": draft / table, "customers": draft / (people or table), "rows": scratch}
    problems = contests.get(rules).find_problems([paths[name] for name in _CHECKED[rules]])
    scratch.unlink()
    wrong = [p for p in problems if p.file in (table, people) and (p.row is not None or p.column is not None)]
    if wrong:
        more = f" ({len(wrong) - 1:,} more like this)" if len(wrong) > 1 else ""
        raise InputError(f"the data does not follow the rules of {rules}: {wrong[0]}{more}; correct the file")


def roles(table: Path, qi: tuple[str, ...] | None, sa: tuple[str, ...] | None) -> dict[str, tuple[str, ...]]:
    """Return the roles of an organiser's own table: as given, or guessed from its values."""
    found = role_guesses.choose(files.read_frame(table), qi, sa)
    return {"qi": tuple(found.qi), "sa": tuple(found.sa)}
