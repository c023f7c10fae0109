"""Six people, as data and as a file, for the tests of recipes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sixpeople import TABLE, people

from icefire.core.dataset import Dataset


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the table in x.csv, and a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("x.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def six() -> Dataset:
    """The table with its roles."""
    return people()
