"""Columns may be called what icefire and polars call columns of their own."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire

NAMES = ("__count__", "len", "count", "value", "rows", "index", "index_right", "literal")


@pytest.mark.parametrize("question", [{"aligned": True, "attacks": ["link", "class"]}, {"synthetic": True}], ids=str)
def test_columns_called_like_our_own_are_audited(question) -> None:
    rng = np.random.default_rng(1)
    numbers = {name: rng.integers(0, 9, 60) for name in NAMES[::2]}
    texts = {name: rng.choice(list("abc"), 60) for name in NAMES[1::2]}
    table = pl.DataFrame({**numbers, **texts}).select(NAMES)
    shuffled = table.select(pl.col(name).shuffle(seed=3) for name in NAMES)
    card = icefire.audit(table, shuffled, qi=NAMES[:4], sa=NAMES[4:], **question).scorecard
    assert card.roles.qi == list(NAMES[:4])
