"""The trained model: boosted decision trees for each method, and what each figure added to an answer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np

from icefire.kernels.types import Float, Int

MODEL_FILE = "model.json.gz"
DIGITS = 6


@dataclass(frozen=True)
class DecisionTree:
    """One tree. A node asks whether a figure is above a threshold; missing figures are not."""

    feature: Int
    """Which figure each node asks about; -1 in leaves."""
    threshold: Float
    left: Int
    right: Int
    value: Float
    """What the tree would add if it ended at the node."""

    def path(self, figures: Float) -> list[int]:
        """Return the nodes from the root to a leaf."""
        nodes = [0]
        while self.feature[nodes[-1]] >= 0:
            node = nodes[-1]
            above = figures[self.feature[node]] > self.threshold[node]
            nodes.append(int(self.right[node] if above else self.left[node]))
        return nodes


@dataclass(frozen=True)
class BoostedTrees:
    """Trees whose values add up to the log odds of a method."""

    bias: float
    trees: Sequence[DecisionTree]

    def log_odds(self, figures: Float) -> float:
        """Return the log odds for one release."""
        return self.bias + sum(float(tree.value[tree.path(figures)[-1]]) for tree in self.trees)

    def contributions(self, figures: Float) -> Float:
        """Return what each figure added to the log odds: the steps of the values along the paths."""
        added = np.zeros(len(figures))
        for tree in self.trees:
            nodes = tree.path(figures)
            for before, after in pairwise(nodes):
                added[tree.feature[before]] += tree.value[after] - tree.value[before]
        return added


@dataclass(frozen=True)
class FingerprintModel:
    """The trees of every method, over named figures."""

    features: tuple[str, ...]
    methods: Mapping[str, BoostedTrees]
    trained: Mapping[str, Any]
    """How it was trained and how well it did."""

    def to_bytes(self) -> bytes:
        """Write the model; the same model gives the same bytes."""
        content = {
            "features": self.features,
            "trained": self.trained,
            "methods": {
                name: {"bias": round(model.bias, DIGITS), "trees": [_written(tree) for tree in model.trees]}
                for name, model in self.methods.items()
            },
        }
        return gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0)


def _written(tree: DecisionTree) -> list[list[float]]:
    numbers = [tree.threshold, tree.value]
    threshold, value = ([float(f"{number:.{DIGITS}g}") for number in column] for column in numbers)
    return [tree.feature.tolist(), threshold, tree.left.tolist(), tree.right.tolist(), value]


def model_from_bytes(packed: bytes) -> FingerprintModel:
    """Read a model."""
    content = json.loads(gzip.decompress(packed))
    methods = {
        name: BoostedTrees(part["bias"], [_read(tree) for tree in part["trees"]])
        for name, part in content["methods"].items()
    }
    return FingerprintModel(tuple(content["features"]), methods, content["trained"])


def _read(columns: list[list[float]]) -> DecisionTree:
    feature, threshold, left, right, value = columns
    whole = [np.array(column, np.int64) for column in (feature, left, right)]
    return DecisionTree(whole[0], np.array(threshold, float), whole[1], whole[2], np.array(value, float))


@cache
def trained_model() -> FingerprintModel:
    """Read the model that comes with the package."""
    return model_from_bytes(files(__package__).joinpath(MODEL_FILE).read_bytes())
