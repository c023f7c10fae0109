"""What a released label says of the value behind it: 30-39, [30, 40[, <18, 85+, 2020-Q2, 1990s, 13**, {a, b}, *."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date

from icefire.core.bands import ABOVE, BRACKETS, SIDE, SPAN
from icefire.hierarchy.core import TOP

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")
_DECADE = re.compile(r"(\d{3})0s")
_WEEK = re.compile(r"(\d{4})-W(\d{2})")


@dataclass(frozen=True, slots=True)
class Between:
    """Numbers from low to high, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Begins:
    """Text that begins with one of these; a `word` must end there: Married covers Married-civ, not Marriedly."""

    texts: tuple[str, ...]
    word: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """Text that a regular expression describes as a whole."""

    pattern: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """What any of the parts says."""

    parts: tuple[LabelMeaning, ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """Every value, missing ones included."""


LabelMeaning = Between | Begins | Matches | OneOf | Anything


def read(label: str) -> LabelMeaning:
    """Read a label; text in no known form is a word."""
    text = label.strip()
    if text and not text.strip(TOP):
        return Anything()
    if len(text) > 2 and text[0] == "{" and text[-1] == "}":
        return OneOf(tuple(read(part) for part in text[1:-1].split(",")))
    return interval(text) or _date(text) or (_masked(text) if TOP in text else Begins((text,), word=True))


def interval(text: str) -> Between | None:
    """Read an interval of numbers, or return None. Between whole numbers, 20-24 reaches up to 25."""
    if match := SPAN.fullmatch(text):
        low, high = map(float, match.groups())
        reach = high + 1 if low.is_integer() and high.is_integer() else math.nextafter(high, math.inf)
        return _between(low, math.nextafter(reach, -math.inf))
    if match := BRACKETS.fullmatch(text):
        low, high = float(match[2]), float(match[3])
        return _between(
            low if match[1] == "[" else math.nextafter(low, math.inf),
            high if match[4] == "]" else math.nextafter(high, -math.inf),
        )
    if match := ABOVE.fullmatch(text):
        return Between(float(match[1]), math.inf)
    if match := SIDE.fullmatch(text):
        return _beyond(match[1], float(match[2]))
    return None


def _between(low: float, high: float) -> Between | None:
    """No interval runs backwards: 2020-05 is a month."""
    return Between(low, high) if low <= high else None


def _beyond(sign: str, limit: float) -> Between:
    if sign in ("<", "<=", "≤"):
        return Between(-math.inf, math.nextafter(limit, -math.inf) if sign == "<" else limit)
    return Between(math.nextafter(limit, math.inf) if sign == ">" else limit, math.inf)


def _date(text: str) -> Begins | None:
    if _DAY.fullmatch(text):
        return Begins((text,))
    if match := _QUARTER.fullmatch(text):
        last = 3 * int(match[2])
        return Begins(tuple(f"{match[1]}-{month:02}" for month in range(last - 2, last + 1)), word=True)
    if match := _DECADE.fullmatch(text):
        return Begins((match[1],))
    if match := _WEEK.fullmatch(text):
        return _days_of_week(int(match[1]), int(match[2]))
    return None


def _days_of_week(year: int, week: int) -> Begins | None:
    try:
        return Begins(tuple(date.fromisocalendar(year, week, day).isoformat() for day in range(1, 8)))
    except ValueError:
        return None


def _masked(text: str) -> Begins | Matches:
    """One * stands for any text, several for one character each."""
    shown = text.rstrip(TOP)
    if text.count(TOP) == 1:
        if text.endswith(TOP):
            return Begins((shown,))
        return Matches(re.escape(text).replace(re.escape(TOP), ".*"))
    return Matches(re.escape(text).replace(re.escape(TOP), "."))
