"""One key per row for any set of hidden columns: equal keys mean equal visible cells.

Every cell adds its own part to the key of its row, a hidden or missing cell adds nothing. As digits of one mixed-radix
number the parts make keys that are equal only for equal rows. Where that number would exceed 63 bits the parts are
random, and different rows have equal keys with a probability near 2**-64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np

from icefire.kernels.types import Float, Int

EXACT_BITS = 62  # keys below two to this power are exact
SPREAD = np.uint64(0x9E3779B97F4A7C15)


class KeyedCells(NamedTuple):
    """A table of cells that can be hidden, and what hiding costs."""

    parts: Int  # column, row: what the cell adds to the key, 0 where it is missing
    weights: Float  # per column: the cost of hiding a cell that is not missing


def keyed_cells(codes: Sequence[Int], weights: Float, salt: int = 0) -> KeyedCells:
    """Return the cells of columns of whole numbers from 1, 0 where missing.

    Args:
        codes: One array per column.
        weights: Cost of hiding a cell of each column.
        salt: Selects other random parts, where parts are random.
    """
    parts, bound = np.empty((len(codes), len(codes[0])), np.int64), 1
    sizes = [int(column.max(initial=0)) + 1 for column in codes]
    if sum(np.log2(sizes)) < EXACT_BITS:
        for c, column in enumerate(codes):
            parts[c] = column * bound
            bound *= sizes[c]
    else:
        rng = np.random.default_rng(salt)
        for c, column in enumerate(codes):
            random = rng.integers(1, np.iinfo(np.int64).max, sizes[c])
            random[0] = 0
            parts[c] = random[column]
    return KeyedCells(parts, weights)


@numba.njit(nogil=True, cache=True)
def masked_keys(cells, rows, mask) -> Any:  # type: ignore[no-untyped-def]
    """Return keys and costs of the rows with the columns of the mask (one bit per column) hidden."""
    keys, costs = np.zeros(rows.size, np.int64), np.zeros(rows.size)
    parts = cells.parts
    for c in range(cells.weights.size):
        weight = cells.weights[c]
        if mask >> c & 1:
            for i in range(rows.size):
                costs[i] += weight if parts[c, rows[i]] != 0 else 0.0
        else:
            for i in range(rows.size):
                keys[i] += parts[c, rows[i]]
    return keys, costs


class KeyNumbers(NamedTuple):
    """A hash table that numbers keys in the order in which they are first seen."""

    slots: Int  # number + 1 of the key that lies here, 0 for none; a power of two of them
    keys: Int
    used: Int  # number of keys, in an array of one to be changed in place


@numba.njit(nogil=True, cache=True)
def empty_key_numbers(most) -> Any:  # type: ignore[no-untyped-def]
    """Return a hash table with room for so many keys."""
    size = 16
    while size < 2 * most:
        size *= 2
    return KeyNumbers(np.zeros(size, np.int64), np.empty(most, np.int64), np.zeros(1, np.int64))


@numba.njit(nogil=True, cache=True)
def number_of_key(index, key, add) -> Any:  # type: ignore[no-untyped-def]
    """Return the number of a key; an unseen one gets the next number if `add`, and -1 otherwise."""
    last = np.uint64(index.slots.size - 1)
    mixed = np.uint64(key) * SPREAD
    slot = (mixed ^ (mixed >> np.uint64(32))) & last
    while index.slots[slot] > 0:
        if index.keys[index.slots[slot] - 1] == key:
            return index.slots[slot] - 1
        slot = (slot + np.uint64(1)) & last
    if not add:
        return np.int64(-1)
    index.used[0] += 1
    index.slots[slot] = index.used[0]
    index.keys[index.used[0] - 1] = key
    return index.used[0] - 1
