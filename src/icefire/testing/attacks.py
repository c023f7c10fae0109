"""The contract of attacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.core import seeds
from icefire.core.errors import IcefireError
from icefire.core.registry import Entry
from icefire.core.release import Guess
from icefire.testing.attribute_attacks import check_attribute_attack
from icefire.testing.chance import check_chance
from icefire.testing.examples import Example
from icefire.testing.repeated import run_twice
from icefire.testing.synthetic import check_synthetic_attack


def check_attack(entry: Entry, examples: Sequence[Example]) -> None:
    """Check that an attack answers every question with rows there are or scores, the same way each time."""
    if entry.question == "attribute":
        check_attribute_attack(entry)
        return
    for example in examples:
        guess = _check_answers(entry, example)
        if entry.question == "membership":
            _check_members(entry, guess)
    if entry.release == "synthetic":
        check_synthetic_attack(entry)
    else:
        check_chance(entry)


def _check_answers(entry: Entry, example: Example) -> Guess:
    guess = run_twice(entry, [example.original, example.released], lambda: _answer(entry, example), _rows)
    assert isinstance(guess, Guess), f"{entry.name}: an attack returns a Guess"
    assert guess.rows.dtype == np.int64, f"{entry.name}: answers are 64-bit integers"
    case = example.case()
    try:
        guess.checked(case.targets, case.choices)
    except IcefireError as error:
        raise AssertionError(f"{entry.name}: every question has one answer that can be true: {error}") from None
    return guess


def _answer(entry: Entry, example: Example) -> Guess:
    """Attack a fresh case, so that nothing that was computed before helps or disturbs."""
    guess: Guess = entry.function(example.case(), rng=seeds.generator(1, entry.name), **entry.bind({}))
    return guess


def _rows(guess: object) -> object:
    if not isinstance(guess, Guess):
        return None
    # As text, so that two scores that are no number are equal: that they are none is another promise.
    return guess.rows.tolist(), None if guess.scores is None else [str(score) for score in guess.scores.tolist()]


def _check_members(entry: Entry, guess: Guess) -> None:
    ordered = np.sort(guess.rows, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    assert not twice.any(), f"{entry.name}: no row is named twice for a record"
    silent = guess.first < 0
    assert (guess.rows[silent] < 0).all(), f"{entry.name}: whoever is no member has no row"
