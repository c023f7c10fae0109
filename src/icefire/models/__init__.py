"""Privacy models: what a class may tell about a sensitive attribute, checked on a table or while one is made."""

from __future__ import annotations

from icefire.models.coding import Coded, encode
from icefire.models.model import Model, build, check_possible, hierarchical
from icefire.models.statistics import DEFAULT_C, STATISTICS, Statistic
from icefire.models.table import Suppressed, classes_of, worst
from icefire.models.taxonomy import Tree, tree

__all__ = [
    "DEFAULT_C",
    "STATISTICS",
    "Coded",
    "Model",
    "Statistic",
    "Suppressed",
    "Tree",
    "build",
    "check_possible",
    "classes_of",
    "encode",
    "hierarchical",
    "tree",
    "worst",
]
