"""The search through trees of the original rows, each part against its slow obvious version."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.kernels.linkage import tree_search
from icefire.kernels.linkage.level_trees import level_trees, peaks
from icefire.kernels.linkage.row_tree import TOGETHER, expected_visits, row_tree

RNG = np.random.default_rng(5)
LEVELS = (1, 2, 7, 40, 3)


def drawn(rows=900, released=60):
    """Draw tables of ratios, original levels and released rows."""
    ratios = [np.exp(RNG.normal(size=(count + 2, count)) * 2) for count in LEVELS]
    x_levels = np.stack([RNG.integers(0, count, rows) for count in LEVELS]).astype(np.uint16)
    y_rows = np.stack([RNG.integers(0, count + 2, released) for count in LEVELS], axis=1).astype(np.int32)
    shares = [np.bincount(line, minlength=count) / rows for line, count in zip(x_levels, LEVELS, strict=True)]
    return ratios, shares, x_levels, y_rows


def levels_inside(trees, c, node):
    """List the levels of a node by walking down."""
    if node < trees.levels[c]:
        return [node]
    at = trees.start[c] + node - trees.levels[c]
    return levels_inside(trees, c, trees.left[at]) + levels_inside(trees, c, trees.right[at])


def slow_scores(ratios, x_levels, row):
    return sum(np.log(table[level])[line] for table, level, line in zip(ratios, row, x_levels, strict=True))


def test_a_tree_of_levels_divides_each_node_at_its_cut():
    shares = [np.ones(1), *(RNG.dirichlet(np.ones(count)) for count in LEVELS[1:])]
    trees = level_trees(shares)
    for c, count in enumerate(LEVELS):
        assert levels_inside(trees, c, trees.roots[c]) == list(range(count))
        for node in range(count, trees.nodes[c]):
            at = trees.start[c] + node - count
            assert min(levels_inside(trees, c, trees.right[at])) == trees.cut[at]


def test_levels_are_divided_as_near_to_equal_frequency_as_possible():
    trees = level_trees([np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(4)])
    assert trees.cut[:1].tolist() == [3]
    assert trees.cut[3] == 2


def test_peaks_are_the_highest_log_ratio_of_a_node():
    ratios, shares, _, _ = drawn()
    trees = level_trees(shares)
    table = peaks(trees, ratios)
    for c, ratio in enumerate(ratios):
        for level in range(len(ratio)):
            for node in range(trees.nodes[c]):
                slow = np.log(ratio[level, levels_inside(trees, c, node)]).max()
                assert table.entries[table.base[c] + level * trees.nodes[c] + node] == pytest.approx(slow, abs=1e-5)


def test_nodes_of_rows_hold_exactly_the_rows_with_their_levels():
    ratios, shares, x_levels, y_rows = drawn()
    trees = level_trees(shares)
    visits = expected_visits(trees, peaks(trees, ratios), y_rows)
    tree = row_tree(trees, visits, x_levels.T.copy(), np.ones(len(LEVELS), bool))
    assert sorted(tree.order) == list(range(900))
    assert len(tree.child) > 20
    for node in range(len(tree.child)):
        inside = np.ones(900, bool)
        for c in range(len(LEVELS)):
            inside &= np.isin(x_levels[c], levels_inside(trees, c, tree.inside[node, c]))
        assert sorted(tree.order[tree.first[node] : tree.last[node]]) == np.flatnonzero(inside).tolist()


def test_only_dividing_columns_divide():
    ratios, shares, x_levels, y_rows = drawn()
    trees = level_trees(shares)
    visits = expected_visits(trees, peaks(trees, ratios), y_rows)
    tree = row_tree(trees, visits, x_levels.T.copy(), np.array([True, False, True, False, False]))
    assert set(tree.column[tree.child >= 0]) == {2}


def test_other_columns_divide_the_many_rows_that_dividing_columns_leave_together():
    ratios, shares, x_levels, y_rows = drawn(rows=60_000)
    trees = level_trees(shares)
    visits = expected_visits(trees, peaks(trees, ratios), y_rows)
    tree = row_tree(trees, visits, x_levels.T.copy(), np.array([True, False, True, False, False]))
    divided, sizes = tree.child >= 0, tree.last - tree.first
    by_others = np.flatnonzero(divided & (tree.column != 2))
    assert tree.column[0] == 2
    assert len(by_others)
    assert (sizes[by_others] > TOGETHER).all()
    assert sizes[~divided].max() <= TOGETHER


def test_visits_count_how_near_the_highest_ratio_of_a_node_is_to_that_of_the_column():
    ratios, shares, _, y_rows = drawn()
    trees = level_trees(shares)
    visits = expected_visits(trees, peaks(trees, ratios), y_rows)
    for node in (0, 6, 9):
        best = [np.log(ratios[2][level]).max() for level in y_rows[:, 2]]
        here = [np.log(ratios[2][level, levels_inside(trees, 2, node)]).max() for level in y_rows[:, 2]]
        assert visits[2][node] == pytest.approx(np.exp((np.array(here) - best) / 2).sum(), rel=1e-4)


@pytest.mark.parametrize("dividing", [(1, 1, 1, 1, 1), (0, 0, 0, 1, 0), (0, 1, 0, 0, 1)])
def test_a_search_without_limit_finds_the_best_rows(dividing):
    ratios, shares, x_levels, y_rows = drawn()
    tree = tree_search.search_tree(
        tree_search.score_tables(ratios, shares, x_levels, y_rows), np.array(dividing, np.bool_)
    )
    lists = tree_search.no_candidates(len(y_rows), 9)
    tree_search.search(tree, y_rows, np.arange(len(y_rows)), 10**9, lists)
    for j, row in enumerate(y_rows):
        scores = slow_scores(ratios, x_levels, row)
        order = np.lexsort((np.arange(900), -scores.round(4)))[:9]
        worth = scores[order] > scores.max() - tree_search.BEHIND
        assert lists.scores[j][worth] == pytest.approx(scores[order][worth], abs=1e-4)
        assert scores[lists.rows[j][worth]] == pytest.approx(scores[order][worth], abs=1e-4)


def test_searches_add_up_and_list_nobody_twice():
    ratios, shares, x_levels, y_rows = drawn()
    tables = tree_search.score_tables(ratios, shares, x_levels, y_rows)
    lists, once = (tree_search.no_candidates(len(y_rows), 9) for _ in range(2))
    trees = [tree_search.search_tree(tables, np.arange(5) % 2 == part) for part in range(2)]
    everybody = np.arange(len(y_rows))
    tree_search.search(trees[0], y_rows, everybody, 50, lists)
    first = lists.scores.copy()
    tree_search.search(trees[1], y_rows, everybody[::2], 10**9, lists)
    tree_search.search(trees[1], y_rows, everybody, 10**9, once)
    assert (lists.scores[1::2] == first[1::2]).all()
    assert (lists.rows[::2] == once.rows[::2]).all()
    assert all(len(set(row[row >= 0])) == (row >= 0).sum() for row in lists.rows)


def test_a_search_compares_no_more_rows_than_it_may():
    ratios, shares, x_levels, y_rows = drawn(20_000)
    tree = tree_search.search_tree(tree_search.score_tables(ratios, shares, x_levels, y_rows), np.ones(5, bool))
    lists = tree_search.no_candidates(len(y_rows), 4000)
    tree_search.search(tree, y_rows, np.arange(len(y_rows)), 500, lists)
    largest = (tree.rows.last - tree.rows.first)[tree.rows.child < 0].max()
    assert 0 < (lists.rows >= 0).sum(axis=1).max() <= 500 + largest


def test_the_weight_of_rows_that_are_not_kept_is_estimated():
    ratios, shares, x_levels, y_rows = drawn(5000)
    mild = [table**0.2 for table in ratios]
    tree = tree_search.search_tree(tree_search.score_tables(mild, shares, x_levels, y_rows), np.ones(5, bool))
    lists = tree_search.no_candidates(len(y_rows), 9)
    tree_search.search(tree, y_rows, np.arange(len(y_rows)), 10**9, lists)
    for j, row in enumerate(y_rows):
        scores = slow_scores(mild, x_levels, row)
        exact = np.log(np.exp(np.delete(scores, lists.rows[j])).sum())
        assert lists.rest[j] == pytest.approx(exact, abs=0.3)


def test_the_highest_score_is_that_of_the_best_levels():
    ratios, shares, x_levels, y_rows = drawn()
    highest = tree_search.highest_scores(tree_search.score_tables(ratios, shares, x_levels, y_rows), y_rows)
    slow = [sum(np.log(ratio[level]).max() for ratio, level in zip(ratios, row, strict=True)) for row in y_rows]
    assert highest == pytest.approx(slow, abs=1e-4)
