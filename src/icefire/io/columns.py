"""The columns of a table that was read: text that holds numbers becomes numbers, rare types become common ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from icefire.core import align, codes
from icefire.core.errors import InputError, listing
from icefire.core.reading import PLAIN, ColumnSource, Expected, Spelling, type_name
from icefire.io import numbers
from icefire.io.format import Format
from icefire.io.numbers import WrittenNumbers

SAMPLE_ROWS = 1_000
NEARLY_ALL = 0.9
"""In a column with at least this share of numbers, a few words are signs for missing that nobody named."""
FEW_WORDS = 5


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table as its source gives it."""

    frame: pl.DataFrame
    source: str
    is_typed: bool = True
    """The source tells text from numbers; a text file does not."""
    spellings: Mapping[str, Spelling] | None = None
    """How columns are written that were read as numbers or truth values."""
    separator: str = ","
    remarks: tuple[str, ...] = ()
    mixes_types: bool = False
    """Cells of one column may be of different types, as in workbooks and SQLite."""


@dataclass(frozen=True, slots=True)
class _Context:
    """What decides how the text of one table is read."""

    table: str
    how: Format
    expected: Expected
    is_typed: bool
    mixes_types: bool


def recognised(raw: RawTable, table: str, how: Format, expected: Expected) -> tuple[pl.DataFrame, list[ColumnSource]]:
    """Return the table with columns of common types, and what each was read as.

    Raises:
        InputError: If numbers can be read in two ways, or a column of numbers holds words.
    """
    context = _Context(table, how, expected, raw.is_typed, raw.mixes_types)
    frame = pl.DataFrame([_with_missing(column, how.missing, raw.is_typed) for column in raw.frame])
    written = {column.name: _written(column, context) for column in frame if _may_hold_numbers(column, context)}
    decided = {sign for one in written.values() for sign in numbers.evidence(one) if not one.others}
    columns, readings = [], []
    for column in frame:
        spelling = (raw.spellings or {}).get(column.name, PLAIN)
        if column.name in written and len(column):
            values, reading = _as_numbers(column, written[column.name], decided, context)
        else:
            values, reading = common_type(column, raw.is_typed)
            reading = replace(reading, spelling=reading.spelling if spelling.is_plain else spelling)
        columns.append(values)
        readings.append(reading)
    return pl.DataFrame(columns), readings


def _with_missing(column: pl.Series, missing: tuple[str, ...], is_typed: bool) -> pl.Series:
    """Take the texts that stand for missing values out of a column; text readers have done so already."""
    if not is_typed or not missing or column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return column
    text = column.cast(pl.String)
    return text.set(text.str.strip_chars().is_in(list(missing)).fill_null(False), None)


