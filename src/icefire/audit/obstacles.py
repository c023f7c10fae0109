"""Obstacles: what stands in the way of a release whatever the limits say, each with its evidence.

They are found on what is published and on the claimed correspondence: identifiers, columns that no attack looked at,
rows published verbatim, and a correspondence that cannot be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from icefire.core import align, blocks, formatting
from icefire.core.dataset import Dataset
from icefire.core.errors import listing
from icefire.core.release import Comparison, Guess, Truth
from icefire.core.schema import Role
from icefire.core.scorecard import Reason
from icefire.core.scorecard.risks import SafeHarbour
from icefire.kernels.types import Bool, Int

DIRECT = frozenset("ADEFGHIJKLMNOPQR")
"""Rules of the HIPAA safe harbour that name direct identifiers; B and C are places and dates."""
OWN_VALUES = 0.01
"""A column identifies people if more than this share of the released rows hold the person's own value."""
SURE = 0.9
"""An answer of the joint attack with at least this probability is one it is sure of."""
CONTRADICTED = 0.5
"""The correspondence is doubted where fewer of the sure answers than this agree with it."""
LEAST_SURE = 0.05
"""So many of the released rows must have a sure answer for that."""
ABOVE_CHANCE = 0.05
"""Rows that have this share of cells more in common with their claimed origin than with anybody may come from it."""


def identifiers(original: Dataset, published: pl.DataFrame, truth: Truth, harbour: SafeHarbour | None) -> list[Reason]:
    """Find identifiers in the release: columns declared so, unique text, and columns that look like a HIPAA identifier.

    A column that is in the original counts only where it still holds people's own values; pseudonyms do not.
    """
    declared = [name for name in original.schema.named(Role.ID) if name in published.columns]
    suspected = [] if harbour is None else [match.column for match in harbour.found if match.paragraph in DIRECT]
    unique = [name for name in published.columns if name in original.frame.columns and _unique_text(published[name])]
    reasons = []
    for name in dict.fromkeys([*declared, *suspected, *unique]):
        own = _own_share(original.frame, published, truth, name) if name in original.frame.columns else 1.0
        if own > OWN_VALUES:
            what = "is declared an identifier" if name in declared else "looks like an identifier"
            text = f"Column {name!r} {what} and is in the release."
            reasons.append(Reason("identifier", text, {"column": name, "own_values": own}))
    return reasons


def _unique_text(column: pl.Series) -> bool:
    return column.dtype == pl.String and len(column) > 1 and column.drop_nulls().n_unique() == len(column)


def _own_share(original: pl.DataFrame, published: pl.DataFrame, truth: Truth, name: str) -> float:
    known = align.as_text(original[name]).gather(truth.rows)
    return int((known == align.as_text(published[name])).sum()) / max(len(known), 1)


def unassessed_columns(original: Dataset, published: pl.DataFrame, assessed: Iterable[str]) -> list[Reason]:
    """Find released columns that tell people apart but took part in no attack."""
    seen = {*assessed, *original.schema.named(Role.ID)}
    names = [name for name in published.columns if name not in seen and published[name].n_unique() > 1]
    if not names:
        return []
    new = [name for name in names if name not in original.frame.columns]
    text = f"No attack looked at {listing(names)}; what they give away is not known."
    return [Reason("not_assessed", text, {"columns": names, "new_columns": new})]


def compared_columns(comparison: Comparison) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the columns that both tables have, identifiers excepted, as text where their types differ."""
    x, y = comparison.original.frame, comparison.released.frame
    hidden = comparison.original.schema.named(Role.ID)
    names = [name for name in y.columns if name in x.columns and name not in hidden]
    pairs = [_same_type(x[name], y[name]) for name in names]
    return pl.DataFrame([one for one, _ in pairs]), pl.DataFrame([other for _, other in pairs])


def _same_type(one: pl.Series, other: pl.Series) -> tuple[pl.Series, pl.Series]:
    return (one, other) if one.dtype == other.dtype else (align.as_text(one), align.as_text(other))


def verbatim_rows(comparison: Comparison) -> tuple[Bool, Int]:
    """Tell for each released row whether it equals exactly one original row in all columns, and which."""
    x, y = compared_columns(comparison)
    if not x.columns:
        return np.zeros(len(comparison.truth), np.bool_), np.full(len(comparison.truth), -1)
    candidates = blocks.blocks_of_tables(x, y, x.columns).candidates
    single: Bool = candidates.sizes == 1
    rows = np.where(single, candidates.rows[np.minimum(candidates.start, len(candidates.rows) - 1)], -1)
    return single, rows


def verbatim(comparison: Comparison, limit: float) -> list[Reason]:
    """Refuse a release that publishes more rows verbatim than may be identified."""
    single, _ = verbatim_rows(comparison)
    share = float(single.mean())
    if share <= limit:
        return []
    text = (
        f"{int(single.sum()):,} of {len(single):,} released rows ({formatting.percent(share)}) are published verbatim: "
        "each equals exactly one original row in every column."
    )
    return [Reason("verbatim", text, {"rows": int(single.sum()), "share": share, "limit": limit})]


def false_correspondence(comparison: Comparison, guesses: Mapping[str, Guess], seed: int) -> list[Reason]:
    """Doubt a correspondence that contradicts answers which cannot be wrong.

    Answers are sure where a row is published verbatim, or where the joint attack gives them a high probability. If
    most of the sure answers name somebody else, and the rows have no more in common with their claimed origins than
    with anybody, the claim is false. Values that were swapped, averaged or changed by noise still have something in
    common with their origin.
    """
    sure, rows = verbatim_rows(comparison)
    link = guesses.get("link")
    if link is not None and link.probability is not None:
        by_link = ~sure & (link.probability >= SURE) & (link.first >= 0)
        rows, sure = np.where(by_link, link.first, rows), sure | by_link
    wrong = sure & (rows != comparison.truth.rows)
    if sure.mean() < LEAST_SURE or wrong.sum() <= CONTRADICTED * sure.sum():
        return []
    claimed = _cells_in_common(comparison, np.flatnonzero(wrong), comparison.truth.rows[wrong])
    strangers = np.random.default_rng(seed).permutation(comparison.truth.rows[wrong])
    if claimed > _cells_in_common(comparison, np.flatnonzero(wrong), strangers) + ABOVE_CHANCE:
        return []
    text = (
        f"The claimed correspondence cannot be right: {int(wrong.sum()):,} of {int(sure.sum()):,} rows whose origin is "
        "plain belong to other people than claimed. Check --aligned, --key or the truth file."
    )
    return [Reason("correspondence", text, {"rows": int(wrong.sum()), "plain": int(sure.sum())})]


def _cells_in_common(comparison: Comparison, released: Int, originals: Int) -> float:
    """Mean share of cells that released rows and original rows have in common."""
    x, y = compared_columns(comparison)
    equal = [int(x[name].gather(originals).eq_missing(y[name].gather(released)).sum()) for name in y.columns]
    return sum(equal) / max(len(released) * len(equal), 1)
