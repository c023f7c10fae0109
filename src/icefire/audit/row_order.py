"""The order of released rows: whoever has the original in its order may find people by the place of their row."""

from __future__ import annotations

import numpy as np

from icefire.audit import judge
from icefire.audit.single_columns import most_by_chance
from icefire.core import formatting
from icefire.core.release import Comparison
from icefire.core.scorecard import Reason
from icefire.kernels.types import Int


def telling_order(comparison: Comparison, limit: float) -> list[Reason]:
    """Refuse rows that were moved, but so little or so regularly that their places still tell who they are.

    People are found by one distance between the place of a row and that of its original, forwards or backwards. Rows
    in the very order of the original are not refused: tables are compared row by row that way, and the report says that
    they are to be shuffled.
    """
    rows, originals = comparison.truth.rows, comparison.original.height
    if bool((np.diff(rows) >= 0).all()):
        return []
    places = np.arange(len(rows)) * originals // len(rows)
    count = max(_most_at_one_distance(rows - places), _most_at_one_distance(rows - places[::-1]))
    if count <= most_by_chance(4 * originals) or judge.wilson(count, len(rows))[0] <= limit:
        return []
    share = count / len(rows)
    text = (
        f"The rows are nearly in the order of the original: their places alone tell who {formatting.percent(share)} of "
        "them are. Shuffle the rows before you publish them."
    )
    return [Reason("identifier", text, {"rows": count, "share": share, "limit": limit})]


def _most_at_one_distance(distances: Int) -> int:
    return int(np.bincount(distances - distances.min()).max())
