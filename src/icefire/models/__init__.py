"""Privacy models: what a class may tell about a sensitive attribute, checked on a table or while one is made."""

from __future__ import annotations

from icefire.models.coding import Coded, encode
from icefire.models.model import Model, build, check_possible, hierarchical
from icefire.models.population import Crowd, Population, gathered
from icefire.models.promises import Promise, kept, lasting, some
from icefire.models.statistics import DEFAULT_C, STATISTICS, TOLERANCE, Statistic
from icefire.models.table import Suppressed, classes_of, worst, worst_by_hierarchy
from icefire.models.taxonomy import Tree, planted, read_hierarchies, tree

__all__ = [
    "DEFAULT_C",
    "STATISTICS",
    "TOLERANCE",
    "Coded",
    "Crowd",
    "Model",
    "Population",
    "Promise",
    "Statistic",
    "Suppressed",
    "Tree",
    "build",
    "check_possible",
    "classes_of",
    "encode",
    "gathered",
    "hierarchical",
    "kept",
    "lasting",
    "planted",
    "read_hierarchies",
    "some",
    "tree",
    "worst",
    "worst_by_hierarchy",
]
