"""Whole runs give what they gave before: scorecards, releases, inspections and boards, digit for digit."""

from __future__ import annotations

import pytest
from support import golden


@pytest.mark.parametrize("name", golden.CASES)
def test_a_run_gives_the_stored_result(name: str) -> None:
    if name == "arena-demo":
        pytest.importorskip("sqlalchemy", reason="the arena's packages are not installed")
    assert golden.made(name) == (golden.STORED / f"{name}.json").read_text(encoding="utf-8")
