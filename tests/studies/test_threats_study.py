"""The study of threats: every figure is a share, and a release of nothing but a sample is the worst."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from icefire import studies
from icefire.studies import threats


@pytest.mark.heavy
def test_the_study_writes_methods_by_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("nothing but a sample", "synthetic rows")
    monkeypatch.setattr(threats, "METHODS", {name: threats.METHODS[name] for name in names})
    done = studies.run_study("threats", tmp_path / "out", rows=80, seed=1)
    table = done.parts[0].table
    assert table["method"].to_list() == [*names]
    shares = table.select(threats.QUESTIONS)
    assert shares.select(pl.all_horizontal(pl.all().is_between(0, 1)).all()).item()
    assert (shares.row(0)[0], shares.row(0)[4]) == (1.0, 1.0)
    assert "threats.png" in done.files
