"""The records asked about and the released rows, encoded alike for comparison."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core import align, blocks, record_loss
from icefire.core.dataset import Dataset
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Columns
from icefire.core.release import ValueScale, standardised
from icefire.kernels.records import loss
from icefire.kernels.records.loss import Records
from icefire.kernels.types import Int

ANSWERS = 3
"""Rows an attacker may name for each record."""


def encode_records(
    case: MembershipCase, numbers: Columns = None, categories: Columns = None, scale: ValueScale = "raw"
) -> tuple[Records, Records]:
    """Lay out both tables over the columns named; a column named as one kind is not taken for the other as well.

    Default: the numbers and categories among the quasi-identifiers and sensitive attributes.
    """
    return case.cached(("records", numbers, categories, scale), lambda: _encode(case, numbers, categories, scale))


def _encode(case: MembershipCase, numbers: Columns, categories: Columns, scale: ValueScale) -> tuple[Records, Records]:
    known, shown = case.records, case.released
    usual = _usual_columns(known, shown)
    amounts = known.schema.pick(numbers, [name for name in usual[0] if name not in (categories or ())], "numbers")
    classes = known.schema.pick(categories, [name for name in usual[1] if name not in amounts], "categories")
    x, y = known.matrix(amounts), shown.matrix(amounts)
    if scale == "standard" and len(y):
        y, x = standardised(y, x)
    codes = [_codes(known.frame[name], shown.frame[name]) for name in classes]
    both = np.stack(codes, axis=1) if codes else np.zeros((len(x) + len(y), 0), np.int64)
    # One-hot encoding leaves a number as it is: yes and no are then one apart, not two.
    flags = [known.frame[name].dtype.is_numeric() for name in classes]
    left, right = loss.encode_records([(x, both[: len(x)]), (y, both[len(x) :])], flags)
    return left, right


def _usual_columns(known: Dataset, shown: Dataset) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numbers and categories compared by default; numbers released as labels, such as 30-39, are categories.

    Columns that the release lacks are left out.
    """
    numbers, categories = record_loss.columns(known)
    shared = [name for name in (*numbers, *categories) if name in shown.frame.columns]
    plain = tuple(n for n in shared if n in numbers and all(t.frame[n].dtype.is_numeric() for t in (known, shown)))
    return plain, tuple(name for name in shared if name not in plain)


def _codes(x: pl.Series, y: pl.Series) -> Int:
    """Number the values of a column of both tables, x before y; missing is a value."""
    if x.dtype != y.dtype:
        x, y = align.as_text(x), align.as_text(y)
    coded = blocks.encode_jointly(x, y)
    codes: Int = coded.values.astype(np.int64) - coded.lowest
    return codes
