"""Released rows that compete with sampled ones for the same people, where not all released rows are linked.

In a whole release everybody has one row, and whoever suits another row better is no candidate. Of a sample, the rows
that matter for this are those that suit the candidates of its rows best; they are searched among all released rows, by
the same tables read the other way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.attacks.tables.link.level_maps import MappedColumn, levels_of_rows
from icefire.attacks.tables.link.matching import Posterior, Scorer
from icefire.attacks.tables.link.search import SAMPLED, CandidateSearch
from icefire.core.parts import PartedTables
from icefire.kernels.types import Int

SURE = 0.99
"""Rows whose best candidate has this weight need no rivals."""
LEAST = 0.01
"""Weight from which on a candidate may be somebody else's."""
CANDIDATES = 8
"""Candidates of each row whose other rows are looked for."""
ROWS = 3
"""Released rows of each candidate."""
PEOPLE, RIVALS = 60_000, 60_000
"""Candidates whose other rows are looked for, and rivals kept, at most."""


def rival_rows(tables: PartedTables, tool: Scorer, fine: Sequence[MappedColumn], matched: Posterior, asked: Int) -> Int:
    """Return released rows that suit the candidates of sampled rows best, ascending.

    Args:
        tables: The tables.
        tool: The learned tables.
        fine: The columns that say something, in the order of `tool`.
        matched: Candidates of the rows compared so far.
        asked: Places of those whose rivals matter.
    """
    some = matched.part(asked)
    unsure = np.flatnonzero(some.weights.max(axis=1) < SURE)
    order = np.argsort(-some.weights[unsure], axis=1, kind="stable")[:, :CANDIDATES]
    weights = np.take_along_axis(some.weights[unsure], order, axis=1)
    people = np.take_along_axis(some.rows[unsure], order, axis=1)
    wanted = _first_of(np.where((weights >= LEAST) & (people >= 0), people, -1), PEOPLE)
    if not len(wanted):
        return wanted
    levels = levels_of_rows(tables, "released", fine)
    known = tables.room(levels.shape, np.uint16)
    for place, line in enumerate(levels):
        known[place] = line
    ratios = [np.ascontiguousarray(table.T) for table in tool.ratios]
    shares, numeric = [column.y.share for column in tool.columns], tool.search.numeric
    queries = np.ascontiguousarray(tool.search.x_levels[:, wanted].T).astype(np.int32)
    sample = queries[:: max(1, len(queries) // SAMPLED)]
    search = CandidateSearch(ratios, shares, known, numeric, sample, len(queries))
    return _first_of(search.candidates(queries, ROWS).rows, RIVALS)


def _first_of(listed: np.ndarray, most: int) -> Int:
    """Return the different entries of lists, ascending; if there are too many, the first of each list come first."""
    values, firsts = np.unique(listed.T.ravel(), return_index=True)
    values, firsts = values[values >= 0], firsts[values >= 0]
    chosen: Int = np.sort(values[np.argsort(firsts, kind="stable")[:most]]).astype(np.int64)
    return chosen
