"""k-map and δ-presence: the release against the original as the population it was drawn from."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core import align, blocks
from icefire.core.blocks import Blocks
from icefire.core.errors import ParameterError, UndefinedError
from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables, refuse_parameters
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.core.schema import Column, Kind, Role
from icefire.kernels.types import Float
from icefire.models import Suppressed, released_labels
from icefire.models.wildcard import Gaps
from icefire.risk.class_table import class_table
from icefire.risk.recoding import recode_original

NOBODY = (
    "no released combination of quasi-identifiers occurs in the original; "
    "generalised values match nobody by themselves: name the hierarchies with the parameter hierarchies"
)


def _k_map_in_parts(
    tables: PartedTables,
    *,
    qi: Columns = None,
    hierarchies: str | None = None,
    suppressed: Suppressed = "own_value",
) -> float:
    counted = _classes_in_parts("k_map", tables, qi, hierarchies, suppressed)
    return float(counted.filter((pl.col("released") > 0) & (pl.col("original") > 0))["original"].min())  # type: ignore[arg-type]


def _delta_in_parts(
    tables: PartedTables,
    *,
    qi: Columns = None,
    bound: Literal["max", "min"] = "max",
    hierarchies: str | None = None,
    suppressed: Suppressed = "own_value",
) -> float:
    counted = _classes_in_parts("delta_presence", tables, qi, hierarchies, suppressed)
    known = counted.filter(pl.col("original") > 0)
    chances = np.minimum(known["released"].to_numpy() / known["original"].to_numpy(), 1.0)
    return float(chances.max() if bound == "max" else chances.min())


def _classes_in_parts(
    name: str, tables: PartedTables, qi: Columns, hierarchies: str | None, suppressed: Suppressed
) -> pl.DataFrame:
    keys = tables.schema.pick(qi, tables.schema.qi, "qi")
    gaps = any(tables.facts(side, key).missing for key in keys for side in ("original", "released"))
    refuse_parameters(
        name,
        {
            "hierarchies": (hierarchies, hierarchies is not None),
            "suppressed": (suppressed, suppressed == "wildcard" and gaps),
        },
    )
    counted = class_table(tables, keys)
    if not counted.filter((pl.col("original") > 0) & (pl.col("released") > 0)).height:
        raise UndefinedError(f"{NOBODY}; recoding the original as the release was needs the engine local")
    return counted


@measure("k_map", needs=("qi", "population"), better="higher", best="the original", in_parts=_k_map_in_parts)
def k_map(
    comparison: Comparison,
    *,
    qi: Columns = None,
    hierarchies: str | None = None,
    suppressed: Suppressed = "own_value",
) -> float:
    """Smallest number of original rows that share the quasi-identifiers of a released row: k of k-map.

    A released row that matches nobody links to nobody and does not count. Values are compared as they are. Where
    nobody matches, the original is recoded as the release was, if each value always became the same label; if still
    nobody does, missing cells are read as wildcards. With
    `hierarchies` (a folder as for k_anonymize), a released label matches all values below it. `suppressed` says how a
    missing quasi-identifier is read: as a value of its own, or as a wildcard that matches any.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers to compare. Default: all of them.
        hierarchies: Folder of the published hierarchies, one CSV file per column. Default: values are compared as they
            are.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The smallest number of original rows that a released row may be.

    Raises:
        SchemaError: If a column named is not in the table.
        ParameterError: If `hierarchies` is given and `suppressed` is "wildcard".
        UndefinedError: If no released row matches anybody in the original, or wildcards would take too long.
    """
    keys = comparison.original.schema.pick(qi, comparison.original.qi, "qi")
    if hierarchies is not None:
        matches = _by_label(comparison, keys, hierarchies, suppressed).matches()
    elif suppressed == "wildcard":
        people, shown = Gaps.of_tables(comparison.original.frame, comparison.released.frame, keys)
        matches = shown.compatible(people)
    else:
        joined = _joined(comparison, keys)
        matches = joined.x_sizes[joined.y_sizes > 0].astype(np.float64)
        if not (matches > 0).any() and _blanked(comparison, keys):
            people, shown = Gaps.of_tables(*_recoded(comparison, keys), keys)
            matches = shown.compatible(people)
    if not (matches > 0).any():
        raise UndefinedError(NOBODY)
    return float(matches[matches > 0].min())


@measure("delta_presence", needs=("qi", "population"), in_parts=_delta_in_parts)
def delta_presence(
    comparison: Comparison,
    *,
    qi: Columns = None,
    bound: Literal["max", "min"] = "max",
    hierarchies: str | None = None,
    suppressed: Suppressed = "own_value",
) -> float:
    """Largest chance that somebody of the original is in the release, told from the quasi-identifiers: δ-presence.

    Each released row is shared out equally among the original rows it matches; what a person gets in all, 1 at most,
    is their chance. Without missing cells that is released rows / original rows of the class. `bound` = min gives the
    smallest chance instead. Other parameters as for `k_map`.

    Args:
        comparison: The original table, the released one, and the original row of each released row.
        qi: Quasi-identifiers to compare. Default: all of them.
        bound: Whether the largest ("max") or the smallest ("min") chance is wanted.
        hierarchies: Folder of the published hierarchies, one CSV file per column. Default: values are compared as they
            are.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The chance, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table.
        ParameterError: If `hierarchies` is given and `suppressed` is "wildcard".
        UndefinedError: If no released row matches anybody in the original, or wildcards would take too long.
    """
    keys = comparison.original.schema.pick(qi, comparison.original.qi, "qi")
    if hierarchies is not None:
        shares = _by_label(comparison, keys, hierarchies, suppressed).chances()
    elif suppressed == "wildcard":
        shares = _by_wildcard(comparison.original.frame, comparison.released.frame, keys)
    else:
        shares = _by_class(comparison, keys)
        if not shares.any() and _blanked(comparison, keys):
            shares = _by_wildcard(*_recoded(comparison, keys), keys)
    if not shares.any():
        raise UndefinedError(NOBODY)
    chances = np.minimum(shares, 1.0)
    return float(chances.max() if bound == "max" else chances.min())


def _by_label(
    comparison: Comparison, keys: tuple[str, ...], hierarchies: str, suppressed: Suppressed
) -> released_labels.ReleasedNodes:
    if suppressed == "wildcard":
        raise ParameterError("hierarchies and suppressed = wildcard read a missing cell differently; give one of them")
    return released_labels.find_nodes(comparison.original.frame, comparison.released.frame, keys, hierarchies)


def _joined(comparison: Comparison, keys: tuple[str, ...]) -> Blocks:
    """Rows of both tables by class; the original is recoded by the rule of the release where nothing matches."""
    joined = comparison.case.blocks(keys)
    if ((joined.x_sizes > 0) & (joined.y_sizes > 0)).any():
        return joined
    return blocks.blocks_of_tables(*_recoded(comparison, keys), keys)


def _blanked(comparison: Comparison, keys: tuple[str, ...]) -> bool:
    return any(comparison.released.frame[name].null_count() for name in keys)


def _recoded(comparison: Comparison, keys: tuple[str, ...]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both tables with values written alike, the original recoded by the rule of the release."""
    recoded, _ = recode_original(comparison)
    pairs = [
        align.harmonise(recoded[name], comparison.released.frame[name], Column(name, Role.QI, Kind.CATEGORY))
        for name in keys
    ]
    known, shown = (pl.DataFrame(list(side)) for side in zip(*pairs, strict=True))
    return known, shown


def _by_class(comparison: Comparison, keys: tuple[str, ...]) -> Float:
    joined = _joined(comparison, keys)
    known = joined.x_sizes > 0
    shares: Float = joined.y_sizes[known] / joined.x_sizes[known]
    return shares


def _by_wildcard(known: pl.DataFrame, released: pl.DataFrame, keys: tuple[str, ...]) -> Float:
    people, shown = Gaps.of_tables(known, released, keys)
    matches = shown.compatible(people)
    given = np.where(matches > 0, shown.sizes / np.maximum(matches, 1), 0.0)
    return people.compatible(shown, given)
