"""Why somebody is recognised: the columns, or the goods, that speak for the right person, and how each of them fits.

What a column says for a person is taken from the joint attack `link`, where its answer about them is right.
Otherwise it is counted how few people fit the released value as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from msgspec.structs import replace

from icefire.core import align
from icefire.core.answer_evidence import AnswerEvidence
from icefire.core.coded_text import CodedPair
from icefire.core.dataset import numbers
from icefire.core.formatting import plain
from icefire.core.history import HistoryComparison
from icefire.core.release import Comparison, Guess, Truth
from icefire.core.scorecard.people import PersonReason
from icefire.hierarchy.coverage import coverage
from icefire.kernels.types import Bool, Float, Int

COLUMNS_NAMED = 4
LEAST_BITS = 1.0
"""A column that gives a person away makes the right answer at least twice as likely."""
LABELS_READ = 512
"""Labels are read in columns of at most so many values."""
NEAR = 0.25
"""A number is near the person's own if it differs by at most this share of it."""
DAY = 86_400.0


def reasons_in_table(
    comparison: Comparison, guesses: Mapping[str, Guess], rows: Int, names: Sequence[str]
) -> list[list[PersonReason]]:
    """Say for released rows which columns give them away.

    Args:
        comparison: The two tables and the truth.
        guesses: The answers of the attacks by name.
        rows: The released rows.
        names: Columns to look at.

    Returns:
        For each row at most four columns, the most telling first.
    """
    known, shown = comparison.original.frame, comparison.released.frame
    names = [name for name in names if name in known.columns and name in shown.columns]
    if not names or not len(rows):
        return [[] for _ in rows]
    owners = comparison.truth.rows[rows]
    fits = np.stack([_share_who_fit(comparison, name, rows, owners) for name in names], axis=1)
    bits = -np.log2(fits)
    evidence, right = _evidence(guesses, comparison.truth, rows)
    if evidence is not None:
        columns = {name: place for place, name in enumerate(evidence.columns)}
        for place, name in enumerate(names):
            learned = evidence.bits[rows, columns[name]] if name in columns else 0.0
            bits[:, place] = np.where(right, learned, bits[:, place])
    order = np.argsort(-bits, axis=1, kind="stable")[:, :COLUMNS_NAMED]
    return [
        [
            _reason(known[names[place]], shown[names[place]], (owner, row), bits[at, place], fits[at, place])
            for place in best
            if bits[at, place] >= LEAST_BITS
        ]
        for at, (row, owner, best) in enumerate(zip(rows.tolist(), owners.tolist(), order.tolist(), strict=True))
    ]


def reasons_in_history(
    comparison: HistoryComparison, guesses: Mapping[str, Guess], rows: Int
) -> list[list[PersonReason]]:
    """Say for released subjects which goods, and which other columns, give them away.

    Args:
        comparison: The two histories and the truth.
        guesses: The answers of the attacks by name.
        rows: The released subjects.

    Returns:
        For each subject the goods that tell most, then further columns; nothing where the joint attack is wrong.
    """
    evidence, right = _evidence(guesses, comparison.truth, rows)
    if evidence is None:
        return [[] for _ in rows]
    item = comparison.original.fields.item
    goods = [
        [PersonReason(item, "good", round(g.bits, 2), g.good, agrees=list(g.agrees)) for g in evidence.goods[row]]
        for row in rows.tolist()
    ]
    profile = [] if comparison.original.customers is None else comparison.original.customers.columns
    others = [
        place
        for place, name in enumerate(evidence.columns)
        if name != item and name in (*profile, *_receipt(comparison))
    ]
    reasons = []
    for at, row in enumerate(rows.tolist()):
        equal = [
            PersonReason(evidence.columns[place], "equal", round(float(evidence.bits[row, place]), 2))
            for place in others
            if evidence.bits[row, place] >= LEAST_BITS
        ]
        every = sorted((*goods[at], *equal), key=lambda reason: -reason.bits)
        reasons.append(every[:COLUMNS_NAMED] if right[at] else [])
    return reasons


