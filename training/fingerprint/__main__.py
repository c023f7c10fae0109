"""Train the model and write it into the package."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from icefire.audit.fingerprint import trees
from icefire.audit.fingerprint.methods import NAMES
from icefire.audit.fingerprint.signs import SIGN_NAMES
from icefire.audit.fingerprint.trees import FingerprintModel
from training.fingerprint.boosting import Settings, train
from training.fingerprint.examples import Examples, collect_matchings, matched_examples, true_examples
from training.fingerprint.tables import random_table

MATCHED, TRUE = 400, 1500
"""Releases whose rows are matched by the attack, and by the truth alone."""
LEARNED_WEIGHT = 4.0
"""Releases matched by the attack are fewer, and what tables alone show matters more often."""
SEED, OTHER_SEED = 7, 8
MODEL = Path(trees.__file__).parent / trees.MODEL_FILE


def training_examples(cache: Path) -> Examples:
    """Make the examples; matchings that the folder holds are not repeated."""
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / "drawn.pickle"
    collect_matchings(path, random_table, SEED, MATCHED)
    return matched_examples(path, random_table, SEED).join(true_examples(random_table, OTHER_SEED, TRUE))


def trained(examples: Examples) -> FingerprintModel:
    """Train the trees of every method."""
    settings = Settings()
    weights = np.where(examples.by_truth, 1.0, LEARNED_WEIGHT)
    methods = {
        name: train(examples.figures, examples.labels[:, place], place, settings, weights)
        for place, name in enumerate(NAMES)
    }
    facts = {"examples": len(examples.labels), "trees": settings.trees, "depth": settings.depth, "seed": SEED}
    return FingerprintModel(SIGN_NAMES, methods, facts)


if __name__ == "__main__":
    MODEL.write_bytes(trained(training_examples(Path(sys.argv[1]))).to_bytes())
    print(f"{MODEL}: {MODEL.stat().st_size:,} bytes")
