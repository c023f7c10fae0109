"""Privacy models: what a class may tell about a sensitive attribute, checked on a table or while one is made."""

from __future__ import annotations

from icefire.models.coding import CodedAttribute, encode
from icefire.models.constraints import Constraint, classes_keeping, lasting_classes, select_classes
from icefire.models.model import PrivacyModel, build, check_possible, hierarchical
from icefire.models.population import PopulationBounds, PopulationIndex, index_population
from icefire.models.statistics import DEFAULT_C, STATISTICS, TOLERANCE, Statistic
from icefire.models.table import Suppressed, classes_of, worst, worst_by_hierarchy
from icefire.models.value_tree import ValueTree, place_in_tree, read_hierarchies, tree_from_levels

__all__ = [
    "DEFAULT_C",
    "STATISTICS",
    "TOLERANCE",
    "CodedAttribute",
    "Constraint",
    "PopulationBounds",
    "PopulationIndex",
    "PrivacyModel",
    "Statistic",
    "Suppressed",
    "ValueTree",
    "build",
    "check_possible",
    "classes_keeping",
    "classes_of",
    "encode",
    "hierarchical",
    "index_population",
    "lasting_classes",
    "place_in_tree",
    "read_hierarchies",
    "select_classes",
    "tree_from_levels",
    "worst",
    "worst_by_hierarchy",
]
