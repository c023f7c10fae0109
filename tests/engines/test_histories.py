"""Histories in pieces on disk: item sets, mean baskets, and the rows that dummies would add."""

from __future__ import annotations

import numpy as np
import pytest
from support.slow import slow_dummy_rows

from icefire.core.errors import ParameterError
from icefire.engines.histories import plan_history_memory
from icefire.samples import shop
from icefire.testing.engines import in_tiny_pieces


@pytest.fixture(scope="module")
def parts():
    history = shop.history(30, seed=3)
    held = in_tiny_pieces(history, history)
    yield history, held
    held.close()


def test_pieces_hold_every_subject_once_with_all_its_items(parts):
    history, held = parts
    pieces = list(held.pieces("original"))
    assert len(pieces) > 3
    assert [piece.first for piece in pieces] == np.cumsum([0, *(p.baskets.subjects for p in pieces[:-1])]).tolist()
    sizes = np.concatenate([piece.baskets.sizes for piece in pieces])
    assert sizes.tolist() == history.baskets.sizes.tolist()
    assert held.goods == history.baskets.goods
    assert held.mean_basket("original") == pytest.approx(history.baskets.sizes.mean())


@pytest.mark.parametrize("clusters", [1, 4, 30])
def test_dummy_rows_of_given_clusters(parts, clusters):
    history, held = parts
    labels = np.random.default_rng(clusters).integers(-1, clusters, history.subjects)
    assert held.dummy_rows(labels) == slow_dummy_rows(history.baskets, labels)


def test_clusters_for_other_people_are_refused(parts):
    with pytest.raises(ParameterError, match="give one for each subject"):
        parts[1].dummy_rows(np.zeros(3, np.int64))


def test_the_folder_is_deleted_unless_it_is_the_users(tmp_path):
    history = shop.history(5)
    held = in_tiny_pieces(history, history)
    assert held.folder.exists()
    held.close()
    assert not held.folder.exists()


def test_more_memory_makes_larger_pieces_and_too_little_is_refused():
    small, large = (plan_history_memory(limit * 10**9, 2_000_000, 200_000_000) for limit in (2, 6))
    assert small.piece_rows < large.piece_rows
    with pytest.raises(ParameterError, match=r"give at least 1\.2GB"):
        plan_history_memory(10**9, 2_000_000, 200_000_000)
