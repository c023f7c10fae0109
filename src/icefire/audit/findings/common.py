"""Findings that every kind of data has: what happened to each row, and who is at highest risk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from icefire.audit import judge
from icefire.audit.findings.recognition import RecognisedPeople
from icefire.core.release import Guess, Truth
from icefire.core.scorecard.people import Person, PersonReason
from icefire.kernels.types import Float, Int

BIN_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
STEP = 0.1
"""People whose risk lies in the same step of this width rank as equals, so that the list does not hang on chance."""


def records(truth: Truth, guesses: Mapping[str, Guess], recognised: RecognisedPeople) -> pl.DataFrame:
    """Tell for every released row or subject which attacks identified it and how probably it is recognised."""
    rows = {"released_row": np.arange(len(truth)), "original_row": truth.rows}
    hits = {name: judge.hits(truth, guess) for name, guess in guesses.items()}
    ends = {"risk": recognised.risk, "risk_low": recognised.low, "risk_high": recognised.high}
    return pl.DataFrame(rows | hits | ends)


def at_risk(
    recognised: RecognisedPeople,
    truth: Truth,
    class_sizes: Int,
    most: int,
    reasons: Callable[[Int], Sequence[list[PersonReason]]] | None = None,
    values: Callable[[int], dict[str, Any]] | None = None,
    names: Sequence[str] | None = None,
) -> list[Person]:
    """List the people who are recognised with the highest probability, if more often than by chance.

    Among equals, those whom fewest others resemble come first, then by row.

    Args:
        recognised: The probabilities.
        truth: Original row or subject of each released one.
        class_sizes: For each released row or subject, how many look the same.
        most: How many people to list.
        reasons: Returns for released rows what gives them away.
        values: Returns the data of an original row or subject; None lists numbers only.
        names: Names of the original subjects; None where people are rows.

    Returns:
        The people, those at highest risk first.
    """
    exposed = np.flatnonzero(recognised.low > recognised.by_chance)
    step = np.floor(recognised.risk[exposed] / STEP + 1e-9)
    rows = exposed[_first_of([-step, class_sizes[exposed], truth.rows[exposed]], most)]
    telling = [[] for _ in rows] if reasons is None else reasons(rows)
    return [
        Person(
            original_row=int(truth.rows[row]),
            released_row=int(row),
            risk=float(recognised.risk[row]),
            interval=(float(recognised.low[row]), float(recognised.high[row])),
            by=recognised.attacks[recognised.attack[row]],
            columns=list(dict.fromkeys(reason.column for reason in given)),
            class_size=int(class_sizes[row]),
            values=None if values is None else values(int(truth.rows[row])),
            reasons=list(given),
            subject="" if names is None else str(names[int(truth.rows[row])]),
        )
        for row, given in zip(rows, telling, strict=True)
    ]


def _first_of(keys: Sequence[Int | Float], most: int) -> Int:
    """Return the places of the first ones in the order of several keys, the first key leading; at most so many."""
    chosen, tied, left = [], np.arange(len(keys[0])), most
    for key in keys:
        if len(tied) <= left or not left:
            break
        values = key[tied]
        limit = np.partition(values, left - 1)[left - 1]
        chosen.append(tied[values < limit])
        tied, left = tied[values == limit], left - len(chosen[-1])
    few = np.concatenate([*chosen, tied])
    first: Int = few[np.lexsort(tuple(key[few] for key in reversed(keys)))][:most]
    return first


def histogram(sizes: Int) -> list[tuple[int, int | None, int, int]]:
    """Count groups by size: (smallest size, largest size or None, groups, members) for each bin."""
    bins = []
    for low, above in zip(BIN_EDGES, [*BIN_EDGES[1:], None], strict=True):
        inside = sizes[(sizes >= low) & (sizes < above)] if above else sizes[sizes >= low]
        bins.append((low, above - 1 if above else None, len(inside), int(inside.sum())))
    return bins
