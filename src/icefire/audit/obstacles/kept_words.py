"""Texts whose words were replaced by others, each by the same one everywhere: as codes, in a cipher, shortened.

Which released word stands for which original one is learned from rows whose origin is known.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import polars as pl

from icefire.kernels.types import Float, Int

WORDS = 256
"""Words of each column that are looked at, the most frequent ones."""
FEWEST_TEXTS = 24
"""Columns of fewer different texts are categories."""
FEWEST_ROWS = 2
"""Texts that a word occurs in, at least."""
USUAL = 1.2
"""Words of a text, on average, at least."""
PRIOR = 1.0
"""Rows that count beside those learned from, with and without a word."""
CLEAR = 2.0
"""Log-likelihood that a word adds at least, beside that of being the best of so many by chance."""
LEAST_GAIN = 0.1
"""Log-likelihood per row from which on words say something."""


@dataclass(frozen=True)
class KeptWords:
    """What the words of released texts say about who a row is."""

    gain: float
    """Mean log-likelihood per row, each row being predicted from all others."""
    weights: Float
    """Of every released row: log ratios of the words that the original has, beside its not having them."""
    without: Float
    """Of every released row: the log ratio of an original without any of the words."""
    known: Float
    """Original rows × words: 1 where the text has the word."""

    def add_scores(self, scores: Float, rows: Int) -> None:
        """Add the log ratios of every original row for some released rows."""
        scores += self.weights[rows] @ self.known.T + self.without[rows][:, None]


def learn_kept_words(x: pl.Series, y: pl.Series, truth: Int, taught: Int) -> KeptWords | None:
    """Learn from some released rows which original word each released word stands for; None if for none.

    Args:
        x: The column in the original.
        y: The released column.
        truth: Original row of each released row.
        taught: Released rows to learn from.
    """
    if x.dtype != pl.String or y.dtype != pl.String or min(x.n_unique(), y.n_unique()) < FEWEST_TEXTS:
        return None
    known, shown = (_occurrences(side, rows) for side, rows in ((x, truth[taught]), (y, taught)))
    if not known.shape[1] or not shown.shape[1]:
        return None
    own, said = known[truth[taught]], shown[taught]
    counts = _pairs_of_words(own, said)
    gains = np.array([_gains(counts[:, :, :, place]) for place in range(said.shape[1])])
    sources = gains.argmax(axis=1)
    least = (np.log(known.shape[1]) + CLEAR) / len(taught)
    used = np.flatnonzero(gains[np.arange(len(sources)), sources] > least)
    ratios = _log_ratios(counts[:, :, sources[used], used])
    learned = _kept(ratios, known[:, sources[used]], shown[:, used])
    gain = float(gains[used, sources[used]].sum())
    return KeptWords(gain, *learned) if gain > LEAST_GAIN else None


def _kept(ratios: Float, known: Float, shown: Float) -> tuple[Float, Float, Float]:
    with_word = np.where(shown > 0, ratios[1, 1][None], ratios[0, 1][None])
    without = np.where(shown > 0, ratios[1, 0][None], ratios[0, 0][None])
    return with_word - without, without.sum(axis=1), known


def _occurrences(texts: pl.Series, counted: Int) -> Float:
    """Return which text has which word, of the words that are most frequent in the texts counted."""
    words = texts.fill_null("").str.to_lowercase().str.extract_all(r"[\w']+").to_list()
    if sum(map(len, words)) < USUAL * len(words):
        return np.empty((len(words), 0))
    numbers = Counter(word for row in counted.tolist() for word in set(words[row]))
    places = {word: place for place, (word, rows) in enumerate(numbers.most_common(WORDS)) if rows >= FEWEST_ROWS}
    has = np.zeros((len(words), len(places)))
    for row, text in enumerate(words):
        has[row, [places[word] for word in text if word in places]] = 1.0
    return has


def _pairs_of_words(own: Float, said: Float) -> Float:
    """Return how many rows have and have not each released word, by having and not having each original one.

    Returns:
        Released (no, yes) × original (no, yes) × original words × released words.
    """
    both = own.T @ said
    only_own, only_said = own.sum(axis=0)[:, None] - both, said.sum(axis=0)[None] - both
    neither = len(own) - both - only_own - only_said
    return np.array([[neither, only_own], [only_said, both]])


def _log_ratios(counts: Float) -> Float:
    """Return the log of how much likelier a released word is with and without an original word."""
    rows = counts.sum(axis=(0, 1))
    shares = (counts.sum(axis=1) + PRIOR / 2) / (rows + PRIOR)
    totals = counts.sum(axis=0)
    ratios: Float = np.log((counts + PRIOR * shares[:, None]) / (totals[None] + PRIOR)) - np.log(shares)[:, None]
    return ratios


def _gains(some: Float) -> Float:
    """Return for one released word the log-likelihood per row that each original word adds, of rows left out."""
    rows = some.sum(axis=(0, 1))
    shares = (some.sum(axis=1) + PRIOR / 2) / (rows + PRIOR)
    totals = some.sum(axis=0)
    left = np.log((np.maximum(some - 1, 0) + PRIOR * shares[:, None]) / (np.maximum(totals - 1, 0)[None] + PRIOR))
    gains: Float = (some * (left - np.log(shares)[:, None])).sum(axis=(0, 1)) / rows
    return gains
