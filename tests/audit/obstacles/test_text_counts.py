"""Texts as numbers, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.audit.obstacles.text_counts import counts_of_characters, numbers_in_texts


def test_characters_lengths_and_words_are_counted():
    texts = pl.Series("note", ["Aab a", None, *("b" * size for size in range(1, 40))])
    counts = np.array(counts_of_characters(texts))
    # b is the most frequent, then a, then the space; case does not matter; lengths and words come last.
    assert counts[:, 0].tolist() == [1, 3, 1, 5, 2]
    assert np.isnan(counts[:, 1]).all()
    assert counts[:, 2].tolist() == [1, 0, 0, 1, 1]


def test_few_different_texts_are_categories():
    assert counts_of_characters(pl.Series(["red", "green"] * 50)) == []


def test_numbers_in_texts_become_columns():
    first, second = numbers_in_texts(pl.Series("note", ["a 3/1", "4/-2.5", None]))
    assert (first.name, first.to_list()) == ("note (1)", [3, 4, None])
    assert second.to_list() == [1, -2.5, None]


def test_texts_with_one_number_or_with_different_numbers_of_them_have_none():
    assert numbers_in_texts(pl.Series(["1", "2"])) == []
    assert numbers_in_texts(pl.Series(["1 2", "1 2 3", "4"])) == []
    assert numbers_in_texts(pl.Series([None, None], dtype=pl.String)) == []
