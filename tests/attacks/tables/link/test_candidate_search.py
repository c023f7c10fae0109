"""The search of large tables loses almost nothing against all pairs, on many kinds of releases."""

from __future__ import annotations

import numpy as np
import pytest

import icefire
from icefire.attacks.tables.link import attack, search
from icefire.attacks.tables.link.matching import KEPT
from icefire.core import align
from icefire.core.release import Case

ROWS = 3000
K5 = {"method": "k_anonymize", "k": 5}
RELEASES = {
    "k = 5": [K5],
    "noise": [K5, {"method": "noise", "scale": 0.5}],
    "rank swap": [K5, {"method": "rank_swap", "p": 20}],
    "randomised": [{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}],
    "laplace": [{"method": "laplace", "epsilon": 20}],
    "microaggregated": [K5, {"method": "microaggregate", "k": 5}],
    "swapped": [K5, {"method": "swap"}],
    "shuffled columns": [K5, {"method": "noise", "scale": 0.2}],
}


class SearchReachedError(Exception):
    """The attack has learned its channels and is about to search."""


def released(name):
    """Make a release, and for one of them shuffle ten columns."""
    data = icefire.sample("households", rows=ROWS)
    release = icefire.anonymize(data, {"step": RELEASES[name]}, seed=3)
    frame, rng = release.released.frame, np.random.default_rng(2)
    if name == "shuffled columns":
        names = [*data.qi[:6], *data.sa[:4]]
        frame = frame.with_columns(frame[name][rng.permutation(ROWS)] for name in names)
    return Case(*align.match(data, frame))


def searches(case, monkeypatch):
    """Let the attack learn, and return its search and the released rows."""
    caught = []

    def catch(self, y_rows, keep):
        caught.append((self, y_rows))
        raise SearchReachedError

    with monkeypatch.context() as patched:
        patched.setattr(search.CandidateSearch, "candidates", catch)
        patched.setattr(attack, "SAMPLE", 150)
        with pytest.raises(SearchReachedError):
            attack.link(case, rng=np.random.default_rng(1))
    return caught[0]


@pytest.mark.parametrize("name", RELEASES)
def test_a_search_through_trees_finds_what_all_pairs_find(name, monkeypatch):
    trees, y_rows = searches(released(name), monkeypatch)
    all_pairs = trees.candidates(y_rows, KEPT)
    monkeypatch.setattr(search, "PAIRS", 0)
    monkeypatch.setattr(search, "FIRST", 300)
    monkeypatch.setattr(search, "FURTHER", 600)
    monkeypatch.setattr(search, "COMPARED", 0)
    listed = trees.candidates(y_rows, KEPT)
    assert (listed.scores[:, 0] >= all_pairs.scores[:, 0] - 1e-3).mean() > 0.99
    weights, full = (np.exp(lists.scores - all_pairs.scores[:, :1]).sum(axis=1) for lists in (listed, all_pairs))
    assert weights.sum() > 0.99 * full.sum()


def test_a_search_does_not_depend_on_the_number_of_threads(monkeypatch):
    trees, y_rows = searches(released("randomised"), monkeypatch)
    monkeypatch.setattr(search, "PAIRS", 0)
    lists = []
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        lists.append(trees.candidates(y_rows[:500], KEPT))
    assert all((one == other).all() for one, other in zip(*lists, strict=True))


def test_equal_released_rows_are_searched_for_once(monkeypatch):
    trees, y_rows = searches(released("swapped"), monkeypatch)
    monkeypatch.setattr(search, "PAIRS", 0)
    twice = trees.candidates(np.concatenate([y_rows[:200], y_rows[:200]]), KEPT)
    assert (twice.rows[:200] == twice.rows[200:]).all()
