"""What an attacker knows: columns, each exactly or blurred, of all people or of a share of them, and how it is written.

The notation: `age~2,sex,postcode!0.1,income/1000;share=0.5` is the age within 2 years, the sex, a postcode that is
wrong with a chance of 10 %, and the income rounded to thousands, of half the people.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from icefire.core import formatting
from icefire.core.errors import ParameterError

NOTATION = "age~2,sex,postcode!0.1,income/1000;share=0.5 (~ within, / rounded to, ! wrong with this chance)"
_ENTRY = re.compile(r"(?P<name>.*?)(?P<blur>([~/!][0-9.eE+-]+)*)")
_SIGNS = {"~": "tolerance", "/": "step", "!": "error"}


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """One column that is known, and how well."""

    name: str
    tolerance: float = 0.0
    """The number known lies within this distance of the true one, everywhere with the same probability."""
    step: float = 0.0
    """The number is known rounded to a multiple of this."""
    error: float = 0.0
    """Chance that the value known is wrong: that of somebody drawn at random."""

    def __post_init__(self) -> None:
        for what in ("tolerance", "step"):
            value = getattr(self, what)
            if not math.isfinite(value) or value < 0:
                raise ParameterError(f"the {what} of {self.name!r} is {value}; it must be a number of at least 0")
        if not 0 <= self.error <= 1:
            raise ParameterError(f"the chance that {self.name!r} is wrong is {self.error}; it must be 0 to 1")
        if self.tolerance and self.step:
            raise ParameterError(f"{self.name!r} is known both within {self.tolerance} and rounded; choose one of them")

    @property
    def is_exact(self) -> bool:
        """Whether the true value is known."""
        return not (self.tolerance or self.step or self.error)

    @property
    def blur(self) -> str:
        """How the value differs from the true one, in words; empty if it does not."""
        parts = []
        if self.tolerance:
            parts.append(f"within {formatting.number(self.tolerance)}")
        if self.step:
            parts.append(f"rounded to {formatting.number(self.step)}")
        if self.error:
            parts.append(f"wrong with a chance of {formatting.percent(self.error)}")
        return " and ".join(parts)

    def __str__(self) -> str:
        return self.name if self.is_exact else f"{self.name} ({self.blur})"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The columns that an attacker knows of a share of the people. As it stands: everything of everybody."""

    columns: tuple[KnownColumn, ...] | None = None
    """None for all columns, exactly."""
    share: float = 1.0
    """Share of the people who are known, drawn at random."""
    name: str = ""
    """What the attacker is called; empty for the columns in words."""
    scenario: str = ""
    """Who that may be, in words, completing "an attacker who knows …"; empty for the columns in words."""

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ParameterError(f"the share of the people known is {self.share}; it must be above 0 and at most 1")
        if self.columns is not None:
            _check_columns([column.name for column in self.columns])

    @property
    def is_everything(self) -> bool:
        """Whether all columns of everybody are known exactly."""
        return self.columns is None and self.share == 1

    @property
    def words(self) -> str:
        """What is known, completing "an attacker who knows …"."""
        if self.scenario:
            return self.scenario
        what = "all columns" if self.columns is None else _joined([str(column) for column in self.columns])
        return f"{what} of {'everybody' if self.share == 1 else f'{formatting.percent(self.share)} of the people'}"


def parse(text: str) -> Knowledge:
    """Read the notation of this module.

    Args:
        text: Columns separated by commas, then perhaps `;share=` and a number; `*` stands for all columns.

    Returns:
        The knowledge, named as it was written.

    Raises:
        ParameterError: If it is written otherwise.
    """
    listed, share = split_share(text)
    entries = [entry.strip() for entry in listed.split(",") if entry.strip()]
    if not entries:
        raise ParameterError(f"knowledge {text!r} names no column; write it as {NOTATION}")
    columns = None if entries == ["*"] else tuple(_column(entry, text) for entry in entries)
    return Knowledge(columns, 1.0 if share is None else share, text.strip())


def split_share(text: str) -> tuple[str, float | None]:
    """Separate what is known from the share of the people, which may follow it: `…;share=0.5`.

    Raises:
        ParameterError: If something else follows.
    """
    what, semicolon, setting = text.partition(";")
    if not semicolon:
        return what.strip(), None
    key, sign, value = (part.strip() for part in setting.partition("="))
    if key != "share" or not sign:
        raise ParameterError(f"knowledge {text!r}: after ; stands {setting.strip()!r}; it must be share=NUMBER")
    return what.strip(), _number(value, text)


def _column(entry: str, text: str) -> KnownColumn:
    read = _ENTRY.fullmatch(entry)
    assert read is not None
    if not read["name"]:
        raise ParameterError(f"knowledge {text!r}: {entry!r} names no column; write it as {NOTATION}")
    blur: dict[str, float] = {}
    for sign, amount in re.findall(r"([~/!])([^~/!]+)", read["blur"]):
        if _SIGNS[sign] in blur:
            raise ParameterError(f"knowledge {text!r}: {entry!r} has {sign} twice; give it once")
        blur[_SIGNS[sign]] = _number(amount, text)
        if sign == "/" and not blur["step"]:
            raise ParameterError(f"knowledge {text!r}: nothing can be rounded to multiples of 0; give a larger step")
    return KnownColumn(read["name"].strip(), **blur)


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"knowledge {text!r}: {value!r} is no number; write it as {NOTATION}") from None


def _check_columns(names: Sequence[str]) -> None:
    if not names:
        raise ParameterError("an attacker must know at least one column; name one")
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ParameterError(f"column {repeated!r} is known twice; name it once")


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
