"""The verb `fingerprint`: which methods made a release."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import polars as pl
from numpy.typing import ArrayLike

from icefire._version import DEFAULT_SEED
from icefire.audit.correspondence import LoadedRelease, TruthSource
from icefire.audit.fingerprint import matching, row_signs
from icefire.audit.fingerprint.matching import LearnedMatching, RowMatching
from icefire.audit.fingerprint.methods import PERMUTE_INDEX
from icefire.audit.fingerprint.pairs import TablePair, pair_tables
from icefire.audit.fingerprint.recognise import nothing_recognised, recognise, with_plain_classes
from icefire.audit.fingerprint.result import Fingerprint, MethodProbability, Trace
from icefire.audit.fingerprint.signs import signs_of_release
from icefire.audit.fingerprint.trees import trained_model
from icefire.audit.obstacles import contradiction
from icefire.audit.tables import TableAdapter
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.release import Comparison, Release, Truth
from icefire.core.types import Progress, no_progress
from icefire.io import folder
from icefire.io.given_roles import read_for_use
from icefire.io.options import DataSource, ReadOptions, takes_read_options
from icefire.io.tables import read_frame, read_source

FALSE_CLAIM, PLAUSIBLE_CLAIM = 0.98, 0.02
FEW_ROWS = 100
NOTHING_CHANGED = "No method is recognised: either nothing was changed, or no trace of it is left."


@takes_read_options
def fingerprint(
    original: DataSource,
    released: DataSource | Release[Any],
    *,
    truth: str | Path | ArrayLike | Truth | None = None,
    aligned: bool = False,
    key: str | None = None,
    seed: int = DEFAULT_SEED,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> Fingerprint:
    """Tell which methods made a release, each with a probability and its evidence.

    The two tables are enough: which original row a released row comes from is learned. Whoever knows it, as a judge
    does, gives it by `truth`, `aligned` or `key`; a release folder and a `Release` bring their own truth.

    Args:
        original: The original table.
        released: The released table: a file, a release folder, a table, or a `Release`.
        truth: For each released row the original row it comes from: a file or integers.
        aligned: Both files are in the same order.
        key: Column that names the person in both files.
        seed: Seed of the draws with which rows are matched.
        progress: Called with the name of each stage.

    Returns:
        The probability and the evidence of every method that is recognised, the likeliest first.

    Raises:
        InputError: If a file cannot be read, the data are a history, no column is in both tables, or one of them has
            fewer than two rows.
        ParameterError: If more than one way to match rows is given.
    """
    progress("reading")
    source = TruthSource(truth, aligned, key)
    data = read_for_use(original, key=key, **reading)
    if data.kind != "table":
        raise InputError("fingerprint recognises methods for tables; the data are a history: audit it instead")
    opened = _open(released, data, reading.get("how"))
    return fingerprint_of_tables(data, opened, source, seed, progress)


@dataclass(frozen=True)
class OpenedTable:
    """A released table as it was given."""

    frame: pl.DataFrame
    name: str
    truth: Truth | Path | None = None


def _open(released: Any, original: Dataset, how: Any) -> OpenedTable:
    if isinstance(released, Release):
        if released.released.kind != "table":
            raise InputError("fingerprint recognises methods for tables; the release is a history: audit it instead")
        return OpenedTable(released.released.frame, "released", released.truth)
    if isinstance(released, Dataset):
        return OpenedTable(released.frame, released.name)
    if not isinstance(released, str | os.PathLike):
        return OpenedTable(read_frame(released, how, original.expected), "released")
    path, truth = Path(released), None
    if folder.is_release(path):
        released, truth, how = folder.table(path), folder.truth_of(path), None
    read_table = read_source(released, how, original.expected)
    return OpenedTable(read_table.frame, read_table.name, truth)


def learned_matching(original: Dataset, opened: OpenedTable, seed: int) -> LearnedMatching:
    """Match rows by the joint attack."""
    pair = pair_tables(original, opened.frame, opened.name)
    rows = matching.rows_to_compare(opened.frame, [column.name for column in pair.qi], seed)
    return matching.learned(original, opened.frame, [column.name for column in pair.columns], rows, seed)


def fingerprint_of_tables(
    original: Dataset,
    opened: OpenedTable,
    source: TruthSource,
    seed: int,
    progress: Progress = no_progress,
    learned: LearnedMatching | None = None,
) -> Fingerprint:
    """Match rows unless that was done before, compute the figures, and recognise methods."""
    truth = _truth(original, opened, source)
    pair = pair_tables(original, opened.frame, opened.name)
    names = [column.name for column in pair.columns]
    if learned is None:
        progress("matching rows")
        learned = learned_matching(original, opened, seed)
    rows = learned.asked
    claim = None if truth is None else _claim(original, opened, truth, names, learned, seed)
    trusted = truth is not None and claim is not None and not claim.recognised
    matched = matching.by_truth(truth.rows, rows) if truth is not None and trusted else learned.rows
    progress("recognising methods")
    if row_signs.holds_the_original_rows(pair):
        answers = nothing_recognised()
    else:
        answers = with_plain_classes(recognise(signs_of_release(pair, matched), trained_model()), pair)
    if claim is not None:
        answers = sorted([*answers, claim], key=lambda answer: -answer.probability)
    return Fingerprint(
        original.name,
        opened.name,
        original.height,
        opened.frame.height,
        len(matched.y),
        _compared_by(trusted, truth is not None),
        names,
        list(pair.left_out),
        answers,
        _notes(pair, matched, answers),
    )


def _truth(original: Dataset, opened: OpenedTable, source: TruthSource) -> Truth | None:
    given = source.truth is not None or source.aligned or source.key is not None
    if not given and opened.truth is None:
        return None
    shown = Dataset(opened.frame, original.schema, opened.name)
    release = LoadedRelease(original, shown, opened.frame, original, opened.truth)
    return TableAdapter().truth(original, release, source)


def _claim(
    original: Dataset, opened: OpenedTable, truth: Truth, names: Sequence[str], learned: LearnedMatching, seed: int
) -> MethodProbability:
    """Tell whether the claimed correspondence is false."""
    chosen = learned.asked
    case = matching.case_of(original, opened.frame[chosen], names)
    guesses = {} if learned.guess is None else {"link": learned.guess}
    reasons = contradiction.false_correspondence(Comparison(case, Truth(truth.rows[chosen])), guesses, seed)
    traces = [Trace("claimed_rows", reason.text, None, 1.0) for reason in reasons]
    probability = FALSE_CLAIM if reasons else PLAUSIBLE_CLAIM
    method = PERMUTE_INDEX
    return MethodProbability(method.name, method.traces, list(method.covers), probability, bool(reasons), traces)


def _compared_by(trusted: bool, given: bool) -> str:
    if trusted:
        return "the truth"
    return "learned from both tables; the correspondence given is false" if given else "learned from both tables"


def _notes(pair: TablePair, matched: RowMatching, answers: Sequence[MethodProbability]) -> list[str]:
    notes = []
    if not any(answer.recognised for answer in answers):
        notes.append(NOTHING_CHANGED)
    if pair.left_out:
        notes.append(f"Left out or empty in the release: {', '.join(pair.left_out)}.")
    if pair.released < FEW_ROWS:
        notes.append(f"Only {pair.released} rows: traces of methods are few, and probabilities less certain.")
    if not pair.qi:
        notes.append("No quasi-identifier is known: methods that work in classes of them are hard to see. Give --qi.")
    if len(matched.y) < pair.released:
        notes.append(f"{len(matched.y):,} of {pair.released:,} released rows were compared with an original row.")
    return notes
