"""Tables in every form people have them, matched by name whatever their order and type."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.core import align, roles
from icefire.core.schema import Column, Kind, Role
from icefire.io.format import Format
from icefire.io.tables import read_frame

ROWS = [(30, "a", 1.5), (31, "b", 2.5), (30, "a", 3.5)]
FRAME = pl.DataFrame(ROWS, schema=["age", "job", "pay"], orient="row")
TEXT = FRAME.write_csv()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter_is_found_by_itself(tmp_path, delimiter):
    (tmp_path / "t.csv").write_text(FRAME.write_csv(separator=delimiter))
    assert read_frame(tmp_path / "t.csv").equals(FRAME)


def test_a_delimiter_inside_quotes_does_not_count(tmp_path):
    (tmp_path / "t.csv").write_text('"a;b;c",n\n1,2\n3,4\n')
    assert read_frame(tmp_path / "t.csv").columns == ["a;b;c", "n"]


def test_an_unusual_delimiter_can_be_named(tmp_path):
    (tmp_path / "t.csv").write_text(FRAME.write_csv(separator="~"))
    assert read_frame(tmp_path / "t.csv", Format(delimiter="~")).equals(FRAME)


def test_gzip_and_a_byte_order_mark_are_read_through(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    (tmp_path / "crlf.csv").write_bytes(TEXT.replace("\n", "\r\n").encode())
    for name in ("t.csv.gz", "bom.csv", "crlf.csv"):
        assert read_frame(tmp_path / name).equals(FRAME), name


def test_parquet_and_arrow_files_are_read(tmp_path):
    FRAME.write_parquet(tmp_path / "t.parquet")
    FRAME.write_ipc(tmp_path / "t.arrow")
    assert read_frame(tmp_path / "t.parquet").equals(FRAME)
    assert read_frame(tmp_path / "t.arrow").equals(FRAME)


def test_tables_in_memory_are_taken_as_they_are():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    assert isinstance(FRAME.to_pandas(), pandas.DataFrame)
    assert isinstance(FRAME.to_arrow(), pyarrow.Table)
    for source in (FRAME, FRAME.lazy(), FRAME.to_pandas(), FRAME.to_arrow(), FRAME.to_dict(as_series=False)):
        assert read_frame(source).equals(FRAME), type(source)


def test_pandas_gaps_are_missing_values():
    pandas = pytest.importorskip("pandas")
    frame = read_frame(pandas.DataFrame({"s": [1.0, np.nan], "q": ["a", None]}))
    assert frame.null_count().row(0) == (1, 1)


def test_files_without_a_header_get_names(tmp_path):
    (tmp_path / "t.csv").write_text("".join(TEXT.splitlines(keepends=True)[1:]))
    assert read_frame(tmp_path / "t.csv", Format(header=False)).columns == ["c0", "c1", "c2"]
    named = read_frame(tmp_path / "t.csv", Format(header=False, columns=("age", "job", "pay")))
    assert named.equals(FRAME)


def test_a_sign_for_missing_can_be_named(tmp_path):
    (tmp_path / "t.csv").write_text("age,pay\n30,1.5\n?,NA\n40,3\n")
    frame = read_frame(tmp_path / "t.csv", Format(missing=("?", "NA")))
    assert frame.rows() == [(30, 1.5), (None, None), (40, 3.0)]


def test_a_column_that_turns_to_text_late_in_the_file_is_text(tmp_path):
    (tmp_path / "t.csv").write_text("code\n" + "1\n" * 20_000 + "x1\n")
    assert read_frame(tmp_path / "t.csv")["code"].dtype == pl.String


@pytest.mark.parametrize(
    ("x", "y", "same"),
    [
        ([1, 2], [1.0, 2.0], [True, True]),
        ([1, 2], ["1", "2.0"], [True, True]),
        ([1, 2], ["1", "2-3"], [True, False]),
        ([1.0, 2.0], ["1", "2 to 3"], [True, False]),
        ([True, False], [1, 0], [True, True]),
        (["a", None], ["a", None], [True, True]),
    ],
)
def test_columns_of_different_type_compare_by_value(x, y, same):
    column = Column("q", Role.QI, Kind.NUMBER)
    left, right = align.harmonise(pl.Series("q", x), pl.Series("q", y), column)
    assert left.dtype == right.dtype
    assert left.eq_missing(right).to_list() == same


def test_a_category_type_is_text():
    left, right = align.harmonise(
        pl.Series("q", ["a", "b"], dtype=pl.Categorical),
        pl.Series("q", ["a", "c"]),
        Column("q", Role.QI, Kind.CATEGORY),
    )
    assert (left == right).to_list() == [True, False]


def test_columns_may_stand_in_another_order_with_more_beside_them(households):
    frame = households.frame.select(reversed(households.frame.columns)).with_row_index("extra")
    found = icefire.audit(households, frame, aligned=True, attacks=["euc1"])
    assert found.scorecard.attacks["euc1"].rate == 1.0


def test_a_release_saved_as_text_is_attacked_like_the_original_types(households, tmp_path):
    households.frame.cast(pl.String).write_parquet(tmp_path / "text.parquet")
    found = icefire.audit(households, tmp_path / "text.parquet", aligned=True, attacks=["euc1"])
    assert found.scorecard.attacks["euc1"].rate == 1.0


def test_rows_are_matched_by_key_whatever_its_type(households):
    original = households.frame.with_columns(pl.Series("nr", np.arange(500) * 3 + 7))
    released = original[::-1].with_columns(pl.col("nr").cast(pl.String)).head(300)
    found = icefire.audit(original, released, key="nr", qi=households.qi, sa=households.sa, attacks=["euc1"])
    assert found.records["original_row"].to_list() == list(range(499, 199, -1))
    assert found.scorecard.roles.id == ["nr"]


def test_roles_are_inferred_from_the_values(households):
    frame = households.frame.with_columns(
        pl.Series("person", [f"p{i}" for i in range(500)]), pl.Series("nothing", [None] * 500)
    )
    schema = roles.choose(frame)
    assert schema.origin == "inferred"
    assert set(schema.qi) == set(households.qi)
    assert set(schema.sa) == set(households.sa)
    assert schema.named(Role.ID) == ("person",)
    assert schema.named(Role.OTHER) == ("nothing",)


def test_roles_come_from_a_file_with_kinds_overridden(tmp_path):
    (tmp_path / "s.toml").write_text('qi = ["age", "job"]\nsa = ["pay"]\ncategory = ["age"]\n')
    data = icefire.read(FRAME, schema=tmp_path / "s.toml")
    assert (data.qi, data.sa) == (("age", "job"), ("pay",))
    assert data.schema.kind("age") is Kind.CATEGORY
    assert data.schema.origin == "s.toml"
