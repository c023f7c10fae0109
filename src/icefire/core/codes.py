"""Codes: values made of digits that are names, not numbers (postcodes, telephone and card numbers).

They stay text. Two tables may write them differently, for instance after one of them lost its leading zeros.
"""

from __future__ import annotations

import polars as pl

CODE = r"^(0[0-9]|[0-9]+E[0-9]+$)"
"""Numbers are not written so. 0, 0.5 and -0.1 are numbers; 00, 007 and 01.11 are codes, and so is 12E4: programs write
1.2E5, 12e4 or 1.2E+05."""
LEAST_CODE_DIGITS = 15
"""Whole numbers with so many digits are codes; beyond 2^53 decimals could not tell neighbours apart."""
LEAST_LONG_CODE: int = 10 ** (LEAST_CODE_DIGITS - 1)
LONG_CODE = rf"^[+-]?[0-9]{{{LEAST_CODE_DIGITS},}}$"


def holds_codes(name: str, dtype: pl.DataType) -> pl.Expr:
    """Tell whether a column of text, all of which reads as numbers of this type, holds a code."""
    text = pl.col(name)
    if dtype.is_integer():
        return (text.str.starts_with("0") & (text.str.len_bytes() > 1)).any()
    return text.str.contains(CODE).any()


def holds_long_codes(column: pl.Series) -> bool:
    """Tell whether a column of whole numbers holds one with at least `LEAST_CODE_DIGITS` digits."""
    if not column.dtype.is_integer() or column.null_count() == len(column):
        return False
    lowest, highest = int(column.min()), int(column.max())  # type: ignore[arg-type]
    return max(-lowest, highest) >= LEAST_LONG_CODE


def same_spelling(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return both versions of a text column with numbers written alike, where more values are equal then.

    One table may have lost the leading zeros of its codes (0123 became 123) or write 12 as 12.0.
    """
    x_values, y_values = (side.drop_nulls().unique() for side in (x, y))
    if not _written_otherwise(x_values, y_values):
        return x, y
    as_given = int(y_values.is_in(x_values.implode()).sum())
    as_numbers = int(_without_zeros(y_values).is_in(_without_zeros(x_values).unique().implode()).sum())
    return (_without_zeros(x), _without_zeros(y)) if as_numbers > as_given else (x, y)


def _written_otherwise(x: pl.Series, y: pl.Series) -> bool:
    """Tell whether exactly equal numbers could be written in two ways."""
    return any(bool(values.str.contains(r"^[+-]?0[0-9]|^[+-]?[0-9]+\.0*$").any()) for values in (x, y))


def _without_zeros(text: pl.Series) -> pl.Series:
    """Write numbers without leading zeros and without an empty fraction; other text stays."""
    return text.str.replace(r"^([+-]?)0+([0-9])", "${1}${2}").str.replace(r"^([+-]?[0-9]+)\.0*$", "${1}")
