"""Write numbers for people: shares, intervals, counts, the same in the terminal and on the page.

The words among them are in the current language.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from icefire.words import t

NOISE = 1e-12
"""Smaller than this is rounding left over from arithmetic on floats, and shown as 0."""


def percent(share: float) -> str:
    """Write a share as a percentage; one that is not 0 or 1 is never rounded to 0 or 100 %."""
    scaled = 100 * share
    if not math.isfinite(scaled):
        return t("numbers.not_known")
    return t("numbers.percent", value=_percentage(share))


def _percentage(share: float) -> str:
    scaled = 100 * share
    if abs(scaled) < NOISE:
        return "0.0"
    digits = 1 if abs(share) >= 0.001 else 3
    is_whole = abs(abs(scaled) - 100) < NOISE  # sums of weights miss 1 in the last digit
    while digits < 12 and not is_whole and abs(float(f"{scaled:.{digits}f}")) in (0, 100):
        digits += 1
    return f"{scaled:.{digits}f}"


def interval(ends: tuple[float, float]) -> str:
    """Write a range of shares."""
    return t("numbers.range", low=percent(ends[0]), high=percent(ends[1]))


def short_interval(ends: tuple[float, float]) -> str:
    """Write a range of shares in little space; negative ends stand apart from the sign between them."""
    if min(ends) < 0:
        return interval(ends)
    low = _percentage(ends[0]) if math.isfinite(ends[0]) else t("numbers.not_known")
    return f"{low}–{percent(ends[1])}"


def number_interval(ends: tuple[float, float]) -> str:
    """Write a range of numbers between 0 and 1, such as an AUC, with three decimals."""
    return f"{ends[0]:.3f}–{ends[1]:.3f}"


def points(gain: float) -> str:
    """Write a difference of two shares in percentage points, with its sign."""
    scaled = 100 * gain
    if abs(scaled) < NOISE:
        return "0.0"
    digits = next((digits for digits in range(1, 12) if round(scaled, digits)), 12)
    return f"{scaled:+.{digits}f}"


def number(value: float | None, digits: int = 4) -> str:
    """Write a number with four significant digits, never fewer than its whole part has, and separators."""
    if value is None or not math.isfinite(value):
        return t("numbers.not_known")
    if abs(value) < NOISE:
        return "0"
    if not 1e-6 <= abs(value) < 1e15:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(value: int) -> str:
    """Write a whole number with separators."""
    return f"{value:,}"


def counted(value: int, unit: str, units: str | None = None) -> str:
    """Write a number with what is counted: 1 row, 2 rows, 1 person, 2 people."""
    return f"{value:,} {unit if value == 1 else units or f'{unit}s'}"


def seconds(value: float) -> str:
    """Write a time in seconds."""
    if value < 0.01:
        return "< 0.01"
    return f"{value:,.2f}" if value < 10 else f"{value:,.0f}"


def beside(value: float | None, limit: float, share: bool) -> tuple[str, str]:
    """Write a value and its limit with enough digits to tell them apart."""
    for digits in range(12):
        texts = _with_digits(value, digits, share), _with_digits(limit, digits, share)
        if texts[0] != texts[1] or value == limit:
            break
    return texts


def _with_digits(value: float | None, more: int, share: bool) -> str:
    if value is None or not share:
        return number(value, 4 + more)
    return t("numbers.percent", value=_short_percentage(value, 2 + more))


def _short_percentage(share: float, decimals: int) -> str:
    """Write a percentage with so many decimals, more where two digits would not be left, without zeros at the end."""
    scaled = 100 * share
    if abs(scaled) < NOISE or not math.isfinite(scaled):
        return number(scaled)
    decimals = max(decimals, 1 - math.floor(math.log10(abs(scaled))))
    while decimals < 12 and abs(abs(scaled) - 100) >= NOISE and abs(round(scaled, decimals)) == 100:
        decimals += 1
    return f"{scaled:,.{decimals}f}".rstrip("0").rstrip(".")


def size_range(low: int, high: int | None) -> str:
    """Write a range of sizes: 1, 3–4, 1,000 or more."""
    if high is None:
        return t("numbers.at_least", low=low)
    return f"{low:,}" if high == low else f"{low:,}–{high:,}"


def plain(value: Any, none: str | None = None) -> str:
    """Write a cell of a table or a parameter as it is: a code or a year takes no separators."""
    if value is None:
        return t("numbers.missing") if none is None else none
    if isinstance(value, bool):
        return t("numbers.yes") if value else t("numbers.no")
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list | tuple):
        return ", ".join(plain(item, none) for item in value) or t("numbers.none")
    if isinstance(value, dict):
        return ", ".join(f"{name}: {plain(item, none)}" for name, item in value.items())
    return str(value)


def bits(value: float) -> str:
    """Write an amount of information with one digit; less than none, where a column misleads, is none."""
    return f"{max(0.0, value):.1f}"


def spoken_list(names: Sequence[str], most: int = 6) -> str:
    """List names as in a sentence: a, b and c; of many only the first."""
    if len(names) > most:
        return t("numbers.other_columns", names=t("numbers.comma").join(names[:most]), n=len(names) - most)
    if len(names) < 2:
        return "".join(names)
    return t("numbers.last_of_list", before=t("numbers.comma").join(names[:-1]), last=names[-1])
