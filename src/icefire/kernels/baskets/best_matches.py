"""The best known sets for each given set: from groups of equal sets to their members, ties included."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from icefire.kernels.baskets.set_groups import SetGroups
from icefire.kernels.common.ranges import concatenated_ranges
from icefire.kernels.types import Int

MAX_TIES = 1 << 24
"""Where there are more ties than this in all, only the lowest of each is told."""


class BestMatches(NamedTuple):
    """The best known set for each set shown: the lowest of equals, and all of them; -1 where nothing is shared."""

    rows: Int
    ties: Int | None  # the best for set j are ties[start[j]:stop[j]], ascending; None if there are too many to tell
    start: Int
    stop: Int


class BestGroups(NamedTuple):
    """What a search writes: for each question the lowest of the best groups, and how many are as good."""

    lowest: Int
    tied: Int

    @classmethod
    def room(cls, questions: int) -> BestGroups:
        """Room for so many answers; as yet nothing is found."""
        return cls(np.full(questions, -1, np.int64), np.zeros(questions, np.int64))


def matches_of_members(
    known: SetGroups, shown: SetGroups, found: BestGroups, parts: list[tuple[Int, bool]]
) -> BestMatches:
    """From answers about groups to answers about their members.

    `parts` are all of the best groups, question after question, in pieces, each with whether it had too many to tell.
    """
    told = None
    if not any(too_many for _, too_many in parts):
        told = _members(known, found, np.concatenate([np.empty(0, np.int64), *(some for some, _ in parts)]))
    ties, start, stop = told or (None, found.lowest, found.lowest)
    rows = np.append(known.first, -1)[found.lowest]
    return BestMatches(rows[shown.label], ties, start[shown.label], stop[shown.label])


def _members(known: SetGroups, found: BestGroups, ties: Int) -> tuple[Int, Int, Int] | None:
    """From tied groups to their members, ascending; a single group needs no list but its place among all members."""
    start, stop = (np.append(side, 0)[found.lowest] for side in (known.start[:-1], known.start[1:]))
    several = np.flatnonzero(found.tied > 1)
    question = np.repeat(several, found.tied[several])
    groups = ties[concatenated_ranges((np.cumsum(found.tied) - found.tied)[several], found.tied[several])]
    sizes = known.start[groups + 1] - known.start[groups]
    if sizes.sum() > MAX_TIES:
        return None
    listed = np.repeat(question, sizes)
    people = known.members[concatenated_ranges(known.start[groups], sizes)]
    people = people[np.lexsort((people, listed))]
    counts = np.bincount(listed, minlength=len(start))[several]
    stop[several] = len(known.members) + np.cumsum(counts)
    start[several] = stop[several] - counts
    return np.concatenate([known.members, people]), start, stop
