"""Pseudonyms linked by the hours and weekdays at which people buy."""

from __future__ import annotations

from math import lgamma

import numpy as np
import polars as pl
import pytest

from icefire.attacks.histories.linking.habits import Habit, HabitScores, learn_kept_rate, read_habits
from icefire.audit.questions.linking import score_linking
from icefire.core import registry, seeds
from icefire.core.history import Fields, History
from icefire.core.linking import LinkingCase

PEOPLE, VISITS = 60, 12


def month(number: int, hours: np.ndarray, rng: np.random.Generator, goods: int = 6) -> tuple[History, np.ndarray]:
    """Visits of a month about the usual hour of each person; two goods of a few at each visit."""
    order = rng.permutation(len(hours))
    rows = []
    for name, person in enumerate(order):
        for _ in range(VISITS):
            when = f"2020-{number:02d}-{rng.integers(1, 29):02d} {(hours[person] + rng.integers(-1, 2)) % 24:02d}:10"
            rows += [(f"{number}-{name:03d}", f"g{good}", when) for good in rng.permutation(goods)[:2]]
    frame = pl.DataFrame(rows, schema=["who", "what", "date"], orient="row")
    return History(frame.sample(frame.height, shuffle=True, seed=1), Fields("who", "what", date="date")), order


def recall(hours: list[np.ndarray], seed: int) -> float:
    rng = np.random.default_rng(seed)
    (one, who), (other, who_2) = (month(number, each, rng) for number, each in enumerate(hours, 1))
    entry = registry.get("attack", "match_pseudonyms", "history")
    guess = entry.function(LinkingCase(one, other), rng=seeds.generator(seed, "link")).checked(PEOPLE, PEOPLE)
    return score_linking(who, who_2, guess).recall


def test_people_whose_goods_tell_nothing_are_linked_by_their_usual_hours() -> None:
    rng = np.random.default_rng(1)
    hours = [rng.integers(0, 24, PEOPLE) for _ in range(6)]
    # About two and a half people share each of 24 hours.
    assert np.mean([recall([hours[each]] * 2, each) for each in range(3)]) > 0.2
    assert np.mean([recall([hours[each], hours[each + 3]], each) for each in range(3)]) < 0.08


def test_goods_of_one_visit_are_one_visit() -> None:
    rows = [("a", f"g{good}", "2020-01-01 08:00") for good in range(5)] + [("b", "g1", "2020-01-02 09:30")]
    frame = pl.DataFrame(rows, schema=["who", "what", "date"], orient="row")
    history = History(frame, Fields("who", "what", date="date"))
    hours, weekdays = read_habits(LinkingCase(history, history))
    assert hours.first.sum(axis=1).tolist() == weekdays.first.sum(axis=1).tolist() == [1, 1]


def eight_people(number: int, rng: np.random.Generator, **more: bool) -> tuple[History, np.ndarray]:
    """Two visits a month. Six people have goods of their own; the last two buy the same goods.

    Everybody has an hour of their own, pays prices or buys numbers of pieces of their own if `more` says so.
    """
    order, rows = rng.permutation(8), []
    for name, person in enumerate(order):
        own = ["milk"] if person >= 6 else [f"g{person}a", f"g{person}b"]
        for day in rng.permutation(28)[:2] + 1:
            hour = 9 + person if more.get("hours") else rng.integers(9, 17)
            price = 100 + 10 * person if more.get("prices") else 100
            pieces = 1 + person % 4 if more.get("pieces") else 1
            when = f"2020-{number:02d}-{day:02d} {hour:02d}:00"
            rows += [(f"{number}-{name}", good, when, price, pieces) for good in [*own, "bread"]]
    frame = pl.DataFrame(rows, schema=["who", "what", "date", "price", "number"], orient="row")
    fields = Fields("who", "what", date="date", price="price", number="number")
    return History(frame.sample(frame.height, shuffle=True, seed=1), fields), order


@pytest.mark.parametrize("told_by", ["hours", "prices", "pieces"])
def test_two_people_with_the_same_goods_are_told_apart(told_by: str) -> None:
    entry = registry.get("attack", "match_pseudonyms", "history")
    linked = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        (one, who), (other, who_2) = (eight_people(number, rng, **{told_by: True}) for number in (1, 2))
        guess = entry.function(LinkingCase(one, other), rng=seeds.generator(seed, "link")).checked(8, 8)
        linked.append(score_linking(who, who_2, guess).linked)
    assert linked == [8] * 6


def test_the_width_of_hours_is_chosen_where_everybody_came_twice() -> None:
    one, _ = eight_people(1, np.random.default_rng(0), hours=True)
    hours = read_habits(LinkingCase(one, one))[0]
    assert hours.first.shape[1] == 24


def test_the_score_is_the_ratio_of_likelihoods_of_one_and_of_two_people() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.poisson(2, (4, 3)), rng.poisson(2, (5, 3))
    scores = HabitScores(Habit(first, second))
    a = scores.concentration * scores.shares

    def likelihood(counts: np.ndarray) -> float:
        each = sum(lgamma(start + count) - lgamma(start) for start, count in zip(a, counts, strict=True))
        return each - lgamma(a.sum() + counts.sum()) + lgamma(a.sum())

    pairs = np.broadcast_to(np.arange(5), (4, 5))
    expected = [[likelihood(x + y) - likelihood(x) - likelihood(y) for y in second] for x in first]
    assert scores.of_pairs(pairs) == pytest.approx(np.array(expected))


def test_a_habit_that_right_pairs_do_not_keep_is_left_out() -> None:
    assert learn_kept_rate(np.full(40, -3.0), 0.9) == 0.0
    assert learn_kept_rate(np.full(40, 2.0), 0.9) == 0.9
