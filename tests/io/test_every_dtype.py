"""Tables of any types: what is written is read back as it was, and a release of it holds the values it should."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import icefire
from icefire.core.errors import IcefireError
from icefire.io.tables import write_frame

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs", "Cn")), min_size=1, max_size=6)
COLUMNS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "int8": (pl.Int8, st.integers(-128, 127)),
    "int64": (pl.Int64, st.integers(-(2**63), 2**63 - 1)),
    "uint64": (pl.UInt64, st.integers(0, 2**64 - 1)),
    "float64": (pl.Float64, st.floats(allow_nan=False, allow_infinity=False)),
    "float32": (pl.Float32, st.floats(width=32, allow_nan=False, allow_infinity=False)),
    "not_finite": (pl.Float64, st.sampled_from([1.5, float("nan"), float("inf"), -float("inf")])),
    "decimal": (pl.Decimal(12, 2), st.integers(-(10**9), 10**9).map(lambda n: Decimal(n) / 100)),
    "date": (pl.Date, st.dates(date(1, 1, 1), date(9999, 12, 31))),
    "datetime": (pl.Datetime("us"), st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1))),
    "time": (pl.Time, st.times()),
    "duration": (pl.Duration("us"), st.timedeltas(timedelta(0), timedelta(days=400))),
    "boolean": (pl.Boolean, st.booleans()),
    "text": (pl.String, TEXTS),
    "empty_text": (pl.String, st.sampled_from(["", "a", "b"])),
    "codes": (pl.String, st.integers(0, 999).map(lambda n: f"{n:05d}")),
    "long_codes": (pl.String, st.integers(10**18, 10**19 - 1).map(str)),
    "categorical": (pl.Categorical, st.sampled_from(["x", "y", "z"])),
    "enum": (pl.Enum(["lo", "mid", "hi"]), st.sampled_from(["lo", "mid", "hi"])),
    "nothing": (pl.Null, st.none()),
}
KINDS = ("parquet", "arrow", "csv", "json", "jsonl")
ROWS = 12
QUICK = settings(
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    """Tables of a few columns of any types; any cell may be missing."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4, unique=True))
    columns = []
    for name in names:
        dtype, values = COLUMNS[name]
        cells = draw(st.lists(values | st.none() if draw(st.booleans()) else values, min_size=ROWS, max_size=ROWS))
        columns.append(pl.Series(name, cells, dtype=dtype))
    return pl.DataFrame(columns)


def texts(frame: pl.DataFrame) -> dict[str, list[str | None]]:
    """Every value as text, whatever type it has: numbers with all digits, moments in ISO form."""
    return {column.name: [_text(value) for value in column.to_list()] for column in frame}


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return _moment(str(value)) or None


def _moment(text: str) -> str:
    """Return the text of a moment with microseconds, other texts as they are."""
    try:
        return datetime.fromisoformat(text).isoformat(timespec="microseconds") if len(text) > 9 else text
    except ValueError:
        return text


def read_or_refused(source: Any, **options: Any) -> icefire.Dataset | None:
    """Read a table; None if it is refused, in one sentence."""
    try:
        return icefire.read(source, **options)
    except IcefireError as error:
        check_sentence(error)
        return None


def check_sentence(error: IcefireError) -> None:
    assert len(str(error).splitlines()) == 1


@settings(QUICK, max_examples=60)
@given(frame=frames(), kind=st.sampled_from(KINDS))
def test_values_stay_what_they_are_in_every_file(frame: pl.DataFrame, kind: str, tmp_path: Path) -> None:
    data = read_or_refused(frame)
    if data is None:
        return
    path = tmp_path / f"table.{kind}"
    write_frame(data.frame, path)
    again = read_or_refused(path)
    assert again is None or texts(again.frame) == texts(data.frame)


@settings(QUICK, max_examples=30)
@given(frame=frames())
def test_pandas_and_arrow_hold_the_same_values(frame: pl.DataFrame) -> None:
    pytest.importorskip("pandas")
    data = read_or_refused(frame.drop("not_finite", strict=False))
    if data is None:
        return
    kept = data.frame
    for table in (kept.to_pandas(), kept.to_pandas(use_pyarrow_extension_array=True), kept.to_arrow()):
        again = read_or_refused(table)
        assert again is not None
        assert texts(again.frame) == texts(data.frame)


@settings(QUICK, max_examples=12)
@given(frame=frames())
def test_a_release_holds_the_values_of_the_original(frame: pl.DataFrame) -> None:
    """Values are exchanged between people, so each column keeps its values; the audit has an answer or one sentence."""
    names = frame.columns
    data = read_or_refused(frame, qi=names[:1], sa=names[1:])
    if data is None:
        return
    try:
        release = icefire.anonymize(data, {"step": [{"method": "swap", "columns": "@all"}]}, seed=1)
        card = icefire.audit(data, release, attacks=["id_rand"], measures=["k_min"]).scorecard
    except IcefireError as error:
        check_sentence(error)
        return
    for name in names:
        before, after = (sorted(texts(side)[name], key=str) for side in (data.frame, release.released.frame))
        assert before == after
    assert card.verdict.passed in (True, False)
    assert card.attacks["id_rand"].targets == ROWS
