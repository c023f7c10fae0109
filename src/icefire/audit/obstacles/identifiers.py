"""Identifiers in a release: columns declared so or that look like one, and what they still say about the person.

A column of pseudonyms is no identifier. It becomes one if it holds people's own values, their real names, an unsalted
hash of their values, or numbers in the order of the original ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from icefire.audit.obstacles.distinct_values import all_differ
from icefire.audit.obstacles.joint_hashes import joint_hash
from icefire.audit.obstacles.kept_identifiers import decoded_own_values, share_found_by_part
from icefire.audit.obstacles.modular_identifiers import FEWEST, followed_by_modulus
from icefire.audit.obstacles.single_columns import BY_ORDER, BY_REVERSED_ORDER, most_by_chance, people_identified
from icefire.core import align, formatting
from icefire.core.dataset import Dataset
from icefire.core.release import Truth
from icefire.core.schema import Role
from icefire.core.scorecard import Reason
from icefire.core.scorecard.risks import Identifier, SafeHarbour
from icefire.kernels.types import Float, Int
from icefire.words import said, t

DIRECT = frozenset("ADEFGHIJKLMNOPQR")
"""Rules of the HIPAA safe harbour that name direct identifiers; B and C are places and dates."""
OWN_VALUES = 0.01
"""A column identifies people if more than this share of the released rows hold the person's own value."""
BY_CHANCE = 4
"""As many rows hold their own value by chance if pseudonyms are dealt at random: one on average, hardly ever more."""
PARTS = 0.05
"""A column identifies people if more than this share of them is found by a part of their own value."""
WAYS = 12
"""Parts that are tried."""
FEWEST_ROWS = 20
"""In a smaller table all values of a column may differ by accident."""
REAL_VALUES = 0.5
"""Names are real if more than this share of them are names of the original."""
DENSE = 10
"""Numbers dealt anew are those of the original by accident if less than so many are possible for each."""
LONGEST_NUMBER = 18
"""Digits at the end of an identifier that are read as a number."""
NUMBERED = 0.9
"""Numbers of persons differ in this share of the rows, and as many have the same number of digits."""
DIGITS = 5
"""Numbers of persons have at least so many digits."""
SAME_ORDER = 0.9
"""Rank correlation from which pseudonyms keep the order of the identifiers."""
HASHED = 100
"""So many original values are hashed to look for them."""
HASHES: dict[int, Callable[[bytes], str]] = {
    32: lambda value: hashlib.md5(value, usedforsecurity=False).hexdigest(),
    40: lambda value: hashlib.sha1(value, usedforsecurity=False).hexdigest(),
    56: lambda value: hashlib.sha224(value).hexdigest(),
    64: lambda value: hashlib.sha256(value).hexdigest(),
    96: lambda value: hashlib.sha384(value).hexdigest(),
    128: lambda value: hashlib.sha512(value).hexdigest(),
}
"""Hash functions by the number of hexadecimal digits they give."""


@dataclass(frozen=True)
class _Pair:
    """A released column and the column of the original that it may come from."""

    known: pl.Series
    released: pl.Series
    rows: Int
    """Original row of each released row."""

    @cached_property
    def _text(self) -> tuple[pl.Series, pl.Series]:
        return align.comparable_text(self.known, self.released)

    @property
    def everybody(self) -> pl.Series:
        """All original values as text."""
        return self._text[0]

    @cached_property
    def own(self) -> pl.Series:
        """The person's own value for each released row, as text."""
        return self.everybody.gather(self.rows)

    @property
    def shown(self) -> pl.Series:
        """The released values as text."""
        return self._text[1]

    @property
    def numbered(self) -> pl.Series:
        """The original values by their places in the order: of numbers where they are, or end in, numbers."""
        known = _numbers_in(self.known, self.everybody)
        return (self.everybody if known is None else known).rank("dense").cast(pl.Float64)

    @property
    def ranks(self) -> tuple[Float, Float]:
        """Ranks of the own and of the released values, in the order of numbers where both are, or end in, numbers."""
        known, released = _numbers_in(self.known, self.everybody), _numbers_in(self.released, self.shown)
        sides = (self.own, self.shown)
        if known is not None and released is not None:
            sides = (known.gather(self.rows), released)
        one, other = (side.rank("average").cast(pl.Float64).to_numpy() for side in sides)
        present = ~(np.isnan(one) | np.isnan(other))
        return one[present], other[present]


def identifiers(original: Dataset, published: pl.DataFrame, truth: Truth, harbour: SafeHarbour | None) -> list[Reason]:
    """Find identifiers in the release.

    Args:
        original: The original table with its roles.
        published: The released table as it was published.
        truth: The original row of each released row.
        harbour: What the check of columns against the HIPAA safe harbour found.

    Returns:
        A reason for each column that is declared an identifier or looks like one and still tells who a row is.
    """
    matches = {match.column: match for match in (harbour.found if harbour else ())}
    reasons = []
    for name in published.columns:
        what = _suspicion(original, published[name], matches.get(name))
        how = _disclosure(original, published[name], truth) if what else _carried(original, published[name], truth)
        if how:
            reasons.append(_reason(name, what or t("verdict.identifier.new"), how))
    return reasons


