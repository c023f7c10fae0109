"""Attacks on histories: tables of a few customers worked out by hand, and plain versions on random ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_tables import compare, contest_data, history, sets

from icefire import testing
from icefire.attacks.histories import dates
from icefire.audit import judge, partial_knowledge
from icefire.core import registry, seeds
from icefire.core.errors import ParameterError
from icefire.core.history import History, HistoryCase, HistoryComparison, publish
from icefire.core.history.publishing import with_origin
from icefire.core.release import Guess, Truth

NAMES = [entry.name for entry in registry.entries("attack", "history")]
OURS = {
    "jaccard", "containment", "tfidf", "quantity", "dates", "receipts", "profile",
    "assignment", "random_in_cluster", "dummy_aware", "purchases", "link",
}  # fmt: skip


def attacked(name: str, case: HistoryCase, **parameters: object) -> Guess:
    entry = registry.get("attack", name, "history")
    guess: Guess = entry.function(case, rng=seeds.generator(0, name), **entry.bind(parameters))
    return guess.checked(case.targets, case.choices)


def answers(name: str, x: History, y: History, **parameters: object) -> list[int]:
    return attacked(name, HistoryCase(x, y), **parameters).first.tolist()


def candidates(guess: Guess) -> list[list[int]]:
    drawn = guess.candidates
    assert drawn is not None
    return [drawn.rows[a:b].tolist() for a, b in zip(drawn.start, drawn.stop, strict=True)]


def bought(*rows: tuple[str, str, str, int]) -> History:
    """Rows of (user, date, goods, number); a receipt for every user and day, every good at one price."""
    return history([(u, u + date, date, "9:00", good, float(ord(good)), number) for u, date, good, number in rows])


# -- all of them ---------------------------------------------------------------------------------------------


def test_every_idea_is_registered():
    assert set(NAMES) >= OURS


@pytest.mark.parametrize("name", sorted(OURS))
def test_the_contract_is_kept(name):
    testing.check("attack", name)


BY_JACCARD = {"jaccard", "assignment", "dummy_aware"}
"""Where nothing is shared the Jaccard coefficient is 0 with everybody, and the lowest of equals is named."""


@pytest.mark.parametrize("name", sorted(OURS))
def test_an_empty_release_is_answered_with_the_lowest_customer_by_jaccard_and_else_with_nothing(name):
    x = history([("a", "1", "2020/1/1", "9:00", "A", 1.0, 1), ("b", "2", "2020/1/1", "9:00", "B", 1.0, 1)])
    empty = History(x.frame.clear(), x.fields, pl.DataFrame({"user": ["1", "2"]}))
    x = x.with_customers(pl.DataFrame({"user": ["a", "b"]}))
    assert answers(name, x, empty) == ([0, 0] if name in BY_JACCARD else [-1, -1])


@pytest.mark.parametrize("name", sorted(OURS - {"profile"}))
def test_unchanged_histories_give_everybody_away(name):
    x = bought(
        ("a", "2020/1/1", "A", 3), ("a", "2020/1/2", "B", 1), ("b", "2020/1/1", "B", 2), ("b", "2020/1/3", "C", 5),
        ("c", "2020/1/2", "D", 1), ("c", "2020/1/4", "A", 4), ("c", "2020/1/4", "C", 4),
    )  # fmt: skip
    assert answers(name, x, x) == [0, 1, 2]


@pytest.mark.parametrize("name", sorted(OURS - {"profile"}))
def test_one_good_for_all_still_gets_an_answer_each(name):
    x = bought(("a", "2020/1/1", "A", 1), ("b", "2020/1/1", "A", 1), ("c", "2020/1/1", "A", 1))
    assert all(0 <= answer < 3 for answer in answers(name, x, x))


# -- sets ----------------------------------------------------------------------------------------------------


def test_jaccard_names_the_first_of_equals_and_tells_all():
    guess = attacked("jaccard", HistoryCase(sets("ab", "ab", "c", ""), sets("abc", "c", "", "x")))
    # abc: 2/3 for the first two, 1/3 for the third. An empty basket, and one of unknown goods, share nothing:
    # their coefficient is 0 with everybody, also with the empty basket.
    assert guess.first.tolist() == [0, 2, 0, 0]
    assert candidates(guess) == [[0, 1], [2], [0, 1, 2, 3], [0, 1, 2, 3]]


def test_the_expectation_of_jaccard_where_nothing_is_shared_is_a_draw_among_all():
    comparison = compare(sets("a", "b", "c", "d"), sets("a", "x", "y", ""))
    score = judge.score(comparison.truth, attacked("jaccard", comparison.case))
    # Customer 0 is right for the first and wrong for the others. Drawn: (1 + 1/4 + 1/4 + 1/4) / 4.
    assert score.rate == pytest.approx(1 / 4)
    assert score.expected == pytest.approx(7 / 16)


def test_the_expectation_of_jaccard_counts_ties_in_part():
    comparison = compare(sets("ab", "ab", "c"), sets("ab", "ab", "c"))
    score = judge.score(comparison.truth, attacked("jaccard", comparison.case))
    # The lowest index names customer 0 twice: 2 of 3 right. Drawn: (1/2 + 1/2 + 1) / 3.
    assert score.rate == pytest.approx(2 / 3)
    assert score.expected == pytest.approx(2 / 3)


def test_containment_is_not_misled_by_what_was_added():
    x, y = sets("ab", "cdefg"), sets("abcdef", "cdefg")
    # Jaccard: 2/6 for ab, 4/7 for cdefg. Contained: ab wholly, cdefg only to 4/5.
    assert answers("jaccard", x, y) == [1, 1]
    assert answers("containment", x, y) == [0, 1]


def test_containment_prefers_the_larger_set_that_is_all_there():
    assert answers("containment", sets("a", "ab", "abz"), sets("abc")) == [1]


def test_tfidf_trusts_the_rare_good():
    # c is rare, a and b are in every other basket: abc shares two of three with ab, and c alone with cz.
    x, y = sets("abq", "abr", "abs", "cz"), sets("abc")
    assert answers("jaccard", x, y) == [0]
    assert answers("tfidf", x, y) == [3]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_jaccard_and_containment_are_what_plain_loops_find(seed):
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdefgh"))
    x, y = (
        ["".join(letters[random.random(8) < random.random()]) for _ in range(random.integers(2, 9))] for _ in range(2)
    )
    for name in ("jaccard", "containment"):
        guess = attacked(name, HistoryCase(sets(*x), sets(*y)))
        for j, b in enumerate(y):
            scores = {}
            for i, a in enumerate(x):
                shared, union = len(set(a) & set(b)), len(set(a) | set(b))
                if shared:
                    similar = Fraction(shared, union)
                    scores[i] = similar if name == "jaccard" else (Fraction(shared, len(a)), similar)
            if name == "jaccard" and not scores:
                scores = dict.fromkeys(range(len(x)), Fraction(0))
            ties = [i for i, value in scores.items() if value == max(scores.values())]
            assert candidates(guess)[j] == ties
            assert guess.first[j] == (ties[0] if ties else -1)


# -- amounts, days, receipts, profiles -------------------------------------------------------------------------


def test_quantity_sees_that_a_dummy_is_one_piece():
    day = "2020/1/1"
    x = bought(("a", day, "A", 24), ("b", day, "B", 12), ("b", day, "C", 6))
    y = bought(("1", day, "A", 24), ("1", day, "B", 1), ("1", day, "C", 1), ("2", day, "A", 1), ("2", day, "B", 12),
               ("2", day, "C", 6))  # fmt: skip
    # The sets are equal. Customer 1 against a: 24/26, against b: 2/42.
    assert answers("quantity", x, y) == [0, 1]


def test_quantity_of_money_weighs_by_price():
    rows = [("a", "1", "2020/1/1", "9:00", "A", 0.1, 3), ("b", "2", "2020/1/1", "9:00", "B", 5.0, 1)]
    x = history(rows)
    y = history([("1", "9", "2020/1/1", "9:00", "A", 0.1, 3), ("1", "9", "2020/1/1", "9:00", "B", 5.0, 1)])
    # Pieces: 3/4 against 1/4. Money: 0.30/5.30 against 5/5.30.
    assert answers("quantity", x, y) == [0]
    assert answers("quantity", x, y, of="money") == [1]


def test_dates_tell_customers_with_equal_sets_apart():
    x = bought(
        ("a", "2020/1/1", "A", 1), ("a", "2020/1/2", "B", 1), ("b", "2020/1/2", "A", 1), ("b", "2020/1/1", "B", 1)
    )
    y = bought(
        ("1", "2020/1/2", "A", 1), ("1", "2020/1/1", "B", 1), ("2", "2020/1/1", "A", 1), ("2", "2020/3/3", "B", 1)
    )
    assert answers("jaccard", x, y) == [0, 0]
    assert answers("dates", x, y) == [1, 0]


@pytest.mark.parametrize("unit", ["auto", "month"])
def test_dates_rounded_to_months_are_compared_by_month(unit):
    x = bought(
        ("a", "2020/1/9", "A", 1), ("a", "2020/2/8", "B", 1), ("b", "2020/2/5", "A", 1), ("b", "2020/1/6", "B", 1)
    )
    y = bought(
        ("1", "2020/2/1", "A", 1), ("1", "2020/1/1", "B", 1), ("2", "2020/1/1", "A", 1), ("2", "2020/2/1", "B", 1)
    )
    assert answers("dates", x, y, unit="day") == [-1, -1]
    assert answers("dates", x, y, unit=unit) == [1, 0]


def test_first_days_of_periods():
    # Thursday 2 January 2020, Saturday 29 February 2020, Thursday 31 December 1970; days since 1970.
    days = np.array([18263, 18321, 364])
    assert dates._first_day(days, "week").tolist() == [18260, 18316, 361]
    assert dates._first_day(days, "month").tolist() == [18262, 18293, 334]
    assert dates._first_day(days, "quarter").tolist() == [18262, 18262, 273]
    assert dates._first_day(days, "year").tolist() == [18262, 18262, 0]


def test_purchases_find_the_real_rows_among_added_ones():
    day = "2020/1/1"
    x = bought(("a", day, "A", 24), ("a", day, "B", 2), ("b", day, "A", 6), ("b", day, "B", 3))
    y = bought(("1", day, "A", 6), ("1", day, "B", 3), ("1", day, "C", 9), ("2", day, "A", 24), ("2", day, "B", 2),
               ("2", day, "A", 7))  # fmt: skip
    # The sets of goods are {A, B, C} and {A, B}; customer 2 bought A once more, so that amounts are 31 and 2.
    assert answers("purchases", x, y) == [1, 0]


def test_receipts_point_at_their_owner_and_new_numbers_at_nobody():
    x = history([(u, r, "2020/1/1", "9:00", "A", 1.0, 1) for u, r in [("a", "1"), ("b", "2"), ("b", "3"), ("c", "4")]])
    y = history([(u, r, "2020/1/1", "9:00", "Z", 1.0, 1) for u, r in [("1", "3"), ("1", "2"), ("2", "9"), ("3", "4")]])
    assert answers("receipts", x, y) == [1, -1, 2]


def people(*rows: tuple[str, str, str]) -> History:
    return history([(user, "1", "2020/1/1", "9:00", "A", 1.0, 1) for user, _, _ in rows], rows)


def test_profile_draws_among_those_with_the_same_entries():
    x = people(("a", "f", "DE"), ("b", "f", "DE"), ("c", "m", "FR"), ("d", "m", "DE"))
    guess = attacked("profile", HistoryCase(x, people(("1", "f", "DE"), ("2", "m", "FR"), ("3", "f", "FR"))))
    assert candidates(guess) == [[0, 1], [2], []]
    assert guess.first.tolist()[1:] == [2, -1]


def test_profile_leaves_a_column_aside_whose_values_were_changed():
    x, y = people(("a", "f", "DE"), ("b", "m", "FR")), people(("1", "f", "Europe"), ("2", "m", "Europe"))
    assert answers("profile", x, y) == [0, 1]
    assert answers("profile", x, y, columns=("country",)) == [-1, -1]


def test_profile_names_the_columns_there_are():
    x = people(("a", "f", "DE"), ("b", "m", "FR"))
    with pytest.raises(ParameterError, match=r"no column 'contry'.*did you mean 'country'"):
        answers("profile", x, x, columns=("contry",))


def test_profile_without_a_released_table_has_no_answer():
    x = people(("a", "f", "DE"), ("b", "m", "FR"))
    assert answers("profile", x, x.with_customers(None)) == [-1, -1]


# -- one to one ----------------------------------------------------------------------------------------------


def test_assignment_gives_everybody_once():
    # Both released customers are most like customer 0; the second fits him better, the first fits 1 nearly as well.
    x, y = sets("abcd", "abc"), sets("abcde", "abcd")
    assert answers("jaccard", x, y) == [0, 0]
    assert answers("assignment", x, y) == [1, 0]


def test_assignment_takes_the_most_similar_where_nobody_is_left():
    assert answers("assignment", sets("ab", "zy"), sets("ab", "abc", "q")) == [0, 0, 0]


# -- clusters and dummies ------------------------------------------------------------------------------------


def with_dummies(data: History, labels: list[int]) -> HistoryComparison:
    """Algorithm 2, row by row: number 1, on the last receipt, at the latest price."""
    rows = list(data.frame.iter_rows())
    seen = {u: {r[4] for r in rows if r[0] == u} for u in data.names}
    latest = {row[4]: row[5] for row in sorted(rows, key=lambda r: r[2])}
    for cluster in set(labels):
        members = [u for u, label in zip(data.names, labels, strict=True) if label == cluster]
        for user in members:
            last = max((row for row in rows if row[0] == user), key=lambda row: row[2])
            lacking = sorted(set().union(*(seen[u] for u in members)) - seen[user])
            rows.extend((user, last[1], last[2], last[3], good, latest[good], 1) for good in lacking)
    made = history(rows)
    release = publish(with_origin(made), data.names, {}, 1)
    return HistoryComparison(HistoryCase(data, release.released), release.truth)


@pytest.fixture(scope="module")
def shop() -> History:
    """Sixty customers, 120 goods with a long tail, two to five days each, four or more pieces at a time."""
    random = np.random.default_rng(5)
    rows = []
    chance = 1.0 / np.arange(3, 123)
    for user in range(60):
        for _ in range(random.integers(2, 6)):
            day = int(random.integers(1, 29))
            for good in random.choice(120, random.integers(3, 9), p=chance / chance.sum(), replace=False):
                number = int(random.integers(4, 30))
                rows.append((f"{user:02}", f"{user}-{day}", f"2020/1/{day:02}", "9:00", f"g{good}", 1.0 + good, number))
    return history(rows)


@pytest.fixture(scope="module")
def clustered(shop) -> HistoryComparison:
    return with_dummies(shop, [number % 12 for number in range(60)])


def rate(name: str, comparison: HistoryComparison, **parameters: object) -> judge.Score:
    return judge.score(comparison.truth, attacked(name, comparison.case, **parameters), comparison.case.choices)


def test_dummies_stop_whoever_looks_at_sets_alone(clustered):
    for name in ("jaccard", "containment", "tfidf"):
        assert rate(name, clustered).rate <= 12 / 60


def test_drawing_within_clusters_succeeds_as_often_as_there_are_clusters(clustered):
    assert rate("random_in_cluster", clustered).expected == pytest.approx(12 / 60)


def test_clusters_of_four_customers_are_recognised_by_hand():
    x, y = sets("abc", "abd", "xy", "xz"), sets("xyz", "abcd", "abcd", "xyz")
    guess = attacked("random_in_cluster", HistoryCase(x, y))
    assert candidates(guess) == [[2, 3], [0, 1], [0, 1], [2, 3]]
    assert judge.expectation(Truth(np.array([2, 0, 1, 3])), guess, 4) == pytest.approx(2 / 4)


def test_a_full_cluster_sends_the_least_similar_on():
    # a fits both sets and at first goes to the smaller; but abc has two members, and ab and ac fill it.
    x, y = sets("ab", "ac", "a", "adefg"), sets("abc", "abc", "adefg", "adefg")
    assert candidates(attacked("random_in_cluster", HistoryCase(x, y))) == [[0, 1], [0, 1], [2, 3], [2, 3]]


def test_the_dummy_aware_attack_sees_through_dummies_on_the_last_receipt(clustered):
    assert rate("dummy_aware", clustered).rate >= 0.95
    assert rate("dummy_aware", clustered, one_to_one=False).rate >= 0.9


def test_dummies_are_recognised_though_a_third_of_all_rows_is_gone(clustered):
    released = clustered.released
    kept = np.flatnonzero(np.random.default_rng(1).random(released.height) < 0.7)
    names = released.names.to_frame()
    case = HistoryCase(clustered.original, released.take(kept).with_customers(names))
    assert judge.score(clustered.truth, attacked("dummy_aware", case)).rate >= 0.9


def test_a_good_bought_twice_is_real():
    # Equal sets; u bought A twice, v bought B twice; dummies of one row each.
    x = bought(
        ("u", "2020/1/1", "A", 5), ("u", "2020/1/2", "A", 5), ("v", "2020/1/1", "B", 5), ("v", "2020/1/2", "B", 5)
    )
    y = bought(
        ("1", "2020/1/1", "B", 5), ("1", "2020/1/2", "B", 5), ("1", "2020/1/1", "A", 5),
        ("2", "2020/1/1", "A", 5), ("2", "2020/1/2", "A", 5), ("2", "2020/1/1", "B", 5),
    )  # fmt: skip
    assert answers("jaccard", x, y) == [0, 0]
    assert answers("dummy_aware", x, y) == [1, 0]


def test_one_subject_released_twice_may_be_named_twice():
    x = sets("abcd", "wxyz")
    assert answers("dummy_aware", x, sets("ab", "cd", "wxyz"), one_to_one=False) == [0, 0, 1]


# -- partial knowledge ---------------------------------------------------------------------------------------


def curve(comparison: HistoryComparison, seed: int = 0) -> dict[tuple[str, float], partial_knowledge.Knowledge]:
    return {(p.kind, p.amount): p for p in partial_knowledge.curve(comparison, np.random.default_rng(seed))}


def test_whoever_knows_all_goods_of_four_customers_picks_among_those_who_have_them():
    found = curve(compare(sets("ab", "ab", "c", "abcd"), sets("ab", "ab", "c", "abcd")))
    # ab: three released customers have both; c: two have it; abcd: one. Mean of 1/3, 1/3, 1/2 and 1.
    for point in (found["share", 1.0], found["goods", 20.0]):
        assert point.rate == pytest.approx((1 / 3 + 1 / 3 + 1 / 2 + 1) / 4)
        assert point.unique == pytest.approx(1 / 4)
        assert point.people == 4


def test_one_good_is_as_good_as_it_is_rare():
    # Everybody has one good: a three times, b once.
    found = curve(compare(sets("a", "a", "a", "b"), sets("a", "a", "a", "b")))["goods", 1.0]
    assert (found.rate, found.unique) == (pytest.approx((3 * 1 / 3 + 1) / 4), pytest.approx(1 / 4))


def test_a_person_released_twice_is_picked_by_either_and_one_not_released_never():
    comparison = compare(sets("ab", "cd", "xy"), sets("ab", "ab", "cd"), [0, 0, 1])
    assert curve(comparison)["share", 1.0].rate == pytest.approx((2 / 2 + 1 + 0) / 3)


def test_people_without_goods_are_not_asked_about_and_of_many_only_some():
    comparison = compare(sets("a", "", "b", "c"), sets("a", "", "b", "c"))
    assert curve(comparison)["share", 0.5].people == 3
    points = partial_knowledge.curve(comparison, np.random.default_rng(0), most=2)
    assert {point.people for point in points} == {2}
    assert {point.rate for point in points} == {1.0}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_full_knowledge_is_what_plain_loops_find(seed):
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdef"))
    x, y = (["".join(letters[random.random(6) < 0.4]) for _ in range(6)] for _ in range(2))
    x[0], y[0] = "a", "a"
    truth = random.permutation(6).tolist()
    expected = []
    for i, a in enumerate(x):
        shared = [len(set(a) & set(b)) for b in y]
        best = [j for j in range(6) if shared[j] == max(shared) > 0]
        if a:
            expected.append(sum(truth[j] == i for j in best) / max(len(best), 1))
    assert curve(compare(sets(*x), sets(*y), truth))["share", 1.0].rate == pytest.approx(sum(expected) / len(expected))


def test_one_good_identifies_a_tenth_of_the_real_customers():
    data = contest_data()
    release = publish(with_origin(data), data.names, {}, 1)
    comparison = HistoryComparison(HistoryCase(data, release.released), release.truth)
    found = curve(comparison)
    assert 0.07 < found["goods", 1.0].rate < 0.13
    assert found["share", 1.0].rate > 0.9
    for name in sorted(OURS):
        assert rate(name, comparison).rate == 1.0
