"""The ways of large releases, tried on small ones: they lose little, and the number of threads changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import icefire
from icefire.attacks.tables.link import agreement, attack, held_out, learning, refinement, search
from icefire.attacks.tables.link.channel_tables import TableStore
from icefire.attacks.tables.link.channels import Channel
from icefire.attacks.tables.link.columns import encoded, readable
from icefire.attacks.tables.link.matching import KEPT, scorer
from icefire.attacks.tables.link.ordering import ordered_tables, readable_columns
from icefire.audit.tables import JOINT_ATTACK_ROWS, TableAdapter
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.release import Case
from icefire.studies.strongest_releases import adult

ROWS = 600
K5 = {"method": "k_anonymize", "k": 5}


@pytest.fixture(scope="module")
def release():
    """Households after k-anonymity and rank swapping, and the original row of each."""
    data = icefire.sample("households", rows=ROWS)
    release = icefire.anonymize(data, {"step": [K5, {"method": "rank_swap", "p": 20}]}, seed=3)
    return Case(*align.match(data, release.released.frame)), release.truth.rows


@pytest.fixture
def case(release):
    """What an attacker receives."""
    return release[0]


def rate(case, truth):
    guess = attack.link(case, rng=np.random.default_rng(1))
    return (guess.first == truth).mean(), guess.probability.mean()


def test_a_large_release_is_linked_as_well(release, monkeypatch):
    small, sure = rate(*release)
    monkeypatch.setattr(search, "PAIRS", 0)
    monkeypatch.setattr(search, "COMPARED", 0)
    monkeypatch.setattr(refinement, "LEARNED_FROM", ROWS // 2)
    monkeypatch.setattr(agreement, "PAIRS", 0)
    large, sure_too = rate(*release)
    assert small > 0.9
    assert large > small - 0.01
    assert sure_too == pytest.approx(sure, abs=0.05)


def test_answers_do_not_depend_on_the_number_of_threads(case, monkeypatch):
    guesses = []
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        guesses.append(attack.link(case, rng=np.random.default_rng(1)))
    assert (guesses[0].first == guesses[1].first).all()
    assert (guesses[0].probability == guesses[1].probability).all()


def test_trees_serve_other_tables(case, monkeypatch):
    x, y = case.known.frame, case.released.frame
    columns = encoded([(*readable(x[name], y[name]), 32) for name in sorted(x.columns)])
    broad, sharp = (scorer(columns, [Channel("same", share)] * len(columns), None) for share in (0.3, 0.9))
    expected = sharp.candidates(sharp.y_rows)
    monkeypatch.setattr(search, "PAIRS", 0)
    broad.candidates(broad.y_rows)
    again = broad.with_ratios(sharp.ratios)
    assert len(again.search.row_trees) == 3
    monkeypatch.setattr(search, "FIRST", 10**9)
    listed = again.candidates(again.y_rows)
    assert listed.rows.shape == (ROWS, KEPT)
    assert listed.scores[:, 0] == pytest.approx(expected.scores[:, 0], abs=1e-3)


def test_few_rows_are_compared_with_everybody(case):
    tool = scorer(encoded([(*readable_columns(case)["food"], 32)]), [Channel("same", 0.9)], None)
    assert not tool.search.is_large(search.FEW)
    assert tool.search.is_large(search.PAIRS // ROWS + 1)


def test_attacks_by_all_columns_leave_out_tables_that_are_too_large():
    class Released:
        def __init__(self, height):
            self.height = height

    adapter = TableAdapter()
    assert adapter.unavailable(Released(JOINT_ATTACK_ROWS)) == {}
    assert set(adapter.unavailable(Released(JOINT_ATTACK_ROWS + 1))) == {"link", "link_rest", "replay", "t_kernel"}


@pytest.mark.parametrize("others", [0, 40])
def test_rows_held_out_of_a_large_release_are_few(case, others, monkeypatch):
    monkeypatch.setattr(held_out, "PAIRS", 30 * ROWS)
    columns = ordered_tables(case).columns(32)
    store, rng, sizes = TableStore(), np.random.default_rng(1), []
    learned = learning.learn(columns, np.arange(60), None, rng, store=store)
    learn = learning.learn

    def noted(columns, sample, *further, **named):
        sizes.append(len(sample))
        return learn(columns, sample, *further, **named)

    monkeypatch.setattr(learning, "learn", noted)
    weak = replace(learned, gain=0.1)
    held_out.credit(columns, weak, np.arange(60, 60 + others), np.arange(ROWS), rng, store)
    assert sizes == ([] if others else [30, 30])


@pytest.mark.parametrize("people", [900, held_out.SMALL + 200])
def test_suppressed_cells_do_not_make_the_answers_worthless(people):
    # What makes people rare is blank, so rows are less sharp than simulated ones: 60 % were found, and none said to be.
    folder = Path(__file__).parents[5] / "shared" / "data" / "uci_adult"
    if not folder.is_dir():
        pytest.skip("the shared data (../shared/data/uci_adult) is not here")
    whole = adult(folder)
    some = Dataset(whole.frame.head(people), whole.schema, "adult")
    steps = [{"method": "local_suppress", "k": 5}, {"method": "noise", "scale": 0.2}]
    release = icefire.anonymize(some, {"step": steps}, seed=2015)
    found, said = rate(Case(*align.match(some, release.released.frame)), release.truth.rows)
    assert found > 0.5
    assert said == pytest.approx(found, abs=0.1)
