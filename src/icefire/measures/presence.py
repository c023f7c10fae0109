"""k-map and δ-presence: the release against the population it was drawn from, for which the original stands."""

from __future__ import annotations

from typing import Literal

import numpy as np

from icefire.errors import UndefinedError
from icefire.models import Suppressed
from icefire.models.wildcard import Gaps
from icefire.parameters import Columns
from icefire.registry import measure
from icefire.release import Comparison, Float

NOBODY = (
    "no released combination of quasi-identifiers occurs in the original; "
    "generalised values match nobody by themselves: generalise the original alike"
)


@measure("k_map", needs=("qi", "population"), better="higher", best="the original")
def k_map(comparison: Comparison, *, qi: Columns = None, suppressed: Suppressed = "own_value") -> float:
    """Smallest number of original rows that share the quasi-identifiers of a released row: k of k-map.

    A released row that matches nobody links to nobody and does not count. `suppressed` says how a missing
    quasi-identifier is read: as a value of its own, or as a wildcard that matches any.
    """
    keys = comparison.original.schema.pick(qi, comparison.original.qi, "qi")
    if suppressed == "wildcard":
        people, shown = Gaps.both(comparison.original.frame, comparison.released.frame, keys)
        matches = shown.compatible(people)
    else:
        found = comparison.case.blocks(keys)
        matches = found.x_sizes[found.y_sizes > 0].astype(np.float64)
    if not (matches > 0).any():
        raise UndefinedError(NOBODY)
    return float(matches[matches > 0].min())


@measure("delta_presence", needs=("qi", "population"))
def delta_presence(
    comparison: Comparison,
    *,
    qi: Columns = None,
    bound: Literal["max", "min"] = "max",
    suppressed: Suppressed = "own_value",
) -> float:
    """Largest chance that somebody of the original is in the release, told from the quasi-identifiers: δ-presence.

    Each released row is shared out equally among the original rows it matches; what a person gets in all, 1 at most,
    is their chance. Without missing cells that is released rows / original rows of the class. `bound` = min gives the
    smallest chance instead.
    """
    keys = comparison.original.schema.pick(qi, comparison.original.qi, "qi")
    shares = _by_wildcard(comparison, keys) if suppressed == "wildcard" else _by_class(comparison, keys)
    if not shares.any():
        raise UndefinedError(NOBODY)
    chances = np.minimum(shares, 1.0)
    return float(chances.max() if bound == "max" else chances.min())


def _by_class(comparison: Comparison, keys: tuple[str, ...]) -> Float:
    found = comparison.case.blocks(keys)
    known = found.x_sizes > 0
    shares: Float = found.y_sizes[known] / found.x_sizes[known]
    return shares


def _by_wildcard(comparison: Comparison, keys: tuple[str, ...]) -> Float:
    people, shown = Gaps.both(comparison.original.frame, comparison.released.frame, keys)
    matches = shown.compatible(people)
    given = np.where(matches > 0, shown.sizes / np.maximum(matches, 1), 0.0)
    return people.compatible(shown, given)
