"""Obstacles to the release of a table: what stands in its way whatever the limits say, each with its evidence.

They are found on what is published and on the claimed correspondence: identifiers, columns that no attack looked at,
rows published verbatim, and a correspondence that cannot be right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import polars as pl

from icefire.audit.correspondence import LoadedRelease
from icefire.audit.obstacles.contradiction import false_correspondence
from icefire.audit.obstacles.identifiers import identifiers
from icefire.audit.obstacles.informed_attacker import unread_relations
from icefire.audit.obstacles.row_order import telling_order
from icefire.audit.obstacles.single_columns import columns_that_identify
from icefire.audit.obstacles.verbatim import verbatim
from icefire.core import registry
from icefire.core.dataset import Dataset
from icefire.core.errors import listing
from icefire.core.release import Comparison, Guess
from icefire.core.schema import Role
from icefire.core.scorecard import Reason
from icefire.core.scorecard.risks import SafeHarbour
from icefire.words import t


def table_obstacles(
    release: LoadedRelease[Dataset],
    comparison: Comparison,
    guesses: Mapping[str, Guess],
    harbour: SafeHarbour | None,
    identified_limit: float,
    seed: int,
    known_columns: Collection[str] | None = None,
) -> list[Reason]:
    """Collect everything that stands in the way of a released table.

    A column that no attacker knows (`known_columns`, None for all) identifies nobody by itself.
    """
    original, published = release.original_as_read, release.published
    return [
        *identifiers(original, published, comparison.truth, harbour),
        *columns_that_identify(comparison, identified_limit, known_columns),
        *unassessed_columns(original, published, assessed_columns(comparison, guesses)),
        *unread_relations(comparison, guesses, identified_limit, seed, known_columns),
        *verbatim(comparison, identified_limit),
        *telling_order(comparison, identified_limit),
        *false_correspondence(comparison, guesses, seed, identified_limit),
    ]


def assessed_columns(comparison: Comparison, guesses: Mapping[str, Guess]) -> set[str]:
    """Name the columns that at least one attack looked at."""
    if "link" in guesses:
        return {name for name in comparison.released.frame.columns if name in comparison.original.frame.columns}
    parameters = {name for attack in guesses for name in registry.get("attack", attack).parameters}
    used = {"qi": comparison.original.qi, "sa": comparison.original.numeric_sa}
    return {column for name, columns in used.items() if name in parameters for column in columns}


def unassessed_columns(original: Dataset, published: pl.DataFrame, assessed: Iterable[str]) -> list[Reason]:
    """Find released columns that tell people apart but took part in no attack."""
    seen = {*assessed, *original.schema.named(Role.ID)}
    names = [name for name in published.columns if name not in seen and published[name].n_unique() > 1]
    new = [name for name in names if name not in original.frame.columns]
    reasons = []
    if len(new) < len(names):
        old = [name for name in names if name not in new]
        text = t("verdict.reason.column_not_attacked", columns=listing(old))
        reasons.append(Reason("not_assessed", text, {"columns": old}))
    if new:
        text = t("verdict.reason.column_new", columns=listing(new))
        reasons.append(Reason("not_assessed", text, {"columns": new}))
    return reasons
