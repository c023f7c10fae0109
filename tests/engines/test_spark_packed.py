"""Rows packed as bytes come back as they were, whatever is missing; facts of columns are those of one process."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from icefire.core.parts import ROW
from icefire.engines import spark_columns, spark_packed
from icefire.engines.raw_tables import ROWS, VALUE, PolarsTable
from icefire.engines.spark_packed import GROUP, HELD, packed, unpacked

TYPES = {"a": pl.Int8, "b": pl.Int32, "c": pl.Float64, ROW: pl.Int64}


def coded(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    gaps = [None if number % 7 == 3 else number for number in range(rows)]
    columns = {"a": [number % 5 for number in range(rows)], "b": gaps, "c": rng.normal(size=rows)}
    groups = pl.Series(GROUP, rng.integers(0, 3, rows), dtype=pl.Int64)
    return pl.DataFrame({**columns, ROW: range(rows)}, schema=TYPES).with_columns(groups)


@pytest.mark.parametrize("rows", [0, 1, 8, 200])
def test_packed_rows_come_back_in_the_order_of_their_group(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_packed, "PIECE_ROWS", 16)
    frame = coded(rows)
    pieces = packed(frame)
    assert pieces[HELD].sum() == rows
    assert pieces[HELD].max() in (None, *range(1, 17))
    assert unpacked(pieces, TYPES).equals(frame.sort(GROUP, maintain_order=True).drop(GROUP))
    some = unpacked(pieces.filter(pl.col(GROUP) == 1), {"c": pl.Float64})
    assert some.equals(frame.filter(pl.col(GROUP) == 1).select("c"))


def test_a_result_without_rows_keeps_its_columns() -> None:
    columns = {"name": pl.String, "value": pl.Float64}
    content = spark_packed.as_bytes(pl.DataFrame(schema=columns), columns)
    pieces = pl.DataFrame({spark_packed.PLACE: [0], spark_packed.RESULT: [content]})
    assert dict(spark_packed.results_of(pieces, columns).schema) == columns
    assert dict(spark_packed.results_of(pieces.clear(), columns).schema) == columns


def columns_of_all_types() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "text": ["a", None, "b", "a"],
            "number": [1.5, 1.5, None, -0.0],
            "narrow": pl.Series([0.1, 0.1, 0.2, None], dtype=pl.Float32),
            "whole": [2**62, 2**62, 3, None],
            "true": [True, None, True, False],
            "day": [date(2020, 1, 31), None, date(1960, 2, 29), date(1960, 2, 29)],
            "moment": [datetime(2020, 1, 1, 0, 0, 0, 7), None, datetime(1960, 1, 1), datetime(1960, 1, 1)],
        }
    )


def test_values_of_every_type_are_counted_as_in_one_process() -> None:
    frame = columns_of_all_types()
    table = PolarsTable(frame.lazy())
    for place, (name, dtype) in enumerate(frame.schema.items()):
        counted = spark_columns._count(frame, name, dtype, place)
        assert dict(counted.schema) == spark_columns.COUNTED
        merged = spark_columns._values(counted, spark_columns.plain_type(name, dtype))
        assert merged.sort(VALUE, ROWS).equals(table.counts(name).sort(VALUE, ROWS)), name


def test_figures_of_chunks_are_merged() -> None:
    frame = columns_of_all_types().select("number", "whole")
    chunks = [frame[:2], frame[2:], frame[2:]]  # two alike, as the cluster counts them
    dtypes = dict(frame.schema)
    rows = pl.concat(spark_columns._look_at_chunk(chunk, dtypes, list(dtypes), []) for chunk in chunks)
    counted = rows.group_by(pl.exclude(ROWS)).agg(pl.col(ROWS).sum())
    merged = spark_columns._merged_figures(counted, list(dtypes))
    assert merged == PolarsTable(pl.concat(chunks).lazy()).figures(list(dtypes))
