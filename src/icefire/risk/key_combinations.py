"""Class sizes for combinations of columns that somebody may know together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, did_you_mean
from icefire.core.scorecard.survey_risks import KeyCombination
from icefire.kernels.types import Float

Keys = tuple[tuple[str, ...], ...]


def parse_keys(given: str | Sequence[str | Sequence[str]]) -> Keys:
    """Read combinations of columns: "age,sex;age,postcode", several such texts, or lists of columns.

    Raises:
        ParameterError: If a combination is empty or names a column twice.
    """
    several = [given] if isinstance(given, str) else list(given)
    combinations: list[tuple[str, ...]] = []
    for one in several:
        parts = one.split(";") if isinstance(one, str) else [one]
        for part in parts:
            names = part.split(",") if isinstance(part, str) else part
            combinations.append(tuple(name.strip() for name in names if name.strip()))
    for names in combinations:
        if not names or len(set(names)) < len(names):
            raise ParameterError(
                f"--keys has the combination {', '.join(names)!r}; name at least one column, each once, for example "
                '--keys "age,sex;age,postcode"'
            )
    return tuple(combinations)


def key_combinations(data: Dataset, keys: Keys, weights: Float | None = None) -> list[KeyCombination]:
    """Count the classes of every combination of columns.

    Args:
        data: The table.
        keys: The combinations.
        weights: How many people each row stands for.

    Raises:
        SchemaError: If a column is not in the table.
    """
    results = []
    for names in keys:
        for name in names:
            if name not in data.frame.columns:
                raise SchemaError(f"--keys: no column {name!r}; {did_you_mean(name, data.frame.columns)}")
        classes = blocks.blocks_of_table(data.frame, names)
        sizes = classes.x_sizes
        weighted = None if weights is None else float(np.bincount(classes.x_labels, weights).min())
        alone = int((sizes == 1).sum())
        results.append(KeyCombination([*names], int(sizes.min()), len(sizes), alone, data.height, weighted))
    return results
