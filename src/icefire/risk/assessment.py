"""Run all risk models on one release, and count what each attack identified among the rows at risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from icefire.core.errors import ParameterError
from icefire.core.release import Comparison
from icefire.core.scorecard.risks import Reached, Risks
from icefire.kernels.types import Bool
from icefire.risk import classes, safe_harbour, special, survey
from icefire.risk.households import household_risk
from icefire.risk.key_combinations import Keys, key_combinations

Hits = Mapping[str, Bool]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user may choose."""

    threshold: float = 0.2
    """Rows with a higher chance are counted as above the threshold."""
    population: int | None = None
    """Size of the population that the original is a sample of; with none the original is the population."""
    max_size: int = 3
    """Special uniques: sets of at most so many columns."""
    listed: int = 10
    """Special uniques: rows named."""
    keys: Keys = ()
    """Combinations of columns whose classes are counted besides."""

    def checked(self, originals: int = 1) -> Options:
        """Return itself if it makes sense for an original of at least so many rows."""
        if not 0 <= self.threshold <= 1:
            raise ParameterError(
                f"the risk threshold is {self.threshold}; it is a share between 0 and 1, for example 0.2"
            )
        if self.population is not None and self.population < originals:
            raise ParameterError(
                f"the population is {self.population:,}, less than the {originals:,} rows of the original; give the "
                "number of people the original was drawn from, or leave it out"
            )
        return self


def assess(
    comparison: Comparison, hits: Hits, options: Options, released: pl.DataFrame | None = None
) -> tuple[Risks, pl.DataFrame]:
    """Run every model; returns the summary and, for each released row, its class sizes and its special score.

    `hits` tells for each attack which released rows it identified. `released` is the table as it was published, if it
    has more columns than the comparison.
    """
    options.checked(comparison.original.height)
    shown = comparison.released.frame if released is None else released
    harbour = safe_harbour.check(shown)
    rows = comparison.released.height
    weights = survey.weights_of(comparison.original)
    listed = key_combinations(
        comparison.released, options.keys, None if weights is None else weights[comparison.truth.rows]
    )
    if not comparison.released.qi:
        reached = {name: Reached(int(hit.sum()), 0, 0, 0, 0) for name, hit in hits.items()}
        return Risks(rows, options.threshold, None, None, reached, harbour, keys=listed), pl.DataFrame()
    sizes = classes.sizes(comparison)
    alone = special.find(comparison.released, comparison.released.qi, options.max_size)
    per_row = pl.DataFrame(
        {"class_size": sizes.released, "original_class_size": sizes.original, "special_score": alone.scores}
    )
    risks = Risks(
        rows=rows,
        threshold=options.threshold,
        classes=classes.summarize(sizes, options.threshold, options.population),
        special=special.summarize(alone, hits, options.listed),
        attacks=_reached(per_row, classes.prosecutor(sizes) > options.threshold, hits),
        safe_harbour=harbour,
        weighted=survey.weighted_risk(comparison, sizes.labels, options.threshold),
        household=household_risk(comparison, classes.prosecutor(sizes), hits, options.threshold),
        keys=listed,
    )
    return risks, per_row


def _reached(per_row: pl.DataFrame, above: Bool, hits: Hits) -> dict[str, Reached]:
    """Count what each attack identified, by what the models say of the row."""
    unique = per_row["class_size"].to_numpy() == 1
    special_ones = per_row["special_score"].to_numpy() > 0
    unmatched = per_row["original_class_size"].to_numpy() == 0
    groups = (unique, above, special_ones, unmatched)
    return {
        name: Reached(int(hit.sum()), *(int((hit & group).sum()) for group in groups)) for name, hit in hits.items()
    }
