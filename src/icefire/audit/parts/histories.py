"""Open two histories for the engine `partitioned`, and find who is who."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.correspondence import TruthSource, as_truth, truth_by_order
from icefire.audit.name_pairs import read_name_pairs, subjects_of_pairs
from icefire.core.errors import InputError, ParameterError
from icefire.core.history import History
from icefire.core.history.fields import NEEDED, Fields, choose
from icefire.core.history.history import positions
from icefire.core.reading import Expected
from icefire.core.release import Release, Truth
from icefire.engines.raw_histories import RawHistory
from icefire.io import folder
from icefire.io.format import Format
from icefire.io.histories import MOSTLY, NAMES, read_customers
from icefire.io.read import history_options
from icefire.io.scanned_files import scanned_files
from icefire.io.tables import read_source


@dataclass(frozen=True, slots=True)
class DescribedHistory:
    """What the user said about a history: columns by meaning, the table of customers, how files are read."""

    meanings: Mapping[str, str]
    files: Mapping[str, Any]
    how: Format | None = None


@dataclass(frozen=True, slots=True)
class LargeHistories:
    """Two histories that are read in parts, and what came with them."""

    original: RawHistory
    released: RawHistory
    truth: Truth | Path | None = None
    recipe: dict[str, Any] = field(default_factory=dict)

    def find_truth(self, source: TruthSource) -> Truth:
        """Return the original subject of each released one, in the one way that was named."""
        source.check()
        known, shown = self.original.names, self.released.names
        if source.key is not None:
            return self._by_name(source.key)
        if source.aligned:
            return truth_by_order(len(known), len(shown), "subjects")
        pairs = read_name_pairs(source.truth)
        if pairs is not None:
            return subjects_of_pairs(pairs, known, shown)
        truth = self.truth if source.truth is None else source.truth
        if truth is None:
            raise ParameterError(
                "which released subject is which original one is not known; pass --truth FILE, --aligned, or "
                f"--key={self.original.fields.subject} if the names are unchanged"
            )
        return as_truth(truth).checked(len(shown), len(known))

    def _by_name(self, key: str) -> Truth:
        if key != self.original.fields.subject:
            subject = self.original.fields.subject
            raise ParameterError(f"--key is {key!r}; in a history it can only be the subject, {subject!r}")
        matches = positions(self.released.names, self.original.names)
        lost = np.flatnonzero(matches < 0)
        if len(lost):
            name = self.released.names[int(lost[0])]
            raise InputError(f"--key: {name!r} of the release is no subject of the original")
        return Truth(matches)


def described_history(original: Any, options: Mapping[str, Any]) -> DescribedHistory | None:
    """Return what was said about the history; None if the data are a table.

    Args:
        original: The original.
        options: Keywords of `read`.
    """
    if isinstance(original, History):
        return DescribedHistory(original.fields.present, {})
    described = history_options(options)
    return None if described is None else DescribedHistory(*described, options.get("how"))


def open_histories(original: Any, files: ReleaseFiles, described: DescribedHistory) -> LargeHistories:
    """Open both histories without reading the rows; text files and tables of other libraries are read whole.

    Args:
        original: The original history.
        files: The release.
        described: What was said about the columns.

    Raises:
        InputError: If a history cannot be read or used.
        SchemaError: If a column that was named does not exist.
    """
    known = _history(original) if isinstance(original, History) else raw_original(original, described)
    source, truth, recipe, customers = files.source, None, {}, files.customers
    if isinstance(source, Release):
        source, truth, recipe = source.released, source.truth, source.recipe
    elif isinstance(source, str | os.PathLike):
        given = Path(source)
        truth, recipe = folder.truth_of(given), folder.recipe(given)
        if folder.is_release(given):
            source, customers = folder.table(given), customers or folder.customers(given)
    shown = _history(source) if isinstance(source, History) else _released(source, customers, files, known)
    for side in (known, shown):
        side.check()
    return LargeHistories(known, shown, truth, recipe)


def _history(data: History) -> RawHistory:
    names = None if data.customers is None else data.names
    return RawHistory(data.frame.lazy(), data.fields, data.name, data.digest, names)


def raw_original(source: Any, described: DescribedHistory) -> RawHistory:
    """Open an original history without reading the rows; text files are read whole.

    Args:
        source: The history.
        described: What was said about its columns.
    """
    names = [column for meaning, column in described.meanings.items() if meaning in NAMES and column is not None]
    frame, name, digest = _scanned(source, described.how, Expected(names))
    fields = _readable(frame, choose(frame.collect_schema().names(), described.meanings), described.meanings)
    customers = described.files.get("customers")
    listed = None
    if customers is not None:
        listed = read_customers(customers, fields, described.files.get("customers_how"))[fields.subject]
    return RawHistory(frame, fields, name, digest, listed, bool(described.files.get("drop_unusable")))


def _released(source: Any, customers: Any, files: ReleaseFiles, known: RawHistory) -> RawHistory:
    """Open the release: its columns are called as those of the original, and some may be missing or empty."""
    names = [column for meaning, column in known.fields.present.items() if meaning in NAMES]
    frame, name, digest = _scanned(source, files.how, Expected(names, is_release=True))
    there = frame.collect_schema().names()
    optional = [column for meaning, column in known.fields.present.items() if meaning not in NEEDED and column in there]
    filled = frame.select(pl.col(optional).is_not_null().any()).collect(engine="streaming").row(0) if optional else ()
    kept = {column for column, is_filled in zip(optional, filled, strict=True) if is_filled}
    meanings = {m: column for m, column in known.fields.present.items() if m in NEEDED or column in kept}
    choose(there, {meaning: meanings[meaning] for meaning in NEEDED})
    fields = Fields(**meanings)
    listed = None if customers is None else read_customers(customers, fields, files.customers_how)[fields.subject]
    return RawHistory(frame, fields, name, digest, listed)


def _scanned(source: Any, how: Format | None, expected: Expected) -> tuple[pl.LazyFrame, str, str]:
    files = scanned_files(source)
    if files is not None:
        return files.frame, files.name, files.digest
    read = read_source(source, how, expected)
    return read.frame.lazy(), read.name, read.digest


def _readable(frame: pl.LazyFrame, fields: Fields, given: Mapping[str, str | None]) -> Fields:
    """Leave out columns that only their name made a price or a number, if most values are none."""
    dtypes = frame.collect_schema()
    lost: dict[str, Any] = {}
    for meaning in ("price", "number"):
        column = fields.present.get(meaning)
        if column is None or given.get(meaning) is not None or dtypes[column].is_numeric():
            continue
        read = pl.col(column).drop_nulls().cast(pl.Float64, strict=False).is_not_null().mean()
        share = frame.select(read).collect(engine="streaming").item()
        if not share or share < MOSTLY:
            lost[meaning] = None
    return replace(fields, **lost)
