"""Numbers that became text: some cells hold a word or a sign, or all have a unit or a decimal comma."""

from __future__ import annotations

import polars as pl

from icefire.core import align

AFFIX = r"[\p{L}\p{Sc}%°.\s]*"
WRITTEN = rf"^{AFFIX}?(-?\d+(?:[.,]\d+)?){AFFIX}$"
"""One number with words or signs of currency about it. Masks and intervals (3*, 30-39, <5) are labels, no numbers."""
ALMOST_ALL, MOST = 0.9, 0.5
"""Shares of the released values that are numbers. The smaller one is enough where few of them are original values."""
GROUPED = r"^([^\d]*\d{1,3})(?:[,.'’\s]\d{3})+([^\d]*)$"
SEPARATOR = r"(\d)[,.'’\s](\d)"
THOUSAND = 1000
"""Digits are grouped by threes where the original has numbers as large as this."""
FEWEST = 12
"""Labels have fewer different numbers than this."""


def as_numbers(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series] | None:
    """Return text that is numbers in both tables as numbers: codes may be near each other, whatever they stand for.

    Released values that are no numbers are missing then.

    Args:
        x: A column of the original, as text.
        y: The same column of the release, as text.

    Returns:
        Both as numbers; None where they are no numbers, or different texts would be one number.
    """
    a, b = align.as_numbers(x), align.as_numbers(y)
    if a is None or a.n_unique() < x.n_unique():
        return None
    if b is None:
        b = _written_numbers(x, _without_groups(y) if float(a.max() or 0) >= THOUSAND else y)  # type: ignore[arg-type]
    if b is None or b.drop_nulls().n_unique() < y.filter(b.is_not_null()).n_unique():
        return None
    return a, b


def _without_groups(y: pl.Series) -> pl.Series:
    """Return numbers without the signs between groups of three digits (12,345), if every sign stands between such."""
    plain = y.str.strip_chars()
    separated = plain.str.contains(SEPARATOR)
    if not separated.any() or bool((separated & ~plain.str.contains(GROUPED)).any()):
        return y
    return plain.str.replace_all(SEPARATOR, "$1$2")


def _written_numbers(x: pl.Series, y: pl.Series) -> pl.Series | None:
    """Return the numbers that stand in released text; None where it rather consists of labels."""
    plain = y.str.strip_chars()
    written = plain.str.extract(WRITTEN).str.replace(",", ".", literal=True)
    read = plain.cast(pl.Float64, strict=False).fill_null(written.cast(pl.Float64, strict=False))
    said = int((plain.is_not_null() & (plain != align.SUPPRESSED)).sum())
    if read.n_unique() <= FEWEST or read.count() < MOST * said:
        return None
    kept = int((read.is_not_null() & y.is_in(x.unique().implode())).sum())
    return read if read.count() >= ALMOST_ALL * said or kept < MOST * read.count() else None