def identifiers_without_origin(original: Dataset, published: pl.DataFrame, harbour: SafeHarbour | None) -> list[Reason]:
    """Find identifiers in a release whose rows come from nobody: suspected columns with values of real people.

    Args:
        original: The original table with its roles.
        published: The released table as it was published.
        harbour: What the check of columns against the HIPAA safe harbour found.
    """
    matches = {match.column: match for match in (harbour.found if harbour else ())}
    reasons = []
    for name in published.columns:
        what = _suspicion(original, published[name], matches.get(name))
        how = _real_values(original, published[name]) if what and name in original.frame.columns else ""
        if how:
            reasons.append(_reason(name, what, how))
    return reasons


def _reason(column: str, what: str, how: str) -> Reason:
    advice = t("verdict.identifier.advice")
    text = t("verdict.reason.identifier", column=column, what=what, how=how, advice=advice)
    return Reason("identifier", text, {"column": column, "how": how})


def _real_values(original: Dataset, column: pl.Series) -> str:
    """Say that a column holds values that single people of the original have, or hashes of them."""
    known = original.frame[column.name]
    pair = _Pair(known, column, np.arange(len(known)))
    single = pair.everybody.filter(pair.everybody.is_unique()).drop_nulls()
    real = int(pair.shown.is_in(single.implode()).sum())
    if real > max(OWN_VALUES * len(column), BY_CHANCE) or 2 * real > len(column):
        return t("verdict.identifier.value_of_one", real=real, rows=len(column))
    return _hashed(pair)


def _suspicion(original: Dataset, column: pl.Series, match: Identifier | None) -> str:
    """Say why a column may be an identifier; empty if nothing speaks for it."""
    if column.name in original.schema.named(Role.ID):
        return t("verdict.identifier.declared")
    if match is not None and match.paragraph in DIRECT and (_is_text(column) or _numbers_persons(column)):
        return t("verdict.identifier.looks_like", what=said(match.what))
    harmless = match is not None and match.paragraph in ("B", "C")
    return t("verdict.identifier.unique_text") if _unique_text(column) and not harmless else ""


def _is_text(column: pl.Series) -> bool:
    return column.dtype in (pl.String, pl.Categorical, pl.Enum)


def _unique_text(column: pl.Series) -> bool:
    return _is_text(column) and len(column) >= FEWEST_ROWS and all_differ(column)


def _numbers_persons(column: pl.Series) -> bool:
    """Tell numbers of persons from amounts: whole, different, and running or with the same number of digits."""
    values = column.drop_nulls()
    if not column.dtype.is_integer() or len(values) < FEWEST_ROWS or values.n_unique() < NUMBERED * len(values):
        return False
    if int(values.max()) - int(values.min()) < 2 * len(values):  # type: ignore[arg-type]
        return True
    digits, counts = np.unique(values.cast(pl.String).str.len_chars().to_numpy(), return_counts=True)
    usual = int(counts.argmax())
    return bool(digits[usual] >= DIGITS and counts[usual] >= NUMBERED * len(values))


def _disclosure(original: Dataset, column: pl.Series, truth: Truth) -> str:
    """Say what a suspected column still tells; empty where it holds pseudonyms."""
    if column.name not in original.frame.columns:
        return _carried(original, column, truth) or t("verdict.identifier.origin_unknown")
    pair = _Pair(original.frame[column.name], column, truth.rows)
    text_alone = column.name not in original.schema.named(Role.ID) and _unique_text(column)
    how = _own(pair) or _real_names(pair, text_alone) or _hashed(pair) or _same_order(pair)
    how = how or _coded(pair) or _kept_part(pair) or _computed(pair) or _hashed_together(original, column, truth)
    how = how or _in_order_of_another(original, column, truth)
    return how or (t("verdict.identifier.new_values") if _codes_for_categories(pair) else "")


def _codes_for_categories(pair: _Pair) -> bool:
    """Tell whether a category of the original is released with another text for everybody: made from other columns."""
    known, shown = pair.everybody.drop_nulls(), pair.shown.drop_nulls()
    return _is_text(pair.known) and _unique_text(pair.released) and 2 * known.n_unique() < min(len(known), len(shown))


def _carried(original: Dataset, column: pl.Series, truth: Truth) -> str:
    """Say which column of the original that tells people apart a new column is a copy of; empty if of none."""
    if column.name in original.frame.columns or column.n_unique() < 2:
        return ""
    for name in original.frame.columns:
        known = original.frame[name]
        if known.n_unique() > len(known) / 2:
            pair = _Pair(known, column, truth.rows)
            how = _own(pair) or _hashed(pair) or _computed(pair)
            if how:
                return t("verdict.identifier.comes_from", column=name, how=how)
    return _in_order_of_another(original, column, truth)


