"""The most similar text, against its slow obvious version."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from icefire.kernels.neighbours import similar_text

WORDS = ["red", "green", "blue", "yellow", "black", "white", "grey", "pink", "brown", "orange"]
BUCKETS = 1 << 22


def packed(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    parts = [text.encode() for text in texts]
    return np.frombuffer(b"".join(parts), np.uint8), np.append(0, np.cumsum([len(part) for part in parts]))


def slow_features(text: str) -> set[str]:
    words = [word for word in text.split(" ") if word]
    pairs = {f"pair {a} {b}" for a, b in pairwise(words)}
    parts = {f"part {word[at : at + 3]}" for word in words for at in range(len(word) - 2)}
    return {f"word {word}" for word in words} | pairs | parts


def slow_similarity(known: list[str], text: str) -> list[float]:
    of_known = [slow_features(other) for other in known]

    def size(some: set[str]) -> float:
        return sum(math.log1p(len(known) / max(sum(f in o for o in of_known), 0.5)) ** 2 for f in some)

    mine = slow_features(text)
    return [size(mine & other) / math.sqrt(size(mine) * size(other)) for other in of_known]


def random_texts(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(count)]


def test_the_most_similar_text_is_that_of_the_slow_version() -> None:
    known, asked = sorted(set(random_texts(40, 1))), random_texts(30, 2)
    one, other = (similar_text.features(*packed(texts), 1, BUCKETS) for texts in (known, asked))
    rows, best, second = similar_text.most_similar(one, other, BUCKETS)
    for j, text in enumerate(asked):
        slow = slow_similarity(known, text)
        order = sorted(slow, reverse=True)
        assert best[j] == pytest.approx(order[0])
        assert slow[rows[j]] == pytest.approx(order[0])
        assert second[j] == pytest.approx(order[1])


def test_every_feature_counts_once() -> None:
    texts = ["red red red", "green", ""]
    ids, start = similar_text.features(*packed(texts), 1, BUCKETS)
    assert np.diff(start).tolist() == [len(slow_features(text)) for text in texts]
    assert all((np.diff(ids[a:b].astype(int)) > 0).all() for a, b in pairwise(start))


def test_features_left_out_are_the_same_in_every_table() -> None:
    texts = random_texts(50, 3)
    whole, some = (similar_text.features(*packed(texts), kept, BUCKETS) for kept in (1, 3))
    assert 0 < len(some.ids) < len(whole.ids)
    again = similar_text.features(*packed(texts[:1]), 3, BUCKETS)
    assert again.ids.tolist() == some.ids[: some.start[1]].tolist()


def test_a_text_without_shared_features_has_no_similar_one() -> None:
    one, other = (similar_text.features(*packed(texts), 1, BUCKETS) for texts in (["red", "green"], ["zzzz", ""]))
    rows, best, _ = similar_text.most_similar(one, other, BUCKETS)
    assert rows.tolist() == [-1, -1]
    assert best.tolist() == [0, 0]
