"""What the release has lost, column by column."""

from __future__ import annotations

from icefire.core.formatting import count, counted, percent
from icefire.core.scorecard.distances import ColumnDistance, DistributionDistances
from icefire.core.scorecard.usefulness import ColumnChange
from icefire.words import said

COLUMNS_NAMED = 5
ROLES = {"qi": "quasi-identifier", "sa": "sensitive attribute", "other": "other"}


def role(column: ColumnChange | ColumnDistance) -> str:
    """Name the role of a column in full."""
    return ROLES.get(column.role, column.role)


def changed(column: ColumnChange) -> str:
    """Say in how many rows a column was changed, and whether a reader can see it."""
    if column.changed == 0:
        return said("unchanged")
    rows = f"{counted(column.changed, 'row')} ({percent(column.share)})"
    if column.single:
        return f"{rows}; it holds a single value"
    if column.unmarked == 0:
        return f"{rows}, all by labels or blanks"
    return f"{rows}, {'all' if column.unmarked == column.changed else count(column.unmarked)} without a mark"


def moved(column: ColumnDistance) -> str:
    """Say what the distance of a column means."""
    if column.kind == "lost":
        return "not in the release"
    if column.distance == 0:
        return "same distribution"
    words = "of the rows have another value" if column.kind == "total_variation" else "of the range, on average"
    labels = (
        f"; {counted(column.labelled, 'cell holds', 'cells hold')} labels for several values" if column.labelled else ""
    )
    return f"{percent(column.distance)} {words}{labels}"


def most_moved(distances: DistributionDistances) -> str:
    """Name the columns whose distribution moved most."""
    ranked = sorted(distances.columns, key=lambda column: -column.distance)
    listed = [f"{column.column} {percent(column.distance)}" for column in ranked[:COLUMNS_NAMED] if column.distance]
    return ", ".join(listed) if listed else "every column has the distribution of the original"


def pairs(distances: DistributionDistances) -> str:
    """Say how far the joint tables of two columns moved, and which pairs were compared; empty without pairs."""
    if distances.pair_mean is None or distances.pair_largest is None:
        return ""
    compared = f"all {count(distances.pairs)} pairs of columns"
    if distances.pairs < distances.all_pairs:
        compared = f"{count(distances.pairs)} of {count(distances.all_pairs)} pairs of columns, drawn at random"
    if not distances.pair_largest:
        return f"Of {compared}, every one has the joint distribution of the original."
    return (
        f"Of {compared}, {percent(distances.pair_mean)} of the rows stand in other cells of their joint table on "
        f"average; most, {percent(distances.pair_largest)}, for {' with '.join(distances.worst_pair)}."
    )
