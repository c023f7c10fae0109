"""Which original row each released row is compared with: learned by the joint attack, or the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.attacks.tables.link.attack import link
from icefire.core import blocks, seeds
from icefire.core.dataset import Dataset, kinds
from icefire.core.release import Case, Guess
from icefire.core.schema import Column, Role, Schema
from icefire.kernels.types import Int

MOST_ROWS = 2000
"""Released rows that are compared row by row; of larger tables, whole classes drawn at random."""
MOST_TRUE_ROWS = 20_000
"""Up to so many released rows are compared where the truth is known."""
MOST_ORIGINALS = 50_000
"""Beyond this the original rows are drawn too, which leaves most released rows without their own."""


@dataclass(frozen=True)
class RowMatching:
    """Pairs of rows, and how sure they are."""

    y: Int
    """Released rows that are compared."""
    x: Int
    """The original row of each."""
    certainty: float
    """Mean probability that a pair is right."""
    credit: float
    """How much the pairs count: 0 where the people released seem not to be in the original."""
    exchanged: bool
    """Whether the joint attack takes values as exchanged within classes."""


def by_truth(rows: Int, chosen: Int) -> RowMatching:
    """Match the chosen rows as the judge knows them; all rows of a table that is not large, which costs little."""
    chosen = np.arange(len(rows)) if len(rows) <= MOST_TRUE_ROWS else chosen
    return RowMatching(chosen, rows[chosen], 1.0, 1.0, False)


@dataclass(frozen=True)
class LearnedMatching:
    """What the joint attack answered, and the pairs of rows that follow from it."""

    rows: RowMatching
    asked: Int
    """The released rows that it was asked about."""
    guess: Guess | None
    """Its answers as rows of the original; None where it saw only some of them."""


def learned(original: Dataset, released: pl.DataFrame, names: Sequence[str], chosen: Int, seed: int) -> LearnedMatching:
    """Match the chosen released rows by the joint attack.

    Args:
        original: The original table.
        released: The released table.
        names: The columns to compare.
        chosen: The released rows to match.
        seed: Seed of the attack.
    """
    rng = seeds.generator(seed, "fingerprint", "matching")
    known = np.arange(original.height)
    if original.height > MOST_ORIGINALS:
        known = np.sort(rng.permutation(original.height)[:MOST_ORIGINALS])
    guess = link(case_of(original.take(known), released[chosen], names), rng=rng)
    answered = guess.first >= 0
    certainty = 0.0 if guess.probability is None else float(guess.probability.mean())
    rows = RowMatching(
        chosen[answered],
        known[guess.first[answered]],
        certainty,
        float(guess.notes.get("credit", 0.0)),
        bool(guess.notes.get("exchanged_within_classes", False)),
    )
    return LearnedMatching(rows, chosen, guess if len(known) == original.height else None)


def case_of(original: Dataset, released: pl.DataFrame, names: Sequence[str]) -> Case:
    """Return what an attacker holds, over some of the columns."""
    frame = original.frame.select(names)
    seen = kinds(frame)
    schema = Schema(tuple(Column(name, _role(original, name), seen[name]) for name in names), original.schema.origin)
    return Case(Dataset(frame, schema), Dataset(released.select(names), schema))


def _role(original: Dataset, name: str) -> Role:
    return original.schema[name].role


def rows_to_compare(released: pl.DataFrame, qi: Sequence[str], seed: int) -> Int:
    """Return all released rows, or of a large table those of classes drawn at random."""
    if released.height <= MOST_ROWS:
        return np.arange(released.height)
    rng = seeds.generator(seed, "fingerprint", "rows")
    labels = blocks.blocks_of_table(released, qi).x_labels if qi else np.arange(released.height)
    place = rng.permutation(int(labels.max()) + 1)[labels]
    return np.sort(np.argsort(place, kind="stable")[:MOST_ROWS])
