"""Compiled functions on packed keys: generalise them, merge the equal ones, count the rows of small classes.

A key is one or more words of up to 62 bits with one bit field per column. Adjacent fields are generalised together by
one look-up (a slice), so that eight columns cost three or four reads per class.
"""

from __future__ import annotations

import numpy as np
from numba import njit

MIXER = np.int64(-7046029254386353131)
"""2^64 divided by the golden ratio: multiplying by it spreads neighbouring keys over the table."""


@njit(nogil=True, cache=True)
def fill_table(slices, bits, members, maps, begin, table):  # type: ignore[no-untyped-def]
    """Write what every content of every slice is mapped to: the sum of what its fields are mapped to.

    Args:
        slices: slices × 4: word, shift, mask and place in the table.
        bits: Width of each column's field.
        members: The first column of each slice, and one more for the end.
        maps: maps[begin[j]:begin[j + 1]] is what the codes of column j become.
        begin: See `maps`.
        table: Written.
    """
    for s in range(slices.shape[0]):
        place, width = slices[s, 3], 1
        table[place] = 0
        for j in range(members[s], members[s + 1]):
            # The first `width` entries hold the fields so far; code 0 overwrites them and therefore comes last.
            for code in range((1 << bits[j]) - 1, -1, -1):
                become = maps[begin[j] + code] if code < begin[j + 1] - begin[j] else np.int64(0)
                for r in range(width):
                    table[place + code * width + r] = table[place + r] + become
            width <<= bits[j]


@njit(nogil=True, cache=True)
def classes_of_keys(keys, slices, table, out):  # type: ignore[no-untyped-def]
    """Write the class of every key: the sum of the look-ups of all slices.

    Args:
        keys: keys × words.
        slices: slices × 4: word, shift, mask and place in the table.
        table: The look-up table.
        out: Written: one class per key.
    """
    for i in range(keys.shape[0]):
        total = np.int64(0)
        for s in range(slices.shape[0]):
            total += table[slices[s, 3] + ((keys[i, slices[s, 0]] >> slices[s, 1]) & slices[s, 2])]
        out[i] = total


@njit(nogil=True, cache=True)
def add_counts(classes, counts, out):  # type: ignore[no-untyped-def]
    """Add counts[i] to out[classes[i]] for every i."""
    for i in range(len(classes)):
        out[classes[i]] += counts[i]


@njit(nogil=True, cache=True)
def rows_in_small_classes(sizes, k):  # type: ignore[no-untyped-def]
    """Return the number of rows in classes of fewer than k."""
    total = np.int64(0)
    for size in sizes:
        if size < k:
            total += size
    return total


@njit(nogil=True, cache=True)
def codes_in_small_classes(keys, counts, classes, sizes, k, fields, begin, out):  # type: ignore[no-untyped-def]
    """Count, column by column, the codes of the rows in classes of fewer than k.

    Args:
        keys: keys × words.
        counts: Rows of each key.
        classes: Class of each key.
        sizes: Rows of each class.
        k: Classes of fewer rows are small.
        fields: columns × 3: word, shift and mask.
        begin: Where the counts of each column begin in `out`.
        out: Added to.
    """
    for i in range(len(classes)):
        if sizes[classes[i]] < k:
            for j in range(fields.shape[0]):
                out[begin[j] + ((keys[i, fields[j, 0]] >> fields[j, 1]) & fields[j, 2])] += counts[i]


@njit(nogil=True, cache=True)
def merge_keys(keys, counts, slices, table, bits):  # type: ignore[no-untyped-def]
    """Generalise the keys and add up the rows of equal ones, in order of first appearance.

    Args:
        keys: keys × words.
        counts: Rows of each key.
        slices: slices × 4: word, shift, mask and place in the table.
        table: The look-up table.
        bits: The hash table has two to this many places, more than there are keys.

    Returns:
        The merged keys, their rows, and for every key passed in the place of the one it became.
    """
    n, words = keys.shape
    mask = (np.int64(1) << bits) - 1
    slots = np.full(mask + 1, -1, np.int32)
    new_keys, new_counts = np.empty((n, words), np.int64), np.zeros(n, np.int32)
    places = np.empty(n, np.int32)
    key = np.empty(words, np.int64)
    merged = 0
    for i in range(n):
        for w in range(words):
            key[w] = 0
        for s in range(slices.shape[0]):
            word = slices[s, 0]
            key[word] += table[slices[s, 3] + ((keys[i, word] >> slices[s, 1]) & slices[s, 2])]
        mixed = np.int64(0)
        for w in range(words):
            mixed = (mixed ^ key[w]) * MIXER
            mixed ^= mixed >> 29
        slot = mixed & mask
        while True:
            place = slots[slot]
            if place < 0:
                slots[slot] = merged
                new_keys[merged] = key
                place = merged
                merged += 1
                break
            same = True
            for w in range(words):
                same &= new_keys[place, w] == key[w]
            if same:
                break
            slot = (slot + 1) & mask
        new_counts[place] += counts[i]
        places[i] = place
    return new_keys[:merged].copy(), new_counts[:merged].copy(), places


@njit(nogil=True, cache=True)
def keys_with_counts(keys, counts, slices, table, bits, out):  # type: ignore[no-untyped-def]
    """Generalise keys of one word and write the rows of each into the lowest bits, ready to be sorted.

    Args:
        keys: keys × 1.
        counts: Rows of each key, below two to the power of `bits`.
        slices: slices × 4: word, shift, mask and place in the table.
        table: The look-up table.
        bits: Bits for the counts.
        out: Written.
    """
    for i in range(keys.shape[0]):
        total = np.int64(0)
        for s in range(slices.shape[0]):
            total += table[slices[s, 3] + ((keys[i, 0] >> slices[s, 1]) & slices[s, 2])]
        out[i] = (total << bits) | counts[i]


@njit(nogil=True, cache=True)
def merge_sorted(ordered, bits):  # type: ignore[no-untyped-def]
    """Return the distinct keys of a sorted array with counts in the lowest bits, and the sum of the counts of each."""
    keys, counts = np.empty((len(ordered), 1), np.int64), np.zeros(len(ordered), np.int32)
    mask = (np.int64(1) << bits) - 1
    last = -1
    for i in range(len(ordered)):
        key = ordered[i] >> bits
        if last < 0 or key != keys[last, 0]:
            last += 1
            keys[last, 0] = key
        counts[last] += ordered[i] & mask
    return keys[: last + 1].copy(), counts[: last + 1].copy()


@njit(nogil=True, cache=True)
def count_runs(ordered):  # type: ignore[no-untyped-def]
    """Return the distinct keys of a sorted array (keys × 1), and how often each occurs."""
    keys, counts = np.empty((len(ordered), 1), np.int64), np.empty(len(ordered), np.int32)
    distinct, begun = 0, 0
    for i in range(1, len(ordered) + 1):
        if i == len(ordered) or ordered[i] != ordered[begun]:
            keys[distinct, 0], counts[distinct] = ordered[begun], i - begun
            distinct, begun = distinct + 1, i
    return keys[:distinct].copy(), counts[:distinct].copy()


@njit(nogil=True, cache=True)
def put_field(keys, word, shift, codes):  # type: ignore[no-untyped-def]
    """Write the codes of one column into its field of every key, which is 0 so far.

    Args:
        keys: keys × words; changed in place.
        word: Word of the field.
        shift: Lowest bit of the field.
        codes: One code per key.
    """
    for i in range(keys.shape[0]):
        keys[i, word] |= np.int64(codes[i]) << shift
