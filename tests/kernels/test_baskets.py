"""Searches among sets: every kernel against a plain version, on sets made of ties."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.kernels.assignment import auction
from icefire.kernels.baskets import best_matches as basket_best
from icefire.kernels.baskets import evidence, similarity, size_classes, top_matches
from icefire.kernels.baskets import inverted_index as basket_index
from icefire.kernels.baskets import set_groups as basket_groups
from icefire.kernels.baskets import weighted_similarity as basket_weights

FEW = settings(max_examples=80, deadline=None)


# -- plain versions ------------------------------------------------------------------------------------------


def packed(sets):
    ends = np.concatenate(([0], np.cumsum([len(items) for items in sets]))).astype(np.int64)
    return ends, np.array([item for items in sets for item in sorted(items)], np.int32)


def score(a, b, rule):
    """How well A fits B, as something Python compares exactly."""
    shared = len(a & b)
    return {
        "jaccard": (Fraction(shared, len(a | b)), 0),
        "contained": (Fraction(shared, len(a)), len(a)),
        "covering": (shared, -len(a)),
        "overlap": (shared, 0),
    }[rule]


def plain_best(known, shown, rule):
    """For every set shown the known sets with the highest score, of those that share anything."""
    best_sets = []
    for b in shown:
        scores = {i: score(a, b, rule) for i, a in enumerate(known) if a & b}
        best_sets.append([i for i, value in scores.items() if value == max(scores.values())])
    return best_sets


def told(best):
    return [best.ties[a:b].tolist() for a, b in zip(best.start, best.stop, strict=True)]


# -- data ----------------------------------------------------------------------------------------------------


@st.composite
def sets(draw, most=40):
    """Known sets and sets shown: some drawn, some known ones with a little more, some equal, some empty."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    goods, n, m = draw(st.integers(1, 40)), draw(st.integers(0, most)), draw(st.integers(0, most))
    density = draw(st.sampled_from([0.02, 0.1, 0.3, 0.9]))
    popular = random.random(goods) ** 2

    def drawn():
        return set(np.flatnonzero(random.random(goods) < popular * density * 2 * random.random()).tolist())

    known = [drawn() for _ in range(n)]
    for i in range(n):
        if random.random() < 0.2:
            known[i] = set(known[random.integers(n)])
    shown = [drawn() for _ in range(m)]
    for j in range(m):
        if n and random.random() < 0.5:
            extra = random.integers(0, goods, random.integers(0, 4)).tolist()
            shown[j] = known[random.integers(n)] | known[random.integers(n)] | set(extra)
    return known, shown, goods


# -- equal sets ----------------------------------------------------------------------------------------------


def test_equal_sets_are_grouped_and_groups_come_by_their_first_member():
    groups = basket_groups.group_equal_sets(*packed([{1, 2}, set(), {2, 1}, {1}, set(), {1, 2, 3}]))
    assert groups.label.tolist() == [0, 1, 0, 2, 1, 3]
    assert groups.first.tolist() == [0, 1, 3, 5]
    assert groups.members.tolist() == [0, 2, 1, 4, 3, 5]


def test_sets_of_one_mark_are_still_told_apart(monkeypatch):
    monkeypatch.setattr(basket_groups, "_hashes", lambda start, items: np.zeros(len(start) - 1, np.uint64))
    groups = basket_groups.group_equal_sets(*packed([{1, 2}, {1, 3}, {1, 2}, {2, 3}, {1, 3}]))
    assert groups.label.tolist() == [0, 1, 0, 2, 1]


@FEW
@given(sets())
def test_an_index_holds_every_set_in_order_of_rarity_and_every_item_its_holders(data):
    known, _, goods = data
    index = basket_index.build_index(*packed(known), goods)
    item_of = np.argsort(index.rank_of)
    for place, number in enumerate(index.order):
        ranks = index.ranks[index.start[place] : index.start[place + 1]]
        assert (np.diff(ranks) > 0).all()
        assert set(item_of[ranks].tolist()) == known[number]
    for rank in range(goods):
        holders = index.holders[index.ends[rank] : index.ends[rank + 1]].tolist()
        assert holders == [p for p, number in enumerate(index.order) if item_of[rank] in known[number]]
    assert (np.diff(np.diff(index.ends)[: index.held]) >= 0).all()


# -- the best sets -------------------------------------------------------------------------------------------