def _in_order_of_another(original: Dataset, column: pl.Series, truth: Truth) -> str:
    """Pseudonyms given in the order of another column, such as the wages: their places tell people."""
    released = _Pair(column, column, truth.rows).numbered
    if column.n_unique() <= len(column) / 2:
        return ""
    for name in original.frame.columns:
        known = original.frame[name]
        if name != column.name and known.n_unique() > len(known) / 2:
            ways = people_identified(_Pair(known, known, truth.rows).numbered, released, truth.rows)
            people = max(ways[way].people for way in (BY_ORDER, BY_REVERSED_ORDER))
            if people > max(PARTS * len(column), most_by_chance(2 * original.frame.width)):
                how = t("verdict.identifier.in_order", share=formatting.percent(people / len(column)))
                return t("verdict.identifier.comes_from", column=name, how=how)
    return ""


def _own(pair: _Pair) -> str:
    rows, own = len(pair.shown), int((pair.own == pair.shown).sum())
    if own <= max(OWN_VALUES * rows, BY_CHANCE) and 2 * own <= rows:
        return ""
    return t("verdict.identifier.own_value", own=own, rows=rows)


def _real_names(pair: _Pair, text_alone: bool) -> str:
    """Names or numbers of people, even if they were dealt to others: whoever is named was in the data.

    Of columns that nobody declared and that only differ in every row (`text_alone`), texts with digits do not count:
    they may be times, places or amounts.
    """
    values = pair.shown.drop_nulls()
    numbered = bool(values.str.contains(r"\d").any())
    if not len(values) or (numbered and (text_alone or _few_possible_numbers(pair.everybody.drop_nulls()))):
        return ""
    real = int(values.is_in(pair.everybody.drop_nulls().unique().implode()).sum())
    if real <= REAL_VALUES * len(values):
        return ""
    return t("verdict.identifier.real_values", real=real, rows=len(values))


def _numbers_in(values: pl.Series, text: pl.Series) -> pl.Series | None:
    """Return values as numbers, or the last number in each of them; None where some have none."""
    numbers = align.as_numbers(values)
    return _last_numbers(text) if numbers is None else numbers


def _last_numbers(text: pl.Series) -> pl.Series | None:
    """Return the last number in each value, such as 1234 in P01234; None where some values have none."""
    digits = text.str.extract(r"(\d+)\D*$", 1).str.slice(-LONGEST_NUMBER).cast(pl.Int64)
    return digits if 0 < digits.count() == text.count() else None


def _few_possible_numbers(values: pl.Series) -> bool:
    """Tell whether values are numbers so close together that numbers dealt anew are the same ones: 1, 2, 3 …"""
    digits = _last_numbers(values)
    if digits is None:
        return False
    return int(digits.max()) - int(digits.min()) < DENSE * digits.n_unique()  # type: ignore[arg-type]


def _hashed(pair: _Pair) -> str:
    values = pair.shown.drop_nulls().str.to_lowercase()
    digest = HASHES.get(len(values[0])) if len(values) else None
    if digest is None or not values.str.contains("^[0-9a-f]+$").all():
        return ""
    known = pair.own.drop_nulls().head(HASHED).to_list()
    hashed = pl.Series([digest(value.encode()) for value in known], dtype=pl.String)
    hits = int(hashed.is_in(values.implode()).sum())
    return t("verdict.identifier.hashed") if hits else ""


def _hashed_together(original: Dataset, column: pl.Series, truth: Truth) -> str:
    """Several values of the person hashed together, or a telephone number with the code of its country."""
    names = joint_hash(original.frame, column, truth.rows)
    if not names:
        return ""
    return t("verdict.identifier.comes_from", column=", ".join(names), how=t("verdict.identifier.hashed"))


def _coded(pair: _Pair) -> str:
    """The person's own value in a code that needs no key, such as the beginning of a hash."""
    rows, own = len(pair.shown), decoded_own_values(pair.known, pair.released, pair.rows)
    return t("verdict.identifier.coded", own=own, rows=rows) if own > max(OWN_VALUES * rows, BY_CHANCE) else ""


def _kept_part(pair: _Pair) -> str:
    """A part of the person's own value: masked at the end, without its letters, its words in another order."""
    share, asked = share_found_by_part(pair.known, pair.released, pair.rows)
    if share * asked <= max(PARTS * asked, most_by_chance(WAYS)):
        return ""
    return t("verdict.identifier.kept_part", share=formatting.percent(share))


def _computed(pair: _Pair) -> str:
    """Numbers multiplied, added to and taken modulo a number: a few known people give the rule for all."""
    own, asked = followed_by_modulus(pair.known, pair.released, pair.rows)
    return t("verdict.identifier.computed", own=own, asked=asked) if own > max(PARTS * asked, FEWEST / 2) else ""


def _same_order(pair: _Pair) -> str:
    """Pseudonyms in the order of the identifiers: whoever sorts both has everybody."""
    one, other = pair.ranks
    if len(one) < FEWEST_ROWS or min(np.ptp(one), np.ptp(other)) == 0:
        return ""
    if abs(float(np.corrcoef(one, other)[0, 1])) < SAME_ORDER:
        return ""
    return t("verdict.identifier.same_order")
