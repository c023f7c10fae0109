"""Whole runs give what they gave before: scorecards, releases, inspections and boards, digit for digit."""

from __future__ import annotations

import pytest
from support import golden

ELSEWHERE = {"arena-demo"}
"""Compared where the demo is built for its other tests (tests/arena/demo)."""


@pytest.mark.parametrize("name", [name for name in golden.CASES if name not in ELSEWHERE])
def test_a_run_gives_the_stored_result(name: str) -> None:
    assert golden.made(name) == golden.stored(name)
