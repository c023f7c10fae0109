"""The worked examples of the papers, to the printed digit."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_tables import SA, compare, table

import icefire
from icefire.audit import judge
from icefire.core import blocks, registry, seeds
from icefire.core.release import Case, Guess, Truth


def run(name, x, y, **parameters):
    entry = registry.get("attack", name)
    return entry.function(Case(x, y), rng=seeds.generator(0, name), **entry.bind(parameters)).first.tolist()


def test_the_distances_of_the_first_released_row_are_those_printed(paper_x, paper_b):
    a, b = paper_x.matrix(SA), paper_b.matrix(SA)
    assert np.linalg.norm(a[0] - b[0]) == pytest.approx(14.142, abs=5e-4)
    assert np.linalg.norm(a[1] - b[0]) == pytest.approx(322.8, abs=0.05)


@pytest.mark.parametrize("name", ["euc1", "euc2", "sort", "id_sa"])
def test_noise_alone_hides_nobody_from(name, paper_x, paper_b):
    assert run(name, paper_x, paper_b) == [0, 1, 2, 3]


def test_sorting_uses_the_order_of_the_totals(paper_x, paper_b):
    # totals of X: 200, 600, 500, 900; of B: 200, 610, 490, 910: ranks 0, 2, 1, 3 in both.
    assert run("sort", paper_x, paper_b) == [0, 1, 2, 3]


def test_e4_finds_the_second_row_by_its_first_sensitive_value(paper_x, paper_b):
    # 220 is nearest to 200 among 100, 200, 300, 400.
    assert run("sa_nearest", paper_x, paper_b, column="s1")[1] == 1


def test_euc1_gives_up_where_a_unified_column_leaves_no_candidate(paper_x, paper_d):
    assert run("euc1", paper_x, paper_d) == [0, 1, -1, -1]


def test_euc1_gives_up_as_in_the_paper_by_answering_the_row_itself(paper_x, paper_d):
    assert run("euc1", paper_x, paper_d, give_up="same_row") == [0, 1, 2, 3]


def test_euc2_searches_everybody_instead_and_identifies_all_four(paper_x, paper_d):
    assert run("euc2", paper_x, paper_d) == [0, 1, 2, 3]


def test_without_quasi_identifiers_euc1_and_euc2_are_the_same(paper_x, paper_d):
    assert run("euc1", paper_x, paper_d, qi="") == run("euc2", paper_x, paper_d, qi="") == [0, 1, 2, 3]


def test_id_rand_expects_one_half_where_two_share_their_quasi_identifiers(paper_x, paper_b):
    entry = registry.get("attack", "E1")
    guess = entry.function(Case(paper_x, paper_b), rng=seeds.generator(0, "x"))
    assert judge.score(Truth(np.arange(4)), guess).expected == 0.5


def test_averaging_gives_the_printed_means(paper_x):
    release = icefire.anonymize(paper_x, {"step": [{"method": "average"}]})
    values = sorted(release.released.frame.select(SA).rows())
    assert values == [(150, 250), (150, 250), (350, 350), (350, 350)]


def test_the_index_example_of_p2_is_two_thirds():
    # P2 Fig. 1 counts rows from 1; the ratio does not care.
    score = judge.score(Truth(np.array([4, 1, 2])), Guess(np.array([3, 1, 2])))
    assert score.rate == pytest.approx(2 / 3)
    assert (score.hits, score.targets) == (2, 3)


@pytest.mark.parametrize(
    ("rows", "classes", "printed"), [(100, 97, 1.031), (100, 13, 7.692), (100, 95, 1.053), (90, 87, 1.034)]
)
def test_s2_is_rows_over_classes_as_in_table_13(rows, classes, printed):
    import polars as pl

    frame = pl.DataFrame({"q1": [i % classes for i in range(rows)], "s1": range(rows)})
    data = icefire.read(frame, qi=["q1"], sa=["s1"])
    assert registry.get("measure", "S2").function(compare(data, data)) == pytest.approx(printed, abs=5e-4)
    assert len(blocks.class_sizes(frame, ["q1"])) == classes


def test_e2_and_euc2_find_everybody_after_a_column_outside_the_cross_table_is_unified(households):
    # P0 Table 13, D_d: E2 = EUC2 = 1 where E1 and EUC1 collapse.
    data = households.take(np.arange(100))
    release = icefire.anonymize(data, {"step": [{"method": "unify", "columns": ["seniors"], "value": "9"}]})
    found = icefire.audit(data, release).scorecard.attacks
    assert found["euc2"].rate == found["id_sa"].rate == 1.0
    assert found["euc1"].rate == found["id_rand"].rate == 0.0


def test_e4_is_capped_by_the_zeros_of_its_column():
    # P0: of 100 rows 76 hold a zero; with zeros unanswered at most 24 can be right.
    import polars as pl

    frame = pl.DataFrame({"q": [0] * 100, "s": [0] * 76 + list(range(1, 25))})
    data = icefire.read(frame, qi=["q"], sa=["s"])
    answers = run("sa_nearest", data, data, zero_is_no_answer=True)
    assert answers == [-1] * 76 + list(range(76, 100))


def test_the_rotated_index_makes_every_attack_fail_and_aya_sees_through_it(paper_x):
    comparison = compare(paper_x, paper_x, [3, 0, 1, 2])
    guess = Guess(np.arange(4))
    assert judge.score(comparison.truth, guess).rate == 0.0
    claim = judge.Claim(comparison)
    assert judge.score(comparison.truth, claim.aya(guess)).rate == 1.0
    assert claim.farther_than_nearest() == 4


def test_aya_does_not_fire_on_an_exact_duplicate_because_nothing_is_strictly_nearer():
    twins = table((1, 1, 1, 5, 5), (1, 1, 1, 5, 5))
    comparison = compare(twins, twins, [1, 0])
    claim = judge.Claim(comparison)
    assert judge.score(comparison.truth, claim.aya(Guess(np.array([0, 1])))).rate == 0.0
    assert claim.farther_than_nearest() == 0
