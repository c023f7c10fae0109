"""Numbers written or computed otherwise by a rule that needs no key: words, numerals, digits in reversed order, sines.

Whoever has the original numbers applies the rule to them all and looks the results up. A rule with a secret constant
is undone only where all constants can be tried: those of an exclusive or, not those of a secret factor and modulus.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl

from icefire.core.dataset import numbers
from icefire.kernels.types import Bool, Float, Int

ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
LARGEST = 10**12
"""Larger numbers are not written in words."""
ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
)
MOST_ROMAN = 4000
JAPANESE_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")
EXACT = 2.0**53
DECIMALS = 12
FUNCTIONS: tuple[Callable[[Float], Float], ...] = (np.sin, np.cos, np.tan)
UNCHANGED = 0.2
"""Share of the released numbers that may be original ones by coincidence."""
DENSE = 0.2
"""Share of the whole numbers of a range from which on values are in it by coincidence."""
PROBES, ALL_BUT_FEW = 20, 0.95
"""Released values that a constant is tried on, and the share of all that must be values of the original then."""


def numeral_codes() -> list[Callable[[str], str]]:
    """Return the ways to write a whole number, each in lower case; other values are written as an empty text."""
    forms = (english_words, _roman, _japanese, _of_base("x"), _of_base("b"), _of_base("o"))
    return [_of_whole_numbers(form) for form in forms]


def without_joints(words: pl.Series) -> pl.Series:
    """Return number words without hyphens, commas and "and"."""
    return words.str.replace_all(r"[-,\s]+|\band\b", " ").str.replace_all(r"\s+", " ").str.strip_chars()


def english_words(number: int) -> str:
    """Write a whole number in English words, without hyphens and "and"."""
    if number < 0:
        return f"minus {english_words(-number)}"
    if number < len(ONES):
        return ONES[number]
    if number < SCALES[-1][0]:
        tens, ones = divmod(number, 10)
        return TENS[tens] + (f" {ONES[ones]}" if ones else "")
    size, word = next(scale for scale in SCALES if scale[0] <= number)
    many, rest = divmod(number, size)
    return f"{english_words(many)} {word}" + (f" {english_words(rest)}" if rest else "")


def computed(x: Float, y: Float) -> Float | None:
    """Return released numbers as those of the original if a rule without key turns these into them; otherwise None.

    Args:
        x: Different original numbers.
        y: Released numbers; NaN where one is missing.
    """
    shown = y[~np.isnan(y)]
    if len(x) < PROBES or len(shown) < PROBES:
        return None
    decimals = _decimals(shown)
    for function in FUNCTIONS if len(x) <= DENSE * 10.0**decimals else ():
        looked_up = _looked_up(np.round(function(x), decimals), x, np.round(y, decimals))
        if looked_up is not None:
            return looked_up
    whole = np.abs(x).max() < EXACT and not (x % 1).any() and x.min() >= 0
    if not whole or np.abs(shown).max() >= EXACT or (shown % 1).any() or shown.min() < 0:
        return None
    backwards = np.array([int(str(int(value))[::-1]) for value in x.tolist()], float)
    looked_up = _looked_up(backwards, x, y)
    return looked_up if looked_up is not None else _without_constant(x.astype(np.int64), y)


def decoded_numbers(x: pl.Series, y: pl.Series) -> pl.Series | None:
    """Return a released column of numbers as original numbers, if a rule without key explains it."""
    if not (x.dtype.is_numeric() and y.dtype.is_numeric()):
        return None
    known = np.unique(numbers(x.drop_nulls().unique()))
    if len(y) and _share_of_known(known, y) > UNCHANGED:
        return None
    shown = numbers(y)
    values = computed(known[np.isfinite(known)], shown)
    if values is None:
        return None
    column = pl.Series(y.name, values).fill_nan(None)
    return column.cast(x.dtype) if x.dtype.is_integer() else column


def _share_of_known(known: Float, y: pl.Series) -> float:
    """Return which share of all released values are among some numbers."""
    values = pl.Series(known).drop_nans()
    return float(y.cast(pl.Float64).is_in(values.implode()).sum()) / len(y)


def _decimals(values: Float) -> int:
    """Return how many decimals numbers were rounded to, at most `DECIMALS`."""
    fitting = (k for k in range(2, DECIMALS) if np.abs(np.round(values, k) - values).max() < 1e-13)
    return next(fitting, DECIMALS)


def _looked_up(codes: Float, x: Float, y: Float) -> Float | None:
    """Return the original number of every released code; None where too many are missing, or stand for several."""
    order = np.argsort(codes, kind="stable")
    place = np.minimum(np.searchsorted(codes[order], y), len(codes) - 1)
    equal = np.isclose(codes[order][place], y, rtol=0.0, atol=10.0**-DECIMALS)
    if equal.sum() < ALL_BUT_FEW * (~np.isnan(y)).sum() or len(np.unique(codes)) < len(codes) / 2:
        return None
    return np.where(equal, x[order][place], np.nan)


def _without_constant(x: Int, y: Float) -> Float | None:
    """Return released whole numbers without the constant of an exclusive or; None where no constant explains them."""
    if len(x) > DENSE * (x.max() - x.min() + 1):
        return None
    x, shown = np.sort(x), y[~np.isnan(y)].astype(np.int64)
    constants = x ^ shown[0]
    for other in shown[1:PROBES]:
        constants = constants[_is_in(x, constants ^ other)]
    for constant in constants[constants != 0].tolist():
        if _is_in(x, shown ^ constant).mean() >= ALL_BUT_FEW:
            values = np.where(np.isnan(y), 0, y).astype(np.int64) ^ constant
            return np.where(np.isnan(y), np.nan, values.astype(float))
    return None


def _is_in(ascending: Int, values: Int) -> Bool:
    """Tell which values are among ascending ones."""
    present: Bool = ascending[np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)] == values
    return present


def _of_whole_numbers(form: Callable[[int], str]) -> Callable[[str], str]:
    def written(value: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return ""
        return form(int(number)) if math.isfinite(number) and number % 1 == 0 and abs(number) < LARGEST else ""

    return written


def _roman(number: int) -> str:
    if not 0 < number < MOST_ROMAN:
        return ""
    letters = ""
    for size, sign in ROMAN:
        many, number = divmod(number, size)
        letters += many * sign
    return letters


def _japanese(number: int) -> str:
    return str(number).translate(JAPANESE_DIGITS)


def _of_base(sign: str) -> Callable[[int], str]:
    return lambda number: format(number, sign)