def _may_hold_numbers(column: pl.Series, context: _Context) -> bool:
    """Tell by a sample whether a column of text is to be looked at in full."""
    if column.dtype != pl.String or column.name in context.expected.text:
        return False
    if len(column) <= 2 * SAMPLE_ROWS:
        return numbers.mostly_numbers(column)
    spread = column.gather_every(len(column) // SAMPLE_ROWS)
    return numbers.mostly_numbers(pl.concat([column.head(SAMPLE_ROWS), spread]))


def _written(column: pl.Series, context: _Context) -> WrittenNumbers:
    return numbers.take_apart(column)


def _as_numbers(
    column: pl.Series, written: WrittenNumbers, decided: set[str], context: _Context
) -> tuple[pl.Series, ColumnSource]:
    """Return a column of text as numbers where it holds such."""
    if numbers.holds_codes(written):
        return column, ColumnSource(column.name, "text", "digits that are names: leading zeros, or very many digits")
    if written.others:
        return column, _with_words(column, written, context)
    if context.is_typed and not written.has_marks:
        return column, ColumnSource(column.name, "text", "digits, but text in its source; a schema can say: number")
    decimal = _decimal_sign(column, written, decided, context)
    _check_units(column, written, context)
    read = None if decimal is None else numbers.values(written, decimal)
    if read is None:
        return column, _unreadable(column, written, decimal, context)
    assert decimal is not None
    known = pl.Series(written.parts["text"])
    values = column.replace_strict(known, read, default=None, return_dtype=read.dtype)
    spelling = numbers.spelling_of(written, read, decimal)
    return values, ColumnSource(column.name, type_name(read.dtype), _remark(written, spelling, decimal), spelling)


def _decimal_sign(column: pl.Series, written: WrittenNumbers, decided: set[str], context: _Context) -> str | None:
    """Return the decimal sign: as given, as the column shows, as the other version or the other columns have it."""
    signs, how = written.separators, context.how
    if how.decimal is not None:
        return how.decimal
    if how.thousands:
        return "," if how.thousands == "." else "."
    shown = numbers.evidence(written)
    if shown:
        return next(iter(shown)) if len(shown) == 1 else None
    if not signs & {".", ","}:
        return "."
    before = context.expected.spellings.get(column.name)
    if before is not None:
        return before.decimal
    if len(decided) == 1:
        return next(iter(decided))
    raise InputError(_two_readings(column, written, context))


def _two_readings(column: pl.Series, written: WrittenNumbers, context: _Context) -> str:
    sign = "." if "." in written.separators else ","
    other = "," if sign == "." else "."
    example = written.parts["text"].filter(written.bodies.str.contains(sign, literal=True))[0]
    return (
        f"column {column.name!r} of {context.table!r} can be read in two ways: in {example!r} the {sign!r} may be the "
        f"decimal sign or stand between thousands, and no value decides it; pass --decimal '{sign}' "
        f"or --decimal '{other}' --thousands '{sign}'"
    )


def _check_units(column: pl.Series, written: WrittenNumbers, context: _Context) -> None:
    """Refuse amounts that cannot be compared."""
    units = sorted({unit for group in written.units for unit in group if unit})
    bare = all("" in group for group in written.units) and _without_unit(written)
    if len(units) > 1 and not context.expected.is_release:
        raise InputError(
            f"column {column.name!r} of {context.table!r} holds numbers with different signs ({listing(units)}), which "
            "cannot be compared; convert them, or declare the column a category in --schema"
        )
    if bare and set(units) & {"%", "‰"} and not context.expected.is_release:
        raise InputError(
            f"column {column.name!r} of {context.table!r} holds numbers with {units[0]} and without; "
            "write them alike, or declare the column a category in --schema"
        )


def _without_unit(written: WrittenNumbers) -> bool:
    plain = written.parts.filter((pl.col("before") == "") & (pl.col("after") == ""))
    return bool((plain["body"].str.strip_chars("0.,") != "").any())


def _unreadable(column: pl.Series, written: WrittenNumbers, decimal: str | None, context: _Context) -> ColumnSource:
    """Refuse numbers that follow no one convention; a release may hold anything."""
    if context.expected.is_release:
        return ColumnSource(column.name, "text", "numbers and labels")
    if decimal is None:
        point, comma = _first_unreadable(written, ","), _first_unreadable(written, ".")
        examples = f"both {point!r} and {comma!r}"
        advice = "write them alike"
    else:
        examples = f"such values as {_first_unreadable(written, decimal)!r}"
        advice = "pass the right --decimal and --thousands"
    raise InputError(
        f"column {column.name!r} of {context.table!r} looks like numbers, but holds {examples}, which no one "
        f"convention reads{'' if decimal is None else f' with the decimal sign {decimal!r}'}; {advice}, or declare the "
        "column a category in --schema"
    )


def _first_unreadable(written: WrittenNumbers, decimal: str) -> str:
    for row in range(written.parts.height):
        one = replace(written, parts=written.parts[row : row + 1])
        if numbers.values(one, decimal) is None:
            return str(one.parts["text"][0])
    return str(written.parts["text"].filter(written.bodies.str.contains("[.,' _]"))[0])


def _with_words(column: pl.Series, written: WrittenNumbers, context: _Context) -> ColumnSource:
    """Keep a column of numbers and labels as text; refuse one of numbers and a few words that label nothing."""
    others = written.others
    words = pl.Series(others)
    share = 1 - int(column.is_in(words.implode()).sum()) / max(1, column.count())
    stray = not words.str.contains("[0-9]").any() and len(others) <= FEW_WORDS and share >= NEARLY_ALL
    if stray and not context.expected.is_release and (context.mixes_types or not context.is_typed):
        row = column.is_in(words.implode()).arg_true()[0]
        raise InputError(
            f"column {column.name!r} of {context.table!r} is mostly numbers, but row {row} holds {column[row]!r}; if "
            f"it stands for a missing value, pass --missing '{','.join(others)}'; if the row is a total and no person, "
            "remove it; if the column is a category, declare it so in --schema"
        )
    return ColumnSource(column.name, "text", f"numbers and labels, such as {others[0]!r}")


def _remark(written: WrittenNumbers, spelling: Spelling, decimal: str) -> str:
    """Say by which convention a column was read."""
    said = []
    if decimal in written.separators and (decimal == "," or len(written.separators) > 1):
        said.append("decimal comma" if decimal == "," else "decimal point")
    thousands = written.separators - {decimal}
    names = {" ": "a space", ",": "a comma", ".": "a point", "'": "an apostrophe", "_": "an underscore"}
    said += [f"{names[sign]} between thousands" for sign in sorted(thousands)]
    units = [unit for group in written.units for unit in group if unit]
    said += [f"{unit} left out of the value" for unit in units]
    if (written.parts["open"] == "(").any():
        said.append("brackets read as a minus sign")
    shown = [text.strip() or "blank" for text in written.missing]
    said += [f"{listing(dict.fromkeys(shown))} read as missing"] if shown else []
    return "; ".join(said)


def common_type(column: pl.Series, is_typed: bool = True) -> tuple[pl.Series, ColumnSource]:
    """Return a column with one of the types that all methods, measures and attacks take."""
    dtype = column.dtype
    if dtype == pl.Duration:
        seconds = column.dt.total_microseconds() / 1e6
        return seconds, ColumnSource(column.name, "decimal", "a duration, in seconds", source_type=dtype)
    if dtype.is_decimal():
        scale = getattr(dtype, "scale", 0) or None
        if scale is None:
            return _whole_numbers(column.cast(pl.Int128), is_typed, dtype)
        values = column.cast(pl.Float64)
        return values, ColumnSource(column.name, "decimal", "", Spelling(decimals=scale), dtype)
    if dtype == pl.Float32:
        return column.cast(pl.String).cast(pl.Float64), ColumnSource(column.name, "decimal", source_type=dtype)
    if dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String), ColumnSource(column.name, "text", source_type=dtype)
    if dtype == pl.Time:
        return _time_as_text(column), ColumnSource(column.name, "text", "a time of day", source_type=dtype)
    if dtype.is_integer():
        return _whole_numbers(column, is_typed)
    if dtype == pl.Null:
        return column.cast(pl.String), ColumnSource(column.name, "text", "missing in every row")
    return column, ColumnSource(column.name, type_name(dtype))


def _whole_numbers(
    column: pl.Series, is_typed: bool, dtype: pl.DataType | None = None
) -> tuple[pl.Series, ColumnSource]:
    dtype = dtype or column.dtype
    if codes.holds_long_codes(column):
        digits = f"digits that are names: {codes.LEAST_CODE_DIGITS} or more of them"
        return align.as_text(column), ColumnSource(column.name, "text", digits, source_type=dtype if is_typed else None)
    if column.dtype == pl.Int64:
        return column, ColumnSource(column.name, "integer")
    return column.cast(pl.Int64), ColumnSource(column.name, "integer", source_type=dtype)


def _time_as_text(column: pl.Series) -> pl.Series:
    """Write times as hour:minute:second, with a fraction only where one has it."""
    has_fraction = ((column.cast(pl.Int64) % 1_000_000_000) != 0).any()
    return column.dt.to_string("%H:%M:%S%.f" if has_fraction else "%H:%M:%S")
