"""Distinct keys by sorting, which is far faster than `numpy.unique` on millions of keys."""

from __future__ import annotations

import numpy as np

from icefire.kernels.types import Int


def distinct_keys(keys: Int) -> Int:
    """Return the distinct keys in ascending order. The array passed in is sorted in place."""
    keys.sort()
    first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first]