def test_five_customers_find_the_most_similar():
    known = [{1, 2, 3}, {1, 2}, {4}, {1, 2}, set()]
    shown = [{1, 2}, {1, 2, 3, 4}, {5}, set(), {4, 5}]
    # {1,2}: customers 1 and 3 are equal. {1,2,3,4}: 3/4 for customer 0. {5}, nothing: nobody. {4,5}: 1/2 for 2.
    best = similarity.best_matches(packed(known), packed(shown), 6)
    assert best.rows.tolist() == [1, 0, -1, -1, 2]
    assert told(best) == [[1, 3], [0], [], [], [2]]


def test_classes_hold_every_set_and_the_position_of_every_item():
    known = [{0, 1}, {2}, set(), {0, 1, 2, 3, 4, 5, 6}, {1, 2}]
    index = basket_index.build_index(*packed(known), 7)
    classes = size_classes.size_classes(index)
    entries = set()
    for c in range(len(classes.first) - 1):
        sizes = index.sizes[classes.first[c] : classes.first[c + 1]]
        assert sizes.min() > 0
        for rank in range(index.held):
            part = slice(classes.cells[c, rank], classes.cells[c, rank + 1])
            assert (np.diff(classes.position[part]) >= 0).all()
            for place, position in zip(classes.places[part], classes.position[part], strict=True):
                assert classes.first[c] <= place < classes.first[c + 1]
                assert index.ranks[index.start[place] + position] == rank
                entries.add((place, rank))
    assert len(entries) == sum(map(len, known))


@FEW
@given(sets(), st.sampled_from([1.0, 1.3, 3.0]), st.integers(1, 3))
def test_the_search_by_rare_items_finds_all_of_the_best_in_every_layout(data, ratio, spans):
    known, shown, goods = data
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(size_classes, "CELLS_PER_ENTRY", 1e9)
        patched.setattr(size_classes, "RATIO", ratio)
        patched.setattr(similarity, "SPANS", spans)
        best = similarity.best_matches(packed(known), packed(shown), goods)
    assert told(best) == plain_best(known, shown, "jaccard")
    assert best.rows.tolist() == [min(ties, default=-1) for ties in plain_best(known, shown, "jaccard")]


@FEW
@given(sets(), st.integers(1, 5))
def test_known_sets_may_be_searched_piece_by_piece(data, pieces):
    known, shown, goods = data
    best = similarity.no_bound(len(shown))
    rows = np.full(len(shown), -1)
    for piece in np.array_split(np.arange(len(known)), pieces):
        before = best.copy()
        found = similarity.most_similar(packed([known[i] for i in piece]), packed(shown), goods, best)
        better = (best[:, 0] * before[:, 1] != before[:, 0] * best[:, 1]) | (rows < 0)
        there = found.rows >= 0
        rows[better & there] = piece[found.rows[better & there]]
    assert rows.tolist() == [min(ties, default=-1) for ties in plain_best(known, shown, "jaccard")]
    scores = [max((Fraction(len(a & b), len(a | b)) for a in known if a & b), default=0) for b in shown]
    assert [Fraction(int(x), int(y)) for x, y in best] == scores


def test_fractions_that_only_look_different_are_equal():
    # Customer 0 shares 1 of 3 goods, customer 1 shares 2 of 6.
    known = [{0}, {0, 1, 3, 4, 5}]
    shown = [{0, 1, 2}]
    assert told(similarity.best_matches(packed(known), packed(shown), 6)) == [[0, 1]]


def test_contained_prefers_the_larger_of_two_sets_that_are_all_there():
    known = [{1}, {1, 2}, {1, 2, 9}]
    assert similarity.best_matches(packed(known), packed([{1, 2, 3, 4}]), 10, "contained").rows.tolist() == [1]


def test_covering_prefers_the_smaller_of_two_sets_that_hold_as_much():
    known = [{1, 2, 3, 4}, {1, 2, 3}, {1}]
    assert similarity.best_matches(packed(known), packed([{1, 2}]), 5, "covering").rows.tolist() == [1]


@pytest.mark.parametrize("rule", similarity.RULES)
@FEW
@given(sets())
def test_the_best_are_what_a_plain_search_finds(rule, data):
    known, shown, goods = data
    best = similarity.best_matches(packed(known), packed(shown), goods, rule)
    expected = plain_best(known, shown, rule)
    assert told(best) == expected
    assert best.rows.tolist() == [found[0] if found else -1 for found in expected]


