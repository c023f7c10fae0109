"""Find released columns that look like HIPAA identifiers, by their names and values. It proves no compliance."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from icefire.core import formatting
from icefire.core.scorecard.risks import Identifier, SafeHarbour
from icefire.risk import identifiers
from icefire.risk.identifiers import IdentifierRule

LOOKED_AT = 100_000
"""Distinct values of a column that are looked at."""
OLDEST = 89
YEARS = (1800, 2200)
FEW = 50
"""In a table with fewer rows all values may differ by accident."""
MANY = 100
"""A column with at least so many distinct values may number people, however often values repeat."""
LONG_TEXT = 60
"""Mean number of characters from which text is no code any more."""

RuleAndReason = tuple[IdentifierRule, str]


def check(table: pl.DataFrame) -> SafeHarbour:
    """Look at every column of a released table, whatever its role."""
    flagged = []
    for name in table.columns:
        seen = _look(table[name])
        if seen is not None:
            rule, why = seen
            flagged.append(Identifier(name, rule.paragraph, rule.what, why, rule.advice))
    return SafeHarbour(table.width, flagged)


def _look(column: pl.Series) -> RuleAndReason | None:
    """Return the first rule that matches, with the reason; values are checked before the name."""
    if column.count() == 0 or column.dtype.is_nested():
        return None
    text = _text(column)
    looks: tuple[Callable[[pl.Series, pl.Series | None], RuleAndReason | None], ...]
    looks = (_by_calendar, _by_values, _by_age, _by_name, _by_uniqueness, _by_length)
    return next((why for look in looks if (why := look(column, text))), None)


def _text(column: pl.Series) -> pl.Series | None:
    """Distinct values of a text column, not all of very many; None for other columns."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return None
    return column.drop_nulls().unique(maintain_order=True).head(LOOKED_AT).cast(pl.String).str.strip_chars()


def _by_values(_: pl.Series, text: pl.Series | None) -> RuleAndReason | None:
    if text is None:
        return None
    for rules, needed in ((identifiers.ANYWHERE, 1), (identifiers.MOSTLY, (len(text) + 1) // 2)):
        for rule, pattern in rules:
            like = int(text.str.contains(pattern).sum())
            if like >= needed:
                return rule, f"{formatting.count(like)} of {formatting.count(len(text))} distinct values look like one"
    return None


def _by_calendar(column: pl.Series, _: pl.Series | None) -> RuleAndReason | None:
    """A date type; the first of January of every year is as good as the year."""
    if column.dtype not in (pl.Date, pl.Datetime):
        return None
    finer = int((column != column.dt.truncate("1y")).sum())
    return (
        (
            identifiers.DATE,
            f"{formatting.counted(finer, 'row')} {'holds' if finer == 1 else 'hold'} more of a date than its year",
        )
        if finer
        else None
    )


def _by_age(column: pl.Series, text: pl.Series | None) -> RuleAndReason | None:
    name = identifiers.plain(column.name)
    if not identifiers.AGE.names.search(name) or identifiers.AGE_IN_OTHER_UNITS.search(name):
        return None
    if text is not None:
        # "90+" and "≥ 90" are the one group that is allowed.
        exact = text.filter(~text.str.contains(r"[+>≥]|older|over"))
        column = exact.str.extract(r"^(\d+)").cast(pl.Int64, strict=False)
    if not column.dtype.is_numeric() or not (old := int((column > OLDEST).sum())):
        return None
    counted = formatting.counted(old, "row") if text is None else f"{formatting.count(old)} of its values"
    return identifiers.AGE, f"the name says age, and {counted} {'lies' if old == 1 else 'lie'} over {OLDEST}"


def _by_name(column: pl.Series, text: pl.Series | None) -> RuleAndReason | None:
    name = identifiers.plain(column.name)
    for rule in identifiers.BY_NAME:
        if rule.names.search(name) and _plausible(rule, name, column, text):
            return rule, "the name of the column says so"
    return None


def _plausible(rule: IdentifierRule, name: str, column: pl.Series, text: pl.Series | None) -> bool:
    if rule is identifiers.NAME and identifiers.NOT_A_PERSON.search(name):
        return False
    if rule is identifiers.DATE and (column.dtype.is_temporal() or _are_years(column, text)):
        return False
    if rule.guard == "text":
        return text is not None and len(text) > 2
    return not rule.guard or _differ(column, rule.guard == "many")


def _differ(column: pl.Series, may_repeat: bool) -> bool:
    """Tell numbers of people from yes and no and other few values; somebody with several rows may repeat theirs."""
    half = column.count() / 2
    return column.count() > 1 and column.n_unique() >= (min(half, MANY) if may_repeat else half)


def _are_years(column: pl.Series, text: pl.Series | None) -> bool:
    numbers = (column.drop_nulls() if text is None else text).cast(pl.Float64, strict=False)
    return numbers.null_count() == 0 and bool(numbers.is_between(*YEARS).all())


def _by_uniqueness(column: pl.Series, text: pl.Series | None) -> RuleAndReason | None:
    """Text, or whole numbers without wide gaps, that differ in every row: a running number or a code."""
    rows = column.count()
    running = column.dtype.is_integer() and rows - 1 <= _span(column) < 2 * rows
    if rows < FEW or not (running or (text is not None and not _is_long(text))):
        return None
    return (identifiers.OTHER, "its values differ in every row") if column.drop_nulls().n_unique() == rows else None


def _span(column: pl.Series) -> int:
    return int(column.max()) - int(column.min())  # type: ignore[arg-type]


def _by_length(column: pl.Series, text: pl.Series | None) -> RuleAndReason | None:
    if text is None or not _is_long(text) or 2 * len(text) < min(column.count(), LOOKED_AT):
        return None
    return identifiers.FREE_TEXT, "long entries that hardly repeat"


def _is_long(text: pl.Series) -> bool:
    return float(text.str.len_chars().mean()) > LONG_TEXT and bool(text.str.contains(" ").any())  # type: ignore[arg-type]
