"""Train the model and write it into the package."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from icefire.audit.fingerprint import trees
from icefire.audit.fingerprint.methods import NAMES
from icefire.audit.fingerprint.signs import SIGN_NAMES
from icefire.audit.fingerprint.trees import FingerprintModel
from icefire.studies.fingerprint_releases import release_in_turn
from icefire.studies.fingerprint_tables import TableSource
from training.fingerprint.boosting import Settings, train
from training.fingerprint.draws import combination_in_turn
from training.fingerprint.examples import (
    Examples,
    ReleaseInTurn,
    collect_matchings,
    join_examples,
    matched_examples,
    true_examples,
)
from training.fingerprint.populations import population_table
from training.fingerprint.tables import random_table


@dataclass(frozen=True)
class ExampleSource:
    """Releases to train on: how they are drawn, from which make of synthetic tables, and how many."""

    draw: ReleaseInTurn
    tables: TableSource
    seeds: tuple[int, int]
    """Of releases whose rows are matched by the attack, and of those compared by the truth alone."""
    matched: int
    true: int


SOURCES = {
    "drawn": ExampleSource(release_in_turn, random_table, (7, 8), 400, 480),
    "populations": ExampleSource(release_in_turn, population_table, (17, 18), 250, 320),
    "combined_drawn": ExampleSource(combination_in_turn, random_table, (9, 10), 96, 240),
    "combined_populations": ExampleSource(combination_in_turn, population_table, (19, 20), 96, 240),
}
LEARNED_WEIGHT = 4.0
"""Releases matched by the attack are fewer, and what tables alone show matters more often."""
MODEL = Path(trees.__file__).parent / trees.MODEL_FILE


def training_examples(cache: Path) -> Examples:
    """Make the examples; matchings that the folder holds are not repeated."""
    cache.mkdir(parents=True, exist_ok=True)
    parts: list[Examples] = []
    for name, source in SOURCES.items():
        path, (seed, other_seed) = cache / f"{name}.pickle", source.seeds
        collect_matchings(path, source.draw, source.tables, seed, source.matched)
        parts.append(matched_examples(path, source.draw, source.tables, seed, source.matched))
        parts.append(true_examples(source.draw, source.tables, other_seed, source.true))
        print(f"{name}: figures of {sum(len(part.labels) for part in parts[-2:]):,} releases", flush=True)
    return join_examples(parts)


def trained(examples: Examples) -> FingerprintModel:
    """Train the trees of every method."""
    settings = Settings()
    weights = np.where(examples.by_truth, 1.0, LEARNED_WEIGHT)
    methods = {
        name: train(examples.figures, examples.labels[:, place], place, settings, weights)
        for place, name in enumerate(NAMES)
    }
    facts = {"examples": len(examples.labels), "trees": settings.trees, "depth": settings.depth}
    return FingerprintModel(SIGN_NAMES, methods, facts)


if __name__ == "__main__":
    MODEL.write_bytes(trained(training_examples(Path(sys.argv[1]))).to_bytes())
    print(f"{MODEL}: {MODEL.stat().st_size:,} bytes")
