"""What every attack keeps, whatever it is asked and on whatever data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefire.core import seeds
from icefire.core.registry import Entry
from icefire.core.release import Guess


def says_what_it_knows(entry: Entry) -> None:
    """Check what an attack says of itself."""
    assert entry.knows, f"{entry.name}: an attack says what the attacker knows"
    text = (entry.function.__doc__ or "").lower()
    assert "attacker knows" in text, f"{entry.name}: the docstring says what the attacker knows"
    assert "success" in text, f"{entry.name}: the docstring says what success is"


def answers(entry: Entry, case: Callable[[], Any], tables: list[Any]) -> Guess:
    """Run an attack twice, on a fresh case each time: answers that fit, the same both times, and untouched tables."""
    before = [table.frame.clone() for table in tables]

    def run() -> Guess:
        guess: Guess = entry.function(case(), rng=seeds.generator(1, entry.name), **entry.bind({}))
        return guess

    guess = run()
    for table, copy in zip(tables, before, strict=True):
        assert table.frame.equals(copy), f"{entry.name}: the tables handed in are not changed"
    assert isinstance(guess, Guess), f"{entry.name}: an attack returns a Guess"
    assert guess.rows.dtype == np.int64, f"{entry.name}: answers are 64-bit integers"
    asked = case()
    guess.checked(asked.targets, asked.choices)
    assert np.array_equal(guess.rows, run().rows), f"{entry.name}: the same seed gives the same answers"
    return guess
