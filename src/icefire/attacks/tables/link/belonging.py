"""Whether the values of a released row belong together: those of one person, not of several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.attacks.tables.link.channel_tables import TableStore
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.learning import Learned, Learner
from icefire.kernels.types import Int

ERRORS = 2.0
"""A gain of fewer standard errors may be chance."""
EVIDENCE, CLEAR = 5.0, 0.25
"""Gains on the rows learned from that are no chance: in all, per column; or as a share of what tells everybody."""


def columns_belong_together(
    columns: Sequence[LinkColumn], learned: Learned, sample: Int, others: Int, store: TableStore, unknown: int = 0
) -> bool:
    """Tell whether the tables show that the values of a released row are one person's, better than chance would.

    Columns shuffled independently now and then seem to fit together by chance. One column alone cannot show anything:
    it is taken as it stands.

    Args:
        columns: The columns of both tables.
        learned: The channels of the columns.
        sample: Released rows they were learned from.
        others: Released rows they were not learned from; there are few or none in small tables.
        store: Tables of channels.
        unknown: Number of people who may be released and are not among the original rows.
    """
    used = learned.used(columns)
    if learned.dealt or used == 1:
        return True
    if len(others):
        other = Learner(columns, others, None, store, unknown).climb(learned.channels, 0)
        if other.gain <= ERRORS * other.error:
            return False
    if len(others) >= len(sample):
        return True
    gain = (
        Learner(columns, sample, None, store, unknown).climb(learned.channels, 0).gain
        if learned.supposed
        else learned.gain
    )
    return gain >= min(EVIDENCE * used / len(sample), CLEAR * float(np.log(len(columns[0].x.codes))))
