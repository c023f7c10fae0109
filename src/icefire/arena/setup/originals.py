"""The original data of a new contest: synthetic, or the organiser's own, checked by the contest's rules."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from icefire import contests
from icefire.contests.common.game import ORIGINAL, ORIGINAL_CUSTOMERS
from icefire.contests.custom import contest as custom
from icefire.core import roles as role_guesses
from icefire.core.errors import InputError
from icefire.io import files
from icefire.io.tables import read_frame


def write_sample(draft: Path, rules: str, rows: int | None, seed: int, number: int) -> tuple[str, str | None]:
    """Write synthetic data, others for every round; returns the names of the table and of its customers."""
    contest = contests.get(rules)
    table, people = f"original_{number + 1}.csv", f"people_{number + 1}.csv"
    contest.write_sample(draft / table, draft / people, rows, seed + number)
    return table, people if contest.data == "history" else None


def copy(
    draft: Path, rules: str, data: Path, customers: Path | None, number: int | None = None
) -> tuple[str, str | None]:
    """Copy an organiser's files, if the contest's own check finds nothing wrong; returns their names there.

    `number` is that of the round, where each has files of its own.
    """
    table = ORIGINAL if number is None else f"original_{number}.csv"
    people = None if customers is None else ORIGINAL_CUSTOMERS if number is None else f"people_{number}.csv"
    if not (draft / table).exists():
        _copy(data, draft / table)
        if customers and people:
            _copy(customers, draft / people)
        if rules != custom.NAME:  # that one is checked with its definition
            _check({ORIGINAL: draft / table, **({ORIGINAL_CUSTOMERS: draft / people} if people else {})}, rules)
    return table, people


def _copy(source: Path, target: Path) -> None:
    files.check_readable(source)
    if source.suffix.lower() not in (".csv", ".txt"):
        raise InputError(f"{str(source)!r} is no CSV; a competition hands its data out as CSV: convert it first")
    shutil.copyfile(source, target)


def _check(given: Mapping[str, Path], rules: str) -> None:
    with tempfile.TemporaryDirectory(prefix="icefire-original-") as place:
        for name, path in given.items():
            shutil.copyfile(path, Path(place) / name)
        problems = contests.get(rules).play().original_problems(Path(place))
    if problems:
        more = f" ({len(problems) - 1:,} more like this)" if len(problems) > 1 else ""
        raise InputError(f"the data does not follow the rules of {rules}: {problems[0]}{more}; correct the file")


def roles(
    folder: Path, tables: Sequence[str], qi: tuple[str, ...] | None, sa: tuple[str, ...] | None
) -> dict[str, tuple[str, ...]]:
    """Return the entries about an organiser's own tables: roles, as given or guessed from the first one's values, and
    which measures count in the ranking where one of the usual ones has no value on these data."""
    chosen = role_guesses.choose(read_frame(folder / tables[0]), qi, sa)
    entries = {"qi": tuple(chosen.qi), "sa": tuple(chosen.sa)}
    counting = [custom.utilities_with_value(entries, folder / name) for name in dict.fromkeys(tables)]
    some = [names for names in counting if names is not None]
    return (
        {**entries, "utilities": tuple(one for one in some[0] if all(one in names for names in some))}
        if some
        else entries
    )
