"""Read "outcome ~ a + b + C(c)": what is explained, and by which columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from icefire.core.errors import ParameterError, SchemaError, did_you_mean

INTERCEPT = "Intercept"
AS_CATEGORY = re.compile(r"C\((.*)\)")


@dataclass(frozen=True, slots=True)
class Formula:
    """The outcome, the columns that explain it, and which of these are categories although they hold numbers."""

    outcome: str
    columns: tuple[str, ...]
    categories: frozenset[str] = frozenset()

    def __str__(self) -> str:
        terms = (f"C({name})" if name in self.categories else name for name in self.columns)
        return f"{self.outcome} ~ {' + '.join(terms)}"


def parse(text: str, known: Sequence[str]) -> Formula:
    """Read a formula over the columns known; text is a category, and C(name) makes numbers one."""
    left, sign, right = text.partition("~")
    terms = [term.strip() for term in right.split("+")]
    if not sign or not left.strip() or not all(terms):
        raise ParameterError(f"the formula {text!r} cannot be read; write outcome ~ column + column + C(column)")
    matches = [AS_CATEGORY.fullmatch(term) for term in terms]
    names = [match[1].strip() if match else term for match, term in zip(matches, terms, strict=True)]
    _check([left.strip(), *names], known, text)
    return Formula(
        left.strip(), tuple(names), frozenset(name for match, name in zip(matches, names, strict=True) if match)
    )


def _check(names: Sequence[str], known: Sequence[str], text: str) -> None:
    for name in names:
        if name not in known:
            raise SchemaError(f"the formula {text!r}: no column {name!r}; {did_you_mean(name, known)}")
        if names.count(name) > 1:
            raise ParameterError(f"the formula {text!r} has {name!r} twice; name each column once")
