"""Numbers as people write them: decimal commas, thousands, percent and currency signs, brackets, signs for missing.

A column is read by one convention, which its own values decide; where they leave it open, other columns do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from icefire.core import codes
from icefire.core.reading import Spelling

MISSING = (
    "", ".", "..", "-", "--", "–", "—", "ー", "?", "na", "n/a", "n.a.", "<na>", "#n/a", "#nv", "#null!", "null",
    "(null)", "missing", "k.a.",
)  # fmt: skip
"""Signs for a missing value in a column of numbers, in small letters."""
CURRENCIES = (
    "€", "$", "£", "¥", "円", "元", "₩", "₹", "₽", "₺", "₫", "฿", "₴", "₪", "R$", "US$", "A$", "C$", "HK$", "Fr.", "kr",
    "zł", "Kč", "Ft", "EUR", "USD", "GBP", "JPY", "CHF", "CNY", "KRW", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
    "CAD", "AUD", "BRL", "RUB", "TRY",
)  # fmt: skip
WITHOUT_CENTS = ("¥", "円", "JPY", "₩", "KRW")
"""Amounts in these have no decimals, and where they are used thousands are divided by commas."""
SPACES = " "
"""Spaces of every width, which normalisation makes one."""
THOUSANDS = (SPACES, "'", "_")
"""Signs between groups of three digits that are nothing else."""
STRONG_EVIDENCE = 50
"""So many distinct values with exactly three digits after the sign, beside whole ones, are no decimals: one in ten
decimals ends in a zero, which programs leave out."""

_UNIT = "|".join(unit.replace("$", r"\$").replace(".", r"\.") for unit in sorted(CURRENCIES, key=len, reverse=True))
_BODY = r"(?:[0-9][0-9 .,'_]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = (
    rf"^(\()?\s*([-+]?)\s*({_UNIT})?\s*([-+]?)\s*({_BODY})\s*({_UNIT}|%|‰)?\s*(-?)\s*(\))?$"  # each part may be absent
)
_GROUPS, _GROUPS_OF_THREE = "^[0-9]+(?: +[0-9]+)+$", "^[0-9]{1,3}(?: [0-9]{3})+$"
"""Digits in groups; those of telephone and card numbers are not all of three."""
_DATE = r"^(?:[0-9]{1,2}\.\s?[0-9]{1,2}\.\s?(?:[0-9]{4}|[0-9]{2})|[0-9]{4}\.[0-9]{1,2}\.[0-9]{1,2})\.?$"
"""Dates with points, such as 31.12.2020: no number has such groups of digits."""
_YEN_SIGN = r"^([-+(]?\s*)\\(\s*[-+]?[0-9])"
"""In Shift-JIS the yen sign has the place of the backslash, and is read as one."""
_PARTS = ("open", "sign", "before", "sign_inside", "body", "after", "sign_after", "close")


@dataclass(frozen=True, slots=True)
class WrittenNumbers:
    """The distinct texts of a column, taken apart."""

    texts: pl.Series
    parts: pl.DataFrame
    """Of the texts that look like numbers: the text, its sign, unit and digits with their separators."""
    missing: tuple[str, ...]
    """Texts that are signs for a missing value."""
    others: tuple[str, ...]
    """Texts that are neither."""

    @property
    def bodies(self) -> pl.Series:
        """Digits with their separators."""
        return self.parts["body"]

    @property
    def separators(self) -> set[str]:
        """Signs between the digits."""
        return {sign for sign in (".", ",", *THOUSANDS) if self.bodies.str.contains(sign, literal=True).any()}

    @property
    def units(self) -> tuple[list[str], list[str]]:
        """Percent and currency signs before and after the digits; "" where some have none."""
        return self.parts["before"].unique().sort().to_list(), self.parts["after"].unique().sort().to_list()

    @property
    def has_marks(self) -> bool:
        """Tell whether anything but digits, a sign and a decimal point shows that these are numbers."""
        before, after = self.units
        return bool(self.separators - {"."}) or any(before) or any(after)


def looks_like_number(text: str) -> bool:
    """Tell whether a text is a number by some convention."""
    return bool(_normal(pl.Series([text])).str.contains(_NUMBER)[0])


def mostly_numbers(sample: pl.Series) -> bool:
    """Tell whether at least half of the texts that are no signs for missing look like numbers, and not like dates."""
    texts = _normal(sample.drop_nulls())
    texts = texts.filter(~texts.str.to_lowercase().is_in(MISSING))
    if 2 * int(texts.str.contains(_DATE).sum()) >= len(texts):
        return False
    return 2 * int(texts.str.contains(_NUMBER).sum()) >= len(texts)


def take_apart(column: pl.Series) -> WrittenNumbers:
    """Divide the distinct texts of a column into numbers, signs for missing and others."""
    texts = column.drop_nulls().unique(maintain_order=True).alias("text")
    normal = _normal(texts)
    is_missing = normal.str.to_lowercase().is_in(MISSING)
    groups = normal.str.extract_groups(_NUMBER).struct.unnest()
    groups = groups.rename(dict(zip(groups.columns, _PARTS, strict=True))).fill_null("")
    frame = pl.DataFrame([texts]).hstack(groups)
    is_number = (frame["body"] != "") & ((frame["open"] == "(") == (frame["close"] == ")")) & ~is_missing
    parts = frame.filter(is_number).with_columns(pl.col("body").str.strip_chars())
    others = texts.filter(~is_number & ~is_missing)
    return WrittenNumbers(texts, parts, tuple(texts.filter(is_missing)), tuple(others))


def _normal(texts: pl.Series) -> pl.Series:
    """Write digits and signs of full width, spaces of every width and the many minus signs in one way."""
    normal = texts.str.normalize("NFKC").str.strip_chars()
    normal = normal.str.replace(_YEN_SIGN, "${1}¥${2}")
    return normal.str.replace_all("[−－‐△▲]", "-").str.replace_all("[’`´]", "'")


def evidence(written: WrittenNumbers) -> set[str]:
    """Return the decimal signs that some value speaks for."""
    signs = written.separators
    if any(unit in WITHOUT_CENTS for units in written.units for unit in units):
        return {"."}
    speaks: set[str] = {sign for sign in (".", ",") if sign in signs and _shows_decimal(written.bodies, sign, signs)}
    for sign, other in ((".", ","), (",", ".")):
        if sign in signs and _shows_thousands(written.bodies, sign):
            speaks.add(other)
    return speaks


def _shows_decimal(bodies: pl.Series, sign: str, signs: set[str]) -> bool:
    """Tell whether a value can only be read with this decimal sign."""
    s, other = f"[{sign}]", "[.,]".replace(sign, "")
    single = bodies.filter(bodies.str.count_matches(s) == 1)
    if signs & set(THOUSANDS) or single.str.contains(rf"{other}.*{s}").any():
        return True
    three_digits = single.str.contains(rf"^[1-9][0-9]{{0,2}}{s}[0-9]{{3}}$")
    return bool((~three_digits & ~single.str.contains(other)).any())


def _shows_thousands(bodies: pl.Series, sign: str) -> bool:
    """Tell whether this sign stands between groups of three digits."""
    s = f"[{sign}]"
    if bodies.str.contains(rf"^[0-9]{{1,3}}(?:{s}[0-9]{{2,3}})*{s}[0-9]{{2,3}}{s}[0-9]{{3}}").any():
        return True
    has_sign = bodies.str.contains(s)
    if int(has_sign.sum()) < STRONG_EVIDENCE or bool(has_sign.all()):
        return False
    return bool(bodies.str.contains(rf"^[0-9]{{1,3}}(?:{s}[0-9]{{3}})?$").all())


def is_open(written: WrittenNumbers) -> bool:
    """Tell whether a point or comma may be the decimal sign or stand between thousands."""
    return bool(written.separators & {".", ","}) and not evidence(written)


def values(written: WrittenNumbers, decimal: str) -> pl.Series | None:
    """Return the numbers of `written.parts`, or None if one of them cannot be read with this decimal sign."""
    thousands = written.separators - {decimal}
    if len(thousands) > 1:
        return None
    body = written.bodies
    if thousands:
        t = f"[{next(iter(thousands))}]"
        groups = rf"[0-9]{{1,3}}(?:{t}[0-9]{{3}})+|[0-9]{{1,2}}(?:{t}[0-9]{{2}})+{t}[0-9]{{3}}|[0-9]+"
        if not body.str.contains(rf"^(?:{groups})?(?:[{decimal}][0-9]*)?$").all():
            return None
        body = body.str.replace_all(t, "")
    plain = body.str.replace(decimal, ".", literal=True)
    signs = written.parts.select("sign", "sign_inside", "sign_after", "open")
    negative = (signs["open"] == "(") | (signs.select(pl.any_horizontal(pl.all() == "-")).to_series())
    for dtype in (pl.Int64, pl.Float64):
        read = plain.cast(dtype, strict=False)
        if not read.null_count():
            return read.to_frame().select(pl.when(negative).then(-pl.first()).otherwise(pl.first())).to_series()
    return None


def holds_codes(written: WrittenNumbers) -> bool:
    """Tell whether a value has a leading zero or very many digits, or most are in groups: names, not numbers."""
    bodies = written.bodies
    if bool((bodies.str.contains(codes.CODE) | bodies.str.contains(codes.LONG_CODE)).any()):
        return True
    grouped = bodies.str.contains(_GROUPS)
    thousands = bodies.str.contains(_GROUPS_OF_THREE)
    return 2 * int((grouped & ~thousands).sum()) > len(bodies)


def spelling_of(written: WrittenNumbers, numbers: pl.Series, decimal: str) -> Spelling:
    """Return how all values are written; of no common way only the decimal sign."""
    bare = Spelling(decimal=decimal)
    before, after = written.units
    decimals = _decimals(written.bodies, decimal)
    if len(before) != 1 or len(after) != 1 or len(decimals) != 1:
        return bare
    thousands = "".join(written.separators - {decimal})
    texts, body = written.parts["text"], written.bodies
    prefix = texts[0][: texts[0].find(body[0][0])] if before[0] else ""
    suffix = texts[0][len(texts[0].rstrip("".join(after) + "  \u202f")) :] if after[0] else ""
    full = Spelling(decimal, thousands, decimals[0] or None, prefix.lstrip("-+"), suffix)
    return full if spelled(numbers, full).equals(texts.alias(numbers.name)) else bare


def _decimals(bodies: pl.Series, decimal: str) -> Sequence[int]:
    after = bodies.str.extract(rf"[{decimal}]([0-9]*)$").fill_null("")
    return after.str.len_chars().unique().to_list()


def spelled(numbers: pl.Series, spelling: Spelling) -> pl.Series:
    """Write numbers in this way."""
    number = pl.first()
    if spelling.decimals is not None:
        text = number.cast(pl.Decimal(38, spelling.decimals), strict=False).cast(pl.String)
    else:
        text = number.cast(pl.String)
    text = text.str.strip_prefix("-")
    whole, fraction = text.str.extract(r"^([0-9]*)"), text.str.extract(r"^[0-9]*[.](.*)$")
    if spelling.thousands:
        grouped = whole.str.reverse().str.replace_all("([0-9]{3})", f"${{1}}{spelling.thousands}").str.reverse()
        whole = grouped.str.strip_prefix(spelling.thousands)
    joined = pl.when(fraction.is_null()).then(whole).otherwise(whole + spelling.decimal + fraction)
    sign = pl.when(number < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    written = sign + spelling.prefix + joined + spelling.suffix
    plain_text = pl.when(text.str.contains(r"^[0-9]+(?:[.][0-9]+)?$")).then(written)
    return numbers.to_frame().select(plain_text.alias(numbers.name)).to_series()


def spelled_plainly(numbers: pl.Series, decimal: str) -> pl.Series:
    """Write numbers with this decimal sign and nothing else."""
    return numbers.cast(pl.String).str.replace(".", decimal, literal=True)