def test_nobody_known_or_nothing_shown_finds_nobody():
    assert similarity.best_matches(packed([]), packed([{0}, set()]), 1).rows.tolist() == [-1, -1]
    assert similarity.best_matches(packed([{0}]), packed([]), 1).rows.tolist() == []
    assert similarity.best_matches(packed([set(), set()]), packed([set()]), 0).rows.tolist() == [-1]


def shop(customers=3_000, goods=300, seed=0):
    """Sets with a long tail, and the same with a third of every set exchanged."""
    random = np.random.default_rng(seed)
    chance = 1.0 / np.arange(5, goods + 5)
    known = [
        set(random.choice(goods, int(size), p=chance / chance.sum()).tolist())
        for size in random.lognormal(2.5, 1, customers)
    ]
    shown = [{i if random.random() > 0.3 else int(random.integers(goods)) for i in items} for items in known]
    return known, shown, goods


def test_a_shop_of_three_thousand_is_searched_exactly_on_any_number_of_threads(monkeypatch):
    known, shown, goods = shop()
    matrix = np.zeros((len(known), goods), np.int64)
    for row, items in enumerate(known):
        matrix[row, list(items)] = 1
    answers = []
    for b in shown:
        shared = matrix[:, sorted(b)].sum(axis=1)
        union = np.maximum(matrix.sum(axis=1) + len(b) - shared, 1)
        # Division is exact enough here: equal fractions of small numbers round alike, different ones differ.
        answers.append(int(np.argmax(shared / union)) if shared.any() else -1)
    results = []
    for count in ("1", "2", "5"):
        monkeypatch.setenv("ICEFIRE_THREADS", count)
        results.append(similarity.best_matches(packed(known), packed(shown), goods))
    assert results[0].rows.tolist() == answers
    assert all(told(result) == told(results[0]) for result in results[1:])


def test_too_many_ties_are_not_told_but_the_lowest_is(monkeypatch):
    # Every known set shares item 0 alone with every set shown: 40 × 40 ties, not one group among them.
    known, shown = [{0, i} for i in range(1, 41)], [{0, 40 + i} for i in range(1, 41)]
    assert told(similarity.best_matches(packed(known), packed(shown), 81)) == [list(range(40))] * 40
    for module in (similarity, basket_best):
        monkeypatch.setattr(module, "MAX_TIES", 100)
    best = similarity.best_matches(packed(known), packed(shown), 81)
    assert best.ties is None
    assert best.rows.tolist() == [0] * 40


@FEW
@given(sets(), st.integers(0, 2**32))
def test_tally_counts_the_best_and_the_right_ones_among_them(data, seed):
    known, shown, goods = data
    random = np.random.default_rng(seed)
    right = [np.flatnonzero(random.random(len(shown)) < 0.2) for _ in known]
    ends = np.concatenate(([0], np.cumsum([len(some) for some in right]))).astype(np.int64)
    indexed = similarity.index_sets(packed(shown), goods)
    equals, hits = similarity.count_best_overlaps(
        indexed, packed(known), ends, np.concatenate([np.empty(0, np.int64), *right])
    )
    expected = plain_best(shown, known, "overlap")
    assert equals.tolist() == [len(found) for found in expected]
    assert hits.tolist() == [len(set(found) & set(right[i].tolist())) for i, found in enumerate(expected)]


# -- weights -------------------------------------------------------------------------------------------------


@FEW
@given(sets())
def test_amounts_are_compared_like_a_plain_search_does(data):
    known, shown, goods = data
    sides = []
    for side in (known, shown):
        start, items = packed(side)
        sides.append((start, items, ((items * 7 + np.repeat(np.diff(start), np.diff(start))) % 5 + 1).astype(float)))
    best = basket_weights.best_weighted_matches(sides[0], sides[1], goods, "amounts")
    amounts = [
        [dict(zip(items[a:b].tolist(), map(int, w[a:b]), strict=True)) for a, b in pairwise(start)]
        for start, items, w in sides
    ]
    expected = []
    for b in amounts[1]:
        scores = {}
        for i, a in enumerate(amounts[0]):
            smaller = sum(min(a.get(g, 0), b.get(g, 0)) for g in a.keys() | b.keys())
            if smaller:
                scores[i] = Fraction(smaller, sum(max(a.get(g, 0), b.get(g, 0)) for g in a.keys() | b.keys()))
        expected.append([i for i, value in scores.items() if value == max(scores.values())])
    assert told(best) == expected


