"""Post-randomisation: change categories at random, with known probabilities."""

from __future__ import annotations

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns, Share
from icefire.core.registry import method
from icefire.kernels.types import Int
from icefire.methods.common.columns import CATEGORIES_BY_ROLE, Coded, categories, coded


@method(
    "pram",
    needs=("qi",),
    draws=True,
    drops_rows=False,
    breaks_classes=True,
    defaults={"columns": CATEGORIES_BY_ROLE},
    in_partitions="partitions",
)
def pram(
    data: Dataset, *, rng: np.random.Generator, keep: Share = 0.8, invariant: bool = True, columns: Columns = None
) -> Dataset:
    """Keep each category with a probability, else draw another by the frequencies of the column.

    With f the frequencies of a column and k = `keep`, value i becomes j with probability

    - invariant: k·[i = j] + (1 - k)·f(j). The own value may be drawn again, so it stays with k + (1 - k)·f(i).
      The expected frequency of j is k·f(j) + (1 - k)·f(j) = f(j): what it was.
    - otherwise: k for j = i, (1 - k)·f(j) / (1 - f(i)) for j ≠ i. Exactly k stay, and rare values become
      more frequent.

    Missing values stay missing and are never drawn.

    Args:
        data: The table.
        rng: Random generator.
        keep: Probability of keeping a category.
        invariant: Keep the expected frequencies.
        columns: Columns to change. Default: the quasi-identifiers that are categories, or all of them if none is.

    Returns:
        The table with other categories; the notes count the cells that changed.
    """
    names = categories(data, "pram", columns)
    draw = _any_value if invariant else _other_value
    changed, recoded = 0, []
    for name in names:
        known = coded(data.frame[name])
        moves = (rng.random(data.height) >= keep) & (known.codes >= 0)
        codes = np.where(moves, draw(known, rng), known.codes)
        changed += int((codes != known.codes).sum())
        recoded.append(known.column(codes))
    return data.with_columns(*recoded).noted(changed_cells=changed)


def _any_value(known: Coded, rng: np.random.Generator) -> Int:
    """For each row the value of a row drawn at random."""
    return _value_at(known, (rng.random(len(known.codes)) * known.counts.sum()).astype(np.int64))


def _other_value(known: Coded, rng: np.random.Generator) -> Int:
    """For each row the value of a row drawn at random among those with another value."""
    own = np.maximum(known.codes, 0)
    counts = known.counts if known.size else np.zeros(1, np.int64)
    before = np.cumsum(counts) - counts
    draws = (rng.random(len(own)) * (counts.sum() - counts[own])).astype(np.int64)
    # With the rows sorted by value, the own ones are a stretch to leap over.
    draws += np.where(draws >= before[own], counts[own], 0)
    alone = counts[own] == counts.sum()
    return np.where(alone, known.codes, _value_at(known, draws))


def _value_at(known: Coded, positions: Int) -> Int:
    """The value at a position of the sorted column."""
    return np.searchsorted(np.cumsum(known.counts), positions, side="right")
