"""How bands of numbers are written in a release: 30-39, [30, 40[, <18, 85+."""

from __future__ import annotations

import re

import polars as pl

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
SPAN = re.compile(rf"({NUMBER})\s*(?:-|–|\.\.+|…|to)\s*({NUMBER})")
BRACKETS = re.compile(rf"([\[\](])\s*({NUMBER})\s*[,;]\s*({NUMBER})\s*([\])\[])")
SIDE = re.compile(rf"(<=|<|≤|>=|>|≥)\s*({NUMBER})")
ABOVE = re.compile(rf"({NUMBER})\s*\+")


def are_numbers_and_bands(column: pl.Series) -> bool:
    """Return whether every value of a text column is a number or a band of numbers."""
    forms = "|".join(form.pattern for form in (SPAN, BRACKETS, SIDE, ABOVE))
    written = column.drop_nulls().unique().str.strip_chars()
    return bool(written.str.contains(rf"^(?:{NUMBER}|{forms})$").all())