def _receipt(comparison: HistoryComparison) -> list[str]:
    receipt = comparison.original.fields.receipt
    return [] if receipt is None else [receipt]


def _evidence(guesses: Mapping[str, Guess], truth: Truth, rows: Int) -> tuple[AnswerEvidence | None, Bool]:
    """Return the evidence of the joint attack, and for which of the rows its answer is right."""
    link = guesses.get("link")
    if link is None or link.evidence is None:
        return None, np.zeros(len(rows), np.bool_)
    right: Bool = link.first[rows] == truth.rows[rows]
    return link.evidence, right


def _reason(x: pl.Series, y: pl.Series, pair: tuple[int, int], bits: float, fits: float) -> PersonReason:
    """Describe how the released value of one column fits the person's own."""
    own, released = x[pair[0]], y[pair[1]]
    reason = PersonReason(x.name, "moved", round(float(bits), 2), plain(released), fits=float(fits))
    if own == released or plain(own) == plain(released):
        return replace(reason, agreement="equal")
    if x.dtype.is_temporal() and y.dtype.is_temporal() and own is not None and released is not None:
        gap = abs((y.cast(pl.Datetime)[pair[1]] - x.cast(pl.Datetime)[pair[0]]).total_seconds())
        return replace(reason, agreement="days", difference=gap / DAY)
    if x.dtype.is_numeric() and y.dtype.is_numeric() and own is not None and released is not None:
        difference = abs(float(released) - float(own)) / abs(float(own)) if own else None
        near = difference is not None and difference <= NEAR
        return replace(reason, agreement="near" if near else "moved", difference=difference)
    return replace(reason, agreement="covered" if fits < 1 else "moved")


def _share_who_fit(comparison: Comparison, name: str, rows: Int, owners: Int) -> Float:
    """Share of people who fit the values of released rows at least as well as their own people do."""
    x, y, text = comparison.original.frame[name], comparison.released.frame[name], comparison.case.coded_text(name)
    if text is not None and len(x) >= len(y) and text.is_covered:
        return _share_equal(text, rows, owners)
    if x.dtype.is_numeric() and y.dtype.is_numeric():
        return _share_as_near(numbers(x), numbers(y)[rows], numbers(x)[owners])
    return _share_covered(align.as_text(x), align.as_text(y), rows, owners)


def _share_as_near(everybody: Float, shown: Float, own: Float) -> Float:
    known = np.sort(everybody[~np.isnan(everybody)])
    far = np.abs(shown - own)
    inside = np.searchsorted(known, shown + far, "right") - np.searchsorted(known, shown - far, "left")
    return np.where(np.isnan(far), 1.0, np.maximum(inside, 1) / max(len(known), 1))


def _share_equal(text: CodedPair, rows: Int, owners: Int) -> Float:
    """Share of people with the value of a released row, where each may simply be what it is."""
    values, missing = text.shown.codes[rows], len(text.values)
    fits = (text.known.codes[owners] == values) & (values != missing)
    return np.where(fits, text.known.counts[values] / len(text.known.codes), 1.0)


def _share_covered(x: pl.Series, y: pl.Series, rows: Int, owners: Int) -> Float:
    """Share of people whose value the released label covers; 1 where it does not cover the person's own."""
    few = max(x.n_unique(), y.n_unique()) <= LABELS_READ
    read = coverage(x, y) if few else None
    shares = np.ones(len(rows))
    for place, (row, owner) in enumerate(zip(rows.tolist(), owners.tolist(), strict=True)):
        fits: Bool
        if read is None or not len(read.low):
            # A missing value fits nobody; polars would not compare text with it.
            fits = np.zeros(len(x), np.bool_) if y[row] is None else (x == y[row]).fill_null(False).to_numpy()
        else:
            fits = read.covers(np.full(len(x), read.labels[row]), read.places)
        if fits[owner]:
            shares[place] = fits.mean()
    return shares
