"""Dates as people write them: 31.12.1980, 12/31/1980, 1980/12/31, 31-DEC-1980, 1980年12月31日, 昭和55年12月31日.

The two versions of a column of dates are written alike, 1980-12-31, so that a month, a year or a decade in a release
is read as what it says of the dates of the original, in whatever form those are.
"""

from __future__ import annotations

import polars as pl

ISO = r"^\d{4}-\d{2}-\d{2}(?:[T ].*)?$"
MOSTLY, HALF = 0.9, 0.5
"""Shares of the different texts: a column of dates holds so many dates, its release so many dates or parts of dates."""
SAMPLE = 100
COMPACT_DAYS = (18_000_101, 20_991_231)
FEW = 10
"""So few numbers may look like dates by chance."""
SUPPRESSED = "*"
FIRST_YEAR_OF_1900S = 30
"""Years of two digits from this one on belong to the last century."""
ERAS = {
    "明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "M": 1867, "T": 1911, "S": 1925, "H": 1988,
    "R": 2018,
}  # fmt: skip
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_CLOCK = r"(?:[T ,]+(\d{1,2}:\d{2}.*))?$"
_YEAR_FIRST = rf"^(\d{{4}})\s?[-/.年]\s?(\d{{1,2}})\s?[-/.月]\s?(\d{{1,2}})[日.]?{_CLOCK}"
_YEAR_LAST = rf"^(\d{{1,2}})[-/. ]\s?(\d{{1,2}})[-/. ]\s?(\d{{4}}|\d{{2}}){_CLOCK}"
_NAMED_MONTH = rf"^(\d{{1,2}})[-/. ]{{0,2}}([A-Za-z]{{3,9}})[-/. ,]{{0,2}}(\d{{4}}|\d{{2}}){_CLOCK}"
_MONTH_BEFORE = rf"^([A-Za-z]{{3,9}})[. ]{{1,2}}(\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}}){_CLOCK}"
_COMPACT = r"^((?:18|19|20)\d{2})(\d{2})(\d{2})$"
_ERA = r"^(明治|大正|昭和|平成|令和|[MTSHR])\s?(\d{1,2}|元)[年.]\s?(\d{1,2})[月.]\s?(\d{1,2})日?$"
_ERA_YEAR = r"^(明治|大正|昭和|平成|令和|[MTSHR])(\d{1,2}|元)年?$"
_MONTHS_OF_YEARS = (
    (r"^(\d{4})\s?[-/.年]\s?(\d{1,2})月?$", 1, 2),
    (r"^(\d{1,2})[-/.](\d{4})$", 2, 1),
    (r"^([A-Za-z]{3,9})[. -]{1,2}(\d{4})$", 2, 1),
)
"""Forms of months, and which groups are the year and the month."""
_YEARS = r"^(?:\d{4}\s?[-–]\s?\d{4}|[<>≤≥]=?\s?\d{4}|\d{4}\s?\+|[\[(\]]\d{4},\s?\d{4}[\[)\]]|\d{4}-W\d{2})$"
"""Several years, or a week: labels that stay as they are."""
_YEAR, _DECADE = r"^(\d{4})年?$", r"^(\d{3})0(?:s|'s|年代)$"
_QUARTERS = (
    (r"^(\d{4})[- /]?Q([1-4])$", 1, 2),
    (r"^(\d{4})年第([1-4])四半期$", 1, 2),
    (r"^Q([1-4])[- /]?(\d{4})$", 2, 1),
)


