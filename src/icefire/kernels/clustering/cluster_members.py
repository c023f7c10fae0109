"""Subjects brought together by cluster."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(nogil=True, cache=True)
def members_by_cluster(labels, c) -> Any:  # type: ignore[no-untyped-def]
    """Those of cluster x are members[begin[x]:begin[x+1]], ascending; a negative label belongs to no cluster."""
    begin = np.zeros(c + 1, np.int64)
    for label in labels:
        if label >= 0:
            begin[label + 1] += 1
    begin = np.cumsum(begin)
    members, place = np.empty(begin[c], np.int64), begin[:-1].copy()
    for u in range(labels.size):
        if labels[u] >= 0:
            members[place[labels[u]]] = u
            place[labels[u]] += 1
    return begin, members
