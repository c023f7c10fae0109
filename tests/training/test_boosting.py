"""Training of the fingerprint's trees: it learns what there is to learn, and the same each time."""

from __future__ import annotations

import sys

import numpy as np
from support.places import ROOT

sys.path.insert(0, str(ROOT))

from training.fingerprint.boosting import Settings, bin_edges, binned, train
from training.fingerprint.tables import random_table


def figures_and_labels() -> tuple[np.ndarray, np.ndarray]:
    """Figure 0 above 0.5 while figure 1 is known decides; figure 2 says nothing."""
    rng = np.random.default_rng(4)
    figures = rng.random((600, 3))
    figures[rng.random(600) < 0.3, 1] = np.nan
    return figures, ((figures[:, 0] > 0.5) & ~np.isnan(figures[:, 1])).astype(float)


def test_trees_learn_a_rule_of_two_figures() -> None:
    figures, labels = figures_and_labels()
    model = train(figures[:400], labels[:400], 1, Settings(trees=30, features=1.0))
    answers = np.array([model.log_odds(row) > 0 for row in figures[400:]])
    assert (answers == labels[400:]).mean() > 0.98
    added = np.abs(np.stack([model.contributions(row) for row in figures[400:]])).mean(axis=0)
    assert added[2] < 0.1 * min(added[0], added[1])


def test_training_is_repeatable() -> None:
    figures, labels = figures_and_labels()
    first, second = (train(figures, labels, 1, Settings(trees=5)) for _ in range(2))
    assert all((a.threshold == b.threshold).all() for a, b in zip(first.trees, second.trees, strict=True))


def test_missing_figures_lie_below_all_others() -> None:
    figures = np.array([[np.nan], [1.0], [2.0], [3.0]])
    assert binned(figures, bin_edges(figures)).tolist() == [[0, 1, 2, 3]]


def test_training_tables_are_repeatable_and_varied() -> None:
    drawn = [random_table(np.random.default_rng(seed)) for seed in range(12)]
    assert drawn[0].frame.equals(random_table(np.random.default_rng(0)).frame)
    assert all(300 <= table.height <= 2000 and table.qi and table.sa for table in drawn)
    assert len({table.frame.width for table in drawn}) > 4