def same_writing(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return both versions of a column of dates with the dates written year first; other columns stay as they are.

    Args:
        x: The column of the original.
        y: The same column of the release: dates, parts of dates such as 05.1980 or 1980, or other labels, which stay.
    """
    texts = _texts(x)
    if texts is None:
        return x, y
    order = date_order(texts)
    days = None if x.dtype.is_temporal() else _days(texts, order)
    if days is not None and days.count() < MOSTLY * len(texts):
        return x, y
    shown = _said(y.cast(pl.String) if y.dtype.is_integer() else y)
    if shown is None:
        return x, y
    tells_order = days is not None and bool(_normal(texts).str.contains(_YEAR_LAST).any())
    read = days_or_parts(shown, order if tells_order else date_order(shown))
    if read.count() < HALF * len(shown):
        return x, y
    return x if days is None else _rewritten(x, texts, days), _rewritten(y, shown, read)


def iso_dates(values: pl.Series) -> pl.Series | None:
    """Return distinct texts of dates as 1980-12-31, with the time of day they have.

    Returns:
        None if one of them is no date, or if they may begin with the day as well as with the month.
    """
    if values.dtype != pl.String or not len(values):
        return None
    if _may_begin_with_either(values):
        return None
    days = _days(values, date_order(values))
    return None if days.null_count() else days


def are_days_or_months(numbers: pl.Series) -> bool:
    """Tell whether all of several whole numbers are days or months without signs between: 19801231, 198012."""
    distinct = numbers.drop_nulls().unique().cast(pl.String)
    if len(distinct) < FEW:
        return False
    days = distinct + ("01" if distinct.str.len_chars().max() == len("198012") else "")
    return not _days(days, "day").null_count()


def _may_begin_with_either(texts: pl.Series) -> bool:
    """Tell whether dates such as 05/06/1980 can be read day first and month first; with points the day comes first."""
    year_last = _normal(texts).str.contains(_YEAR_LAST) & ~texts.str.contains(r"^\s*\d{1,2}\.")
    if not year_last.any():
        return False
    numbers = [_normal(texts).str.extract(_YEAR_LAST, group).cast(pl.Int64, strict=False).max() for group in (1, 2)]
    return all(isinstance(number, int) and number <= len(MONTHS) for number in numbers)


def _texts(x: pl.Series) -> pl.Series | None:
    """Return the different texts of a column that may hold dates, None of any other."""
    if x.dtype.is_temporal() and x.dtype != pl.Duration and x.dtype != pl.Time:
        return pl.Series([], dtype=pl.String)
    if x.dtype.is_integer():
        sample = x.drop_nulls().head(SAMPLE)
        if not len(sample) or not sample.cast(pl.Int64, strict=False).is_between(*COMPACT_DAYS).all():
            return None
        x = x.cast(pl.String)
    if x.dtype != pl.String:
        return None
    sample = x.drop_nulls().head(SAMPLE)
    if sample.str.contains(r"\d").sum() < HALF * len(sample):
        # Every date has a digit: this is quick, and most columns of text have none.
        return None
    if not len(sample) or _days(sample, date_order(sample)).count() < HALF * len(sample):
        return None
    return _said(x)


def _said(column: pl.Series) -> pl.Series | None:
    """Return the different texts of a column, without those that stand for nothing; None if none are left."""
    if column.dtype != pl.String:
        return None
    texts = column.drop_nulls().unique()
    texts = texts.filter(texts.str.strip_chars().str.strip_chars(SUPPRESSED) != "")
    return texts if len(texts) else None


def _rewritten(column: pl.Series, texts: pl.Series, written: pl.Series) -> pl.Series:
    known = written.is_not_null() & (written != texts)
    column = column if column.dtype == pl.String else column.cast(pl.String)
    return column.replace(texts.filter(known), written.filter(known)) if known.any() else column


def date_order(texts: pl.Series) -> str:
    """Tell whether dates that end with the year begin with the day or the month: by a number above 12, else the day."""
    first = _normal(texts).str.extract(_YEAR_LAST, 1).cast(pl.Int64, strict=False).max()
    second = _normal(texts).str.extract(_YEAR_LAST, 2).cast(pl.Int64, strict=False).max()
    return "month" if isinstance(second, int) and isinstance(first, int) and second > len(MONTHS) >= first else "day"


def _normal(texts: pl.Series) -> pl.Series:
    return texts.str.normalize("NFKC").str.strip_chars()


def _days(texts: pl.Series, order: str) -> pl.Series:
    """Return dates as 1980-12-31, missing where a text is no date."""
    frame = _normal(texts).alias("text").to_frame()
    day, month = (1, 2) if order == "day" else (2, 1)
    readings = [
        _date(_YEAR_FIRST, year=1, month=2, day=3, clock=4),
        _date(_YEAR_LAST, year=3, month=month, day=day, clock=4),
        _date(_NAMED_MONTH, year=3, month=2, day=1, clock=4),
        _date(_MONTH_BEFORE, year=3, month=1, day=2, clock=4),
        _date(_COMPACT, year=1, month=2, day=3),
        _era_date(),
    ]
    return frame.select(pl.coalesce(readings).alias(texts.name)).to_series()


def days_or_parts(texts: pl.Series, order: str) -> pl.Series:
    """Return dates, months, quarters, years and decades in one way, missing where a text is none of them."""
    frame = _normal(texts).alias("text").to_frame().with_columns(_days(texts, order).alias("day"))
    text = pl.col("text")
    parts = [pl.col("day")]
    parts += [_joined("{}-{}", _year(form, year), _month(form, month)) for form, year, month in _MONTHS_OF_YEARS]
    parts += [_joined("{}-Q{}", text.str.extract(form, year), text.str.extract(form, q)) for form, year, q in _QUARTERS]
    parts += [text.str.extract(_YEAR, 1), _joined("{}0s", text.str.extract(_DECADE, 1)), _era_year(_ERA_YEAR)]
    parts += [pl.when(text.str.contains(_YEARS)).then(text)]
    return frame.select(pl.coalesce(parts).alias(texts.name)).to_series()


def _joined(form: str, *parts: pl.Expr) -> pl.Expr:
    """Write parts in a form; missing if one of them is."""
    whole = pl.all_horizontal(*(part.is_not_null() for part in parts))
    return pl.when(whole).then(pl.format(form, *parts))


def _date(pattern: str, *, year: int, month: int, day: int, clock: int | None = None) -> pl.Expr:
    written = _joined("{}-{}-{}", _year(pattern, year), _month(pattern, month), _padded(pattern, day))
    is_date = written.str.to_date("%Y-%m-%d", strict=False).is_not_null()
    if clock is not None:
        rest = pl.col("text").str.extract(pattern, clock)
        written = pl.when(rest.is_null()).then(written).otherwise(pl.format("{} {}", written, rest))
    return pl.when(is_date).then(written)


def _year(pattern: str, group: int) -> pl.Expr:
    """Return the year with its century."""
    year = pl.col("text").str.extract(pattern, group)
    is_last_century = year.cast(pl.Int64, strict=False) >= FIRST_YEAR_OF_1900S
    century = pl.when(is_last_century).then(pl.lit("19")).otherwise(pl.lit("20"))
    return pl.when(year.str.len_chars() == 2).then(pl.format("{}{}", century, year)).otherwise(year)


def _month(pattern: str, group: int) -> pl.Expr:
    """Return the month in two digits; names in English are known."""
    text = pl.col("text").str.extract(pattern, group)
    named = (
        text.str.to_lowercase()
        .str.slice(0, 3)
        .replace_strict(list(MONTHS), [f"{number:02}" for number in range(1, 13)], default=None, return_dtype=pl.String)
    )
    number = text.cast(pl.Int64, strict=False)
    return pl.when(number.is_between(1, 12)).then(text.str.zfill(2)).otherwise(named)


def _padded(pattern: str, group: int) -> pl.Expr:
    return pl.col("text").str.extract(pattern, group).str.zfill(2)


def _era_year(pattern: str) -> pl.Expr:
    """Return the year of a Japanese era; the first is called 元."""
    era = pl.col("text").str.extract(pattern, 1).replace_strict(ERAS, default=None, return_dtype=pl.Int64)
    year = pl.col("text").str.extract(pattern, 2).replace("元", "1").cast(pl.Int64, strict=False)
    return (era + year).cast(pl.String)


def _era_date() -> pl.Expr:
    written = _joined("{}-{}-{}", _era_year(_ERA), _month(_ERA, 3), _padded(_ERA, 4))
    return pl.when(written.str.to_date("%Y-%m-%d", strict=False).is_not_null()).then(written)
