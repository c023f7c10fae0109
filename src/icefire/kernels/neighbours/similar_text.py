"""The most similar text: cosine similarity of words, pairs of words and parts of words, weighted by rarity.

Texts are compared through an index from features to the texts that have them. The rarest features of a text are looked
up first, up to a limit of work; the texts that share most are then compared in full. Memory grows with the number of
features, which is bounded by leaving out the same features in both tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from icefire.kernels.common import threads
from icefire.kernels.types import Float, Int

GRAM = 3
"""Bytes of a part of a word."""
MOST_FEATURES = 1 << 25
"""Features of one table held in memory; of more a fixed share is left out, the same ones in both tables."""
LOOKED_UP = 20_000
"""Entries of the index that are read for one text."""
COMPARED = 16
"""Texts that are compared with it in full."""
OFFSET, PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)
SPACE = 32


class Features(NamedTuple):
    """Numbers of the features of texts, ascending and each once: those of text i are ids[start[i]:start[i + 1]]."""

    ids: np.ndarray
    start: Int


def features(data: np.ndarray, start: Int, kept: int, buckets: int) -> Features:
    """Return the features of texts: hashes of words, pairs of neighbouring words and parts of words.

    Args:
        data: Bytes of all texts; words are separated by single spaces.
        start: Text i is data[start[i]:start[i + 1]].
        kept: One of so many features is kept, chosen by its hash.
        buckets: Features have numbers below this; different ones may share a number.
    """
    counts = np.zeros(len(start), np.int64)
    ids = np.empty(2 * int(start[-1]) + 4 * len(start) + 8, np.uint32)
    used = _features(data, start, kept, buckets, ids, counts)
    return Features(ids[:used].copy(), np.cumsum(counts))


@njit(nogil=True, cache=True)
def _hash(data, begin, end, kind):  # type: ignore[no-untyped-def]
    value = OFFSET ^ np.uint64(kind)
    for at in range(begin, end):
        value = (value ^ np.uint64(data[at])) * PRIME
    value ^= value >> np.uint64(29)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    return value ^ (value >> np.uint64(32))


@njit(nogil=True, cache=True)
def _features(data, start, kept, buckets, ids, counts):  # type: ignore[no-untyped-def]
    used = 0
    share = np.uint64(kept)
    for i in range(start.size - 1):
        first, last_word, begin = used, -1, start[i]
        for at in range(start[i], start[i + 1] + 1):
            if at < start[i + 1] and data[at] != SPACE:
                continue
            if at > begin:
                # Words and pairs of words are numbered apart from parts of words.
                value = _hash(data, begin, at, 1)
                if value % share == 0:
                    ids[used] = (value // share) % np.uint64(buckets)
                    used += 1
                if last_word >= 0:
                    value = _hash(data, last_word, at, 2)
                    if value % share == 0:
                        ids[used] = (value // share) % np.uint64(buckets)
                        used += 1
                for part in range(begin, at - GRAM + 1):
                    value = _hash(data, part, part + GRAM, 3)
                    if value % share == 0:
                        ids[used] = (value // share) % np.uint64(buckets)
                        used += 1
                last_word = begin
            begin = at + 1
        ids[first:used].sort()
        write = first
        for read in range(first, used):
            if read == first or ids[read] != ids[read - 1]:
                ids[write] = ids[read]
                write += 1
        used = write
        counts[i + 1] = used - first
    return used


def most_similar(known: Features, asked: Features, buckets: int) -> tuple[Int, Float, Float]:
    """Return for every text the known text that is most similar, its similarity and that of the next one.

    Args:
        known: Features of the known texts.
        asked: Features of the texts asked about.
        buckets: Features have numbers below this.

    Returns:
        The known text (the lowest of equally similar ones; -1 where no feature is shared), its cosine similarity, and
        that of the second.
    """
    count = len(known.start) - 1
    frequency = np.bincount(known.ids, minlength=buckets)
    index_start = np.append(0, np.cumsum(frequency))
    owners = np.repeat(np.arange(count, dtype=np.int32), np.diff(known.start))
    index = owners[np.argsort(known.ids, kind="stable")]
    weight = np.log1p(count / np.maximum(frequency, 0.5)) ** 2
    rows = np.full(len(asked.start) - 1, -1, np.int64)
    best, second = np.zeros(len(rows)), np.zeros(len(rows))
    sizes = [np.sqrt(np.maximum(_sums(weight, texts), 1e-300)) for texts in (known, asked)]
    arrays = (*known, *asked, index_start, index, weight, *sizes, rows, best, second)
    threads.starmap(_most_similar, [(*arrays, a, b) for a, b in threads.spans(len(rows), 256, 16)])
    return rows, best, second


def _sums(weight: Float, texts: Features) -> Float:
    totals = np.append(0.0, np.cumsum(weight[texts.ids]))
    sums: Float = totals[texts.start[1:]] - totals[texts.start[:-1]]
    return sums


@njit(nogil=True, cache=True)
def _shared(a, b, weight) -> Any:  # type: ignore[no-untyped-def]
    i, j, total = 0, 0, 0.0
    while i < a.size and j < b.size:
        if a[i] == b[j]:
            total += weight[a[i]]
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return total


@njit(nogil=True, cache=True)
def _most_similar(  # type: ignore[no-untyped-def]
    k_ids, k_start, a_ids, a_start, index_start, index, weight, k_size, a_size, rows, best, second, start, stop
):
    score = np.zeros(k_size.size, np.float64)
    touched = np.empty(k_size.size, np.int64)
    for j in range(start, stop):
        mine = a_ids[a_start[j] : a_start[j + 1]]
        frequency = np.empty(mine.size, np.int64)
        for f in range(mine.size):
            frequency[f] = index_start[mine[f] + 1] - index_start[mine[f]]
        count, work = 0, 0
        for f in np.argsort(frequency):
            if work > 0 and work + frequency[f] > LOOKED_UP:
                break
            work += frequency[f]
            for at in range(index_start[mine[f]], index_start[mine[f] + 1]):
                i = index[at]
                if score[i] == 0.0:
                    touched[count] = i
                    count += 1
                score[i] += weight[mine[f]]
        for k in range(count):
            score[touched[k]] /= k_size[touched[k]]
        for _ in range(min(COMPARED, count)):
            top = touched[0]
            for k in range(1, count):
                i = touched[k]
                if score[i] > score[top] or (score[i] == score[top] and i < top):
                    top = i
            score[top] = -1.0
            near = _shared(k_ids[k_start[top] : k_start[top + 1]], mine, weight) / (k_size[top] * a_size[j])
            if near > best[j] or (near == best[j] and top < rows[j]):
                second[j] = best[j]
                best[j] = near
                rows[j] = top
            elif near > second[j]:
                second[j] = near
        for k in range(count):
            score[touched[k]] = 0.0
