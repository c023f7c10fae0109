"""Rows that equal an original: copies and coincidences."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support.gate_tables import CLUB, STAFF, club, shuffled, staff

import icefire
from icefire.audit.obstacles.verbatim import equal_rows
from icefire.core import align
from icefire.core.release import Case, Comparison, Truth


def compared(original: pl.DataFrame, released: pl.DataFrame, roles: dict) -> Comparison:
    known, shown = align.match(icefire.read(original, **roles), released)
    return Comparison(Case(known, shown), Truth(np.arange(released.height)))


def slow_equal_rows(original: pl.DataFrame, released: pl.DataFrame) -> list[int]:
    rows = original.rows()
    places = [[place for place, known in enumerate(rows) if known == row] for row in released.rows()]
    return [place[0] if len(place) == 1 else -1 for place in places]


@pytest.mark.parametrize("released", [club(rows=90), shuffled(club(rows=90))], ids=["copy", "shuffled"])
def test_equal_rows_are_those_a_slow_search_finds(released: pl.DataFrame) -> None:
    original = club(rows=90)
    matched = equal_rows(compared(original, released, CLUB))
    assert matched.rows.tolist() == slow_equal_rows(original, released)
    assert (matched.equal == (matched.rows >= 0)).all()


@pytest.mark.parametrize("seed", range(5))
def test_copies_are_told_from_coincidences(seed: int) -> None:
    table = club(seed)
    assert equal_rows(compared(table, shuffled(table, seed=seed), CLUB)).by_coincidence
    mixed = table.sample(fraction=1, shuffle=True, seed=seed)
    assert not equal_rows(compared(table, mixed, CLUB)).by_coincidence
    assert not equal_rows(compared(table, mixed[:150], CLUB)).by_coincidence


def test_many_columns_leave_no_room_for_coincidence() -> None:
    table = staff()
    few = pl.concat([table[:20], shuffled(table)[20:]])
    assert not equal_rows(compared(table, few, STAFF)).by_coincidence
