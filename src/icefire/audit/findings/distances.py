"""How far the distributions of a release are from those of the original: for the scorecard, and in words.

No row is compared with another, so this works without a correspondence.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from icefire.core.errors import UndefinedError
from icefire.core.formatting import percent
from icefire.core.release import Comparison
from icefire.core.scorecard.distances import ColumnDistance, DistributionDistances
from icefire.measures.compared_columns import compare_columns
from icefire.measures.tables.joint_distances import table_distances
from icefire.words import t

LEAST = 0.0005
"""DistributionDistances below this are not worth words."""


def distances(comparison: Comparison) -> DistributionDistances | None:
    """Compare the columns one by one and in pairs; None if there is nothing to compare."""
    try:
        columns = compare_columns(comparison).distances
    except UndefinedError:
        return None
    worst = max(columns, key=lambda column: column.distance)
    alone = DistributionDistances(
        columns=columns,
        mean=float(np.mean([column.distance for column in columns])),
        largest=worst.distance,
        worst=worst.column,
    )
    try:
        pairs = table_distances(comparison)
    except UndefinedError:
        return alone
    return DistributionDistances(
        columns=alone.columns,
        mean=alone.mean,
        largest=alone.largest,
        worst=alone.worst,
        pair_mean=float(pairs.distances.mean()),
        pair_largest=float(pairs.distances.max()),
        worst_pair=list(pairs.worst),
        pairs=len(pairs.tables),
        all_pairs=pairs.all_tables,
    )


def largest_changes(compared: DistributionDistances | None, single: Collection[str] = ()) -> list[str]:
    """Say which column and which two columns changed their distribution most; nothing if none did.

    Args:
        compared: The distances.
        single: Columns that hold a single value, of which that was said already.
    """
    if compared is None:
        return []
    others = [column for column in compared.columns if column.column not in single]
    worst = max(others, key=lambda column: column.distance, default=None)
    alone = [] if worst is None or worst.distance < LEAST else [_column_change(worst, bool(single))]
    if (
        compared.pair_largest is None
        or compared.pair_largest < LEAST
        or not set(single).isdisjoint(compared.worst_pair)
    ):
        return alone
    one, other = compared.worst_pair
    pair = t("lost.pair_names", one=one, other=other)
    which = "lost.pair_too" if alone else "lost.pair_only"
    return [*alone, t(which, pair=pair, share=percent(compared.pair_largest))]


def _column_change(column: ColumnDistance, of_others: bool) -> str:
    extent = t(f"lost.extent_{column.kind}", share=percent(column.distance))
    return t("lost.largest_of_others" if of_others else "lost.largest", column=column.column, extent=extent)
