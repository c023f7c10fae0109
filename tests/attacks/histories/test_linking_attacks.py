"""Attacks on changing pseudonyms: their contract, chance where nothing is common, everybody where all is unique."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire import testing
from icefire.audit.questions.linking import score_linking
from icefire.core import registry, seeds
from icefire.core.history import Fields, History
from icefire.core.linking import LinkingCase

NAMES = ["match_baskets", "match_pseudonyms"]
FIELDS = Fields("who", "what", date="date", price="price", number="number")


def period(month: int, baskets: list[list[int]], rng: np.random.Generator) -> tuple[History, np.ndarray]:
    """A month in which each person has these goods, under new names in a random order; and who is who."""
    order = rng.permutation(len(baskets))
    rows = [
        (f"{month}-{name:03d}", f"g{good}", f"2020-{month:02d}-{1 + int(rng.integers(28)):02d}", 2.5, 1)
        for name, person in enumerate(order)
        for good in baskets[person]
    ]
    frame = pl.DataFrame(rows, schema=["who", "what", "date", "price", "number"], orient="row")
    return History(frame.sample(frame.height, shuffle=True, seed=1), FIELDS), order


def linked(name: str, first: list[list[int]], second: list[list[int]], seed: int):
    rng = np.random.default_rng(seed)
    (one, who), (other, who_2) = period(1, first, rng), period(2, second, rng)
    entry = registry.get("attack", name, "history")
    guess = entry.function(LinkingCase(one, other), rng=seeds.generator(seed, "link")).checked(len(first), len(second))
    return score_linking(who, who_2, guess), guess


@pytest.mark.parametrize("name", NAMES)
def test_the_contract_is_kept(name) -> None:
    testing.check("attack", name)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10, deadline=None)
@given(people=st.integers(2, 30), own=st.integers(1, 4), seed=st.integers(0, 99))
def test_people_with_goods_of_their_own_are_all_linked(name, people, own, seed) -> None:
    baskets = [[-1, *range(own * person, own * (person + 1))] for person in range(people)]
    score, guess = linked(name, baskets, baskets, seed)
    assert score.recall == score.precision == 1.0
    assert len(set(guess.first.tolist())) == people


@pytest.mark.parametrize("name", NAMES)
def test_independent_baskets_are_linked_by_chance(name) -> None:
    hits = people = 0
    for seed in range(30):
        rng = np.random.default_rng(1000 + seed)
        first, second = ([sorted(rng.permutation(40)[:8]) for _ in range(25)] for _ in range(2))
        score, _ = linked(name, first, second, seed)
        assert score.chance == pytest.approx(1 / 25)
        hits, people = hits + score.linked, people + score.present
    # 30 right answers are expected of 750; within four standard deviations.
    assert abs(hits - people / 25) < 4 * (people / 25) ** 0.5


@pytest.mark.parametrize("name", NAMES)
def test_nobody_gets_an_answer_twice_and_people_without_a_common_good_need_none(name) -> None:
    score, guess = linked(name, [[1, 2], [1, 3], [9]], [[1, 2], [1, 3]], 0)
    given_answers = [answer for answer in guess.first.tolist() if answer >= 0]
    assert len(set(given_answers)) == len(given_answers)
    assert score.present == 2
    assert score.linked == 2


def test_a_least_probability_leaves_doubtful_pairs_unanswered() -> None:
    rng = np.random.default_rng(3)
    first = [sorted(rng.permutation(60)[:8]) for _ in range(40)]
    second = [basket if person % 2 else sorted(rng.permutation(60)[:8]) for person, basket in enumerate(first)]
    entry = registry.get("attack", "match_pseudonyms", "history")
    one, who = period(1, first, rng)
    other, who_2 = period(2, second, rng)
    everything, sure = (
        score_linking(who, who_2, entry.function(LinkingCase(one, other), rng=rng, least_probability=least))
        for least in (0.0, 0.5)
    )
    assert sure.answered < everything.answered
    assert sure.precision > everything.precision
    assert everything.linked >= 20


def test_a_profile_that_stays_links_people_who_buy_other_things() -> None:
    rng = np.random.default_rng(5)
    people = 60
    first = [[person, *rng.integers(100, 400, 5).tolist()] for person in range(people)]
    second = [[*([person] if person % 3 == 0 else []), *rng.integers(100, 400, 5).tolist()] for person in range(people)]
    one, who = period(1, first, rng)
    other, who_2 = period(2, second, rng)
    birthdays = np.array([f"19{60 + person % 30}-0{1 + person % 9}-01" for person in range(people)])

    def described(history: History, order: np.ndarray) -> History:
        table = {"who": history.names.to_list(), "born": birthdays[order], "noise": rng.integers(0, 5, people)}
        return history.with_customers(pl.DataFrame(table))

    entry = registry.get("attack", "match_pseudonyms", "history")
    plain = score_linking(who, who_2, entry.function(LinkingCase(one, other), rng=rng))
    case = LinkingCase(described(one, who), described(other, who_2))
    assert score_linking(who, who_2, entry.function(case, rng=rng)).recall > plain.recall + 0.2
