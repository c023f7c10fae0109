"""Which original subject each released subject of a history is: by a truth file, by order, or by unchanged names."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from icefire.audit import correspondence
from icefire.audit.correspondence import Named
from icefire.core.errors import InputError, ParameterError
from icefire.core.history import History
from icefire.core.history.history import positions
from icefire.core.release import Release, Truth
from icefire.io import folder
from icefire.io.files import Format
from icefire.io.histories import read


@dataclass(frozen=True, slots=True)
class Opened:
    """A released history as it was given, with what came along."""

    history: History
    truth: Truth | Path | None = None
    recipe: dict[str, Any] = field(default_factory=dict)


def open_history(
    source: Any,
    original: History,
    how: Format | None = None,
    customers: Any = None,
    customers_how: Format | None = None,
) -> Opened:
    """Open a released file, a release folder, a frame or a `Release`; columns are called as in the original.

    A truth beside it is not read.
    """
    if isinstance(source, Release):
        return Opened(source.released, source.truth, source.recipe)
    if isinstance(source, History):
        return Opened(source)
    meanings = dict(original.fields.present)
    if not isinstance(source, str | os.PathLike):
        return Opened(read(source, meanings, customers=customers, customers_how=customers_how, how=how))
    given = Path(source)
    path = folder.table(given)
    if given.is_dir():
        how = customers_how = None
        customers = customers or folder.customers(given)
    made = read(path, meanings, customers=customers, customers_how=customers_how, how=how)
    secret = given / folder.TRUTH if given.is_dir() and (given / folder.TRUTH).exists() else None
    return Opened(made, secret, folder.recipe(given))


def find(original: History, made: Opened, named: Named) -> Truth:
    """Establish the correspondence in the one way that was named."""
    named.check()
    truth = named.truth if named.truth is not None else None if named.aligned or named.key else made.truth
    if truth is not None:
        return correspondence.as_truth(truth).checked(made.history.subjects, original.subjects)
    if named.key is not None:
        return _by_name(original, made.history, named.key)
    if named.aligned:
        return _by_order(original, made.history)
    raise ParameterError(
        "which released subject is which original one is not known; pass --truth FILE, --aligned, or "
        f"--key {original.fields.subject} if the names are unchanged"
    )


def describe(made: Opened, named: Named) -> str:
    """Say in words how subjects were matched."""
    if named.key is not None:
        return "by name: the release calls the subjects as the original does"
    if named.aligned:
        return "by order: both files have the same subjects in the same order"
    return "by the truth kept with the release" if named.truth is None else "by a truth file"


def _by_order(original: History, released: History) -> Truth:
    if original.subjects != released.subjects:
        raise InputError(
            f"--aligned: the original has {original.subjects:,} subjects, the release {released.subjects:,}; "
            "they can only be matched by order when there are as many: pass --truth or --key"
        )
    return Truth(np.arange(released.subjects, dtype=np.int64))


def _by_name(original: History, released: History, key: str) -> Truth:
    if key != original.fields.subject:
        raise ParameterError(f"--key is {key!r}; in a history it can only be the subject, {original.fields.subject!r}")
    found = positions(released.names, original.names)
    lost = np.flatnonzero(found < 0)
    if len(lost):
        raise InputError(f"--key: {released.names[int(lost[0])]!r} of the release is no subject of the original")
    return Truth(found)