@FEW
@given(sets())
def test_cosine_names_one_of_the_most_similar_and_equal_sets_together(data):
    known, shown, goods = data
    weight = np.linspace(1.0, 3.0, goods)
    sides = [(start, items, weight[items]) for start, items in (packed(known), packed(shown))]
    best = basket_weights.best_weighted_matches(sides[0], sides[1], goods, "cosine", groups=True)
    single = basket_weights.best_weighted_matches(sides[0], sides[1], goods, "cosine")
    assert told(best) == told(single)
    for b, ties in zip(shown, told(best), strict=True):
        lengths = [np.sqrt(sum(weight[g] ** 2 for g in a)) for a in known]
        values = [
            sum(weight[g] ** 2 for g in a & b) / long if long else 0.0 for a, long in zip(known, lengths, strict=True)
        ]
        assert bool(ties) == (max(values, default=0.0) > 0)
        for i in ties:
            assert values[i] == pytest.approx(max(values))
            assert all(j in ties for j, a in enumerate(known) if a == known[i])


# -- assignment ----------------------------------------------------------------------------------------------


@FEW
@given(sets(), st.sampled_from([1, 3, 100]))
def test_the_top_are_the_most_similar_and_the_lowest_of_equals(data, most):
    known, shown, goods = data
    ends, matches, likeness = top_matches.top_matches(packed(known), packed(shown), goods, most)
    for j, b in enumerate(shown):
        ranked = sorted((-score(a, b, "jaccard")[0], i) for i, a in enumerate(known) if a & b)[:most]
        assert matches[ends[j] : ends[j + 1]].tolist() == [i for _, i in ranked]
        assert likeness[ends[j] : ends[j + 1]].tolist() == [float(-value) for value, _ in ranked]


@FEW
@given(sets(most=4))
def test_an_auction_gives_everything_once_and_nearly_the_largest_total(data):
    known, shown, goods = data
    ends, choices, worth = top_matches.top_matches(packed(known), packed(shown), goods, len(known))
    answers = auction.assign(ends, choices, worth, len(known)).tolist()
    given_away = [i for i in answers if i >= 0]
    assert len(given_away) == len(set(given_away))
    table = np.zeros((len(shown), len(known) + len(shown)))  # the last columns: staying without
    for j in range(len(shown)):
        table[j, choices[ends[j] : ends[j + 1]]] = worth[ends[j] : ends[j + 1]]
    largest = max(sum(table[j, i] for j, i in enumerate(p)) for p in permutations(range(table.shape[1]), len(shown)))
    total = sum(table[j, i] for j, i in enumerate(answers) if i >= 0)
    assert total >= largest - len(shown) * auction.STEP - 1e-9


def test_an_auction_settles_a_contest_in_favour_of_the_total():
    # Both want thing 0; bidder 1 has nothing else. 0.8 + 0.7 beats 0.9 alone.
    ends, choices = np.array([0, 2, 3]), np.array([0, 1, 0])
    assert auction.assign(ends, choices, np.array([0.9, 0.8, 0.7]), 2).tolist() == [1, 0]


# -- evidence ------------------------------------------------------------------------------------------------


@FEW
@given(sets(), st.integers(0, 2**32), st.sampled_from([0.5, 3.0, 50.0]))
def test_choices_are_those_that_credible_items_or_proposals_lead_to(data, seed, slack):
    known, shown, goods = data
    random = np.random.default_rng(seed)
    start, items = packed(shown)
    weights = random.integers(-3, 4, len(items)).astype(float)
    proposed = [np.flatnonzero(random.random(len(known)) < 0.2) for _ in shown]
    ends = np.concatenate(([0], np.cumsum([len(some) for some in proposed]))).astype(np.int64)
    people = np.concatenate([np.empty(0, np.int64), *proposed])
    explanations = evidence.best_explanations(
        packed(known), (start, items, weights), (people, ends[:-1], ends[1:]), goods, 2.0, slack, 100
    )
    for j, b in enumerate(shown):
        weight = dict(zip(items[start[j] : start[j + 1]].tolist(), weights[start[j] : start[j + 1]], strict=True))
        led = {i for i, a in enumerate(known) if any(weight[g] > 0 for g in a & b)} | set(proposed[j].tolist())
        scores = {i: sum(weight[g] for g in known[i] & b) - 2.0 * len(known[i] - b) for i in led}
        best = max(scores.values(), default=0.0)
        expected = sorted((-value, i) for i, value in scores.items() if value > best - slack)
        assert explanations.sets[explanations.ends[j] : explanations.ends[j + 1]].tolist() == [i for _, i in expected]
