"""Recode the original as the release was recoded, so that 34 is found in "30-39"."""

from __future__ import annotations

import polars as pl

from icefire.core.release import Comparison


def recode_original(comparison: Comparison) -> tuple[pl.DataFrame, list[str]]:
    """Return the original with those quasi-identifiers recoded that the release recodes by a fixed rule; and which.

    A rule is seen from the rows that correspond: each original value always became the same released one. A value no
    released row comes from stays as it is. Noise, swapping and recoding by region follow no such rule.
    """
    known, recoded = comparison.original.frame, []
    for name in comparison.original.qi:
        if _is_unchanged(comparison, name):
            continue
        before, after = comparison.original.frame[name][comparison.truth.rows], comparison.released.frame[name]
        rule = None if before.equals(after, null_equal=True) else _rule(before, after)
        if rule is not None:
            known = known.with_columns(_applied(known[name], rule))
            recoded.append(name)
    return known, recoded


def _is_unchanged(comparison: Comparison, name: str) -> bool:
    """Tell whether every released cell is that of its origin, where that is seen without rows laid side by side."""
    text, rows = comparison.case.coded_text(name), comparison.truth.rows
    if text is not None:
        return not text.changed(rows).any()
    x, y = comparison.original.frame[name], comparison.released.frame[name]
    if x.dtype != y.dtype or not x.dtype.is_integer() or x.null_count() + y.null_count():
        return False
    return bool((x.rechunk().to_numpy()[rows] == y.rechunk().to_numpy()).all())


def _rule(before: pl.Series, after: pl.Series) -> pl.DataFrame | None:
    pairs = pl.DataFrame({"before": before, "after": after}).unique()
    # Where values hardly repeat, any pairs of values would look like a rule; but not if all became one label.
    plain = 2 * pairs.height <= len(before) or (len(before) > 1 and after.n_unique() == 1)
    fixed = plain and pairs.height == pairs["before"].n_unique()
    return pairs.with_columns(ruled=True) if fixed else None


def _applied(column: pl.Series, rule: pl.DataFrame) -> pl.Series:
    matches = (
        column.alias("before").to_frame().join(rule, on="before", how="left", nulls_equal=True, maintain_order="left")
    )
    chosen = pl.when(pl.col("ruled").is_not_null()).then("after").otherwise("before")
    return matches.select(chosen.alias(column.name)).to_series()
