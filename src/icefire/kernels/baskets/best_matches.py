"""The best known sets for each given set: from groups of equal sets to their members, ties included."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from icefire.kernels.baskets.set_groups import SetGroups
from icefire.kernels.common.ranges import concatenated_ranges
from icefire.kernels.types import Int

MAX_TIES = 1 << 24
"""Where there are more ties than this in all, only the lowest of each is returned."""


class BestMatches(NamedTuple):
    """The best known sets for each given set; row -1 where no item is shared."""

    rows: Int
    ties: Int | None  # the best for set j are ties[start[j]:stop[j]], ascending; None if there are too many
    start: Int
    stop: Int


class BestGroups(NamedTuple):
    """What a search writes: for each given group of equal sets the lowest of the best known groups, and the ties."""

    lowest: Int
    tied: Int

    @classmethod
    def room(cls, questions: int) -> BestGroups:
        """Return room for so many answers; nothing is found yet."""
        return cls(np.full(questions, -1, np.int64), np.zeros(questions, np.int64))


def matches_of_members(
    known: SetGroups, shown: SetGroups, best: BestGroups, parts: list[tuple[Int, bool]]
) -> BestMatches:
    """Return for the members of groups of equal sets what was found for the groups.

    Args:
        known: Groups of the known sets.
        shown: Groups of the given sets.
        best: Best known groups of each given group.
        parts: All of the best groups, one given group after the other, in pieces; each piece with whether it is
            incomplete because there were too many ties.

    Returns:
        The lowest best known set of each given set, and all of them unless there are too many.
    """
    members = None
    if not any(too_many for _, too_many in parts):
        members = _members(known, best, np.concatenate([np.empty(0, np.int64), *(some for some, _ in parts)]))
    ties, start, stop = members or (None, best.lowest, best.lowest)
    rows = np.append(known.first, -1)[best.lowest]
    return BestMatches(rows[shown.label], ties, start[shown.label], stop[shown.label])


def _members(known: SetGroups, best: BestGroups, ties: Int) -> tuple[Int, Int, Int] | None:
    """Return the members of tied groups, ascending, or None if they are too many.

    A single best group needs no list of its own: its members are a range of all members.
    """
    start, stop = (np.append(side, 0)[best.lowest] for side in (known.start[:-1], known.start[1:]))
    several = np.flatnonzero(best.tied > 1)
    question = np.repeat(several, best.tied[several])
    groups = ties[concatenated_ranges((np.cumsum(best.tied) - best.tied)[several], best.tied[several])]
    sizes = known.start[groups + 1] - known.start[groups]
    if sizes.sum() > MAX_TIES:
        return None
    listed = np.repeat(question, sizes)
    members = known.members[concatenated_ranges(known.start[groups], sizes)]
    members = members[np.lexsort((members, listed))]
    counts = np.bincount(listed, minlength=len(start))[several]
    stop[several] = len(known.members) + np.cumsum(counts)
    start[several] = stop[several] - counts
    return np.concatenate([known.members, members]), start, stop
