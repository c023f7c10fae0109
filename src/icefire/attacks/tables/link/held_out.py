"""Whether released rows are persons of the original, seen on rows that the channels were not learned from.

Channels are chosen among many so that the rows learned from fit some original rows. In small tables they do so by
chance, even where nobody of the original was released. Other rows do not fit by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from icefire.attacks.tables.link import agreement, calibration, learning
from icefire.attacks.tables.link.channel_tables import TableStore
from icefire.attacks.tables.link.channels import Channel
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.matching import scorer
from icefire.kernels.types import Float, Int

SMALL = 2_000
"""Released rows up to which channels may fit by chance. In larger tables they are learned from too few of the rows for
that; there rows are less sharp than simulated ones for another reason: what makes people rare was suppressed."""
PLAIN = 1.5
"""Gain, as a share of what it takes to know everybody, that is no chance."""
ENOUGH = 200
"""Rows that were not learned from, from which on no others are needed; in smaller tables both halves are tried."""
PAIRS = 1 << 24
"""Pairs of rows of a half and original rows; halves of large tables are cut down to this."""
FEWEST = 10
"""Rows unlike all others that are compared at least."""
REPEATS = 4
"""How often so few rows are simulated."""
TELLS = 0.003
"""Sharpness by which rows with their person exceed rows without it, at least, to tell one from the other."""
NOBODY, SOMEBODY = 0.35, 0.6
"""Sharpness between rows without their person (0) and with it (1) at which answers count for nothing, and in full."""


def credit(
    columns: Sequence[LinkColumn],
    learned: learning.Learned,
    others: Int,
    alone: Int,
    rng: np.random.Generator,
    store: TableStore,
) -> float | None:
    """Return how much answers count, from 0 to 1; None in large tables, if the gain is plain or few rows tell.

    Args:
        columns: The columns of both tables.
        learned: Their channels.
        others: Released rows they were not learned from.
        alone: Released rows that are unlike all others.
        rng: Source of the halves and of the simulated rows.
        store: The tables of the columns.
    """
    if len(columns[0].y.codes) > SMALL or learned.gain > PLAIN * np.log(len(columns[0].x.codes)):
        return None
    checked = np.intersect1d(others, alone)
    most = max(FEWEST, PAIRS // len(columns[0].x.codes))
    if len(checked) >= min(ENOUGH, most):
        parts = [_sharpness(columns, learned.channels, checked, rng)]
    else:
        order = rng.permutation(len(columns[0].y.codes))
        halves = [np.sort(order[start::2][:most]) for start in (0, 1)]
        parts = []
        for taught, asked in (halves, halves[::-1]):
            checked = np.intersect1d(asked, alone)
            if len(checked) < FEWEST:
                return None
            channels = learning.learn(columns, taught, None, rng, store=store).channels
            parts.append(_sharpness(columns, channels, checked, rng))
    seen, with_person, without = np.sum(parts, axis=0) / len(parts)
    if with_person - without < TELLS:
        return None
    place = (seen - without) / (with_person - without)
    return float(np.clip((place - NOBODY) / (SOMEBODY - NOBODY), 0.0, 1.0))


def _sharpness(
    columns: Sequence[LinkColumn], channels: Sequence[Channel], rows: Int, rng: np.random.Generator
) -> Float:
    """Return how sharply candidates stand out in released rows, and in simulated ones with and without their person."""
    tool = scorer(columns, channels, None)
    tool = replace(tool, y_rows=tool.y_rows[rows])
    seen = agreement.sharpness(agreement.shares(tool.candidates(tool.y_rows)))
    repeats = REPEATS if len(rows) < ENOUGH else 1
    simulated = np.zeros(2)
    for _ in range(repeats):
        truth = calibration.anybody(tool.originals, len(rows), rng)
        listed = tool.candidates(calibration.simulated_rows(tool, truth, rng))
        both = agreement.shares(listed), agreement.shares(listed, truth)
        simulated += [agreement.sharpness(weights) / repeats for weights in both]
    return np.array([seen, *simulated])
