"""The command line and Python draw the same sample where no seed is given."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from support.commands import run_icefire

import icefire
from icefire.core.errors import ParameterError


@pytest.mark.parametrize("name", ["households", "survey", "shop", "hospital"])
def test_python_and_the_command_line_draw_the_same(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_icefire(capsys, "sample", name, "-n", 20, "-o", tmp_path / "data").code == 0
    written = pl.read_csv(tmp_path / "data" / f"{name}.csv", schema_overrides=icefire.sample(name, 20).frame.schema)
    assert written.equals(icefire.sample(name, 20).frame)


@pytest.mark.parametrize("rows", [0, -3])
def test_a_sample_without_rows_is_refused(rows: int) -> None:
    with pytest.raises(ParameterError, match=f"a sample of {rows} rows cannot be made"):
        icefire.sample("households", rows)
