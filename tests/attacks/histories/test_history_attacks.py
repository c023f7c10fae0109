"""Attacks on histories: all of them, by sets of goods, amounts, days, receipts and profiles, and one to one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.history_attacks import OURS, answers, attacked, bought, candidates
from support.history_tables import compare, history, sets

from icefire import testing
from icefire.attacks.histories import dates
from icefire.audit import judge
from icefire.core import registry
from icefire.core.errors import ParameterError
from icefire.core.history import History, HistoryCase

NAMES = [entry.name for entry in registry.entries("attack", "history")]


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
