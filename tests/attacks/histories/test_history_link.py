"""The joint attack on histories: what it finds, what it reads from a release, and what it says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from support import shop_releases as releases
from support.history_tables import contest_data, sets
from support.shop_releases import HIDDEN, NO_DATES, ONE_PIECE, released, shop

from icefire.core import registry, seeds
from icefire.core.history import Fields, History, HistoryCase
from icefire.core.history.publishing import shuffled
from icefire.core.release import Guess, Release


def linked(original: History, shown: History) -> Guess:
    entry = registry.get("attack", "link", "history")
    case = HistoryCase(original, shown)
    guess: Guess = entry.function(case, rng=seeds.generator(0, "link"))
    return guess.checked(case.targets, case.choices)


def rate(original: History, release: Release[History]) -> float:
    return float((linked(original, release.released).first == release.truth.rows).mean())


def cut(prefix: int) -> dict[str, Any]:
    return {"method": "generalize_goods", "prefix": prefix}


RELEASES: dict[str, tuple[float, tuple[Any, ...]]] = {
    "unchanged": (1.0, HIDDEN),
    "goods cut, months, powers": (
        1.0,
        (*HIDDEN, cut(2), {"method": "coarsen_dates"}, {"method": "round_purchases"}),
    ),
    "goods cut, quarters, one piece, a third deleted": (
        0.9,
        (
            *HIDDEN,
            cut(2),
            {"method": "coarsen_dates", "to": "quarter"},
            ONE_PIECE,
            {"method": "delete_purchases", "share": 0.3},
        ),
    ),
    "goods cut, dates moved": (0.95, (*HIDDEN, cut(2), releases.moved_dates)),
    "goods cut, each customer's dates shifted": (0.95, (*HIDDEN, cut(2), releases.shifted_customers)),
    "goods cut, all dates shifted alike": (1.0, (*HIDDEN, cut(2), releases.shifted_calendar)),
    "goods renamed, no dates": (0.95, (*HIDDEN, releases.renamed_goods, NO_DATES)),
    "goods in groups, months": (0.95, (*HIDDEN, releases.grouped_goods, {"method": "coarsen_dates"})),
    "goods cut to the end of their names, no dates": (0.95, (*HIDDEN, releases.parts_of_names(-2, None), NO_DATES)),
    "goods cut to the middle of their names, no dates": (0.95, (*HIDDEN, releases.parts_of_names(2, 4), NO_DATES)),
    "goods in groups, merged, no dates": (
        0.95,
        (*HIDDEN, releases.grouped_goods, {"method": "merge_purchases"}, NO_DATES),
    ),
    "goods renamed, noise on numbers and prices, no dates": (
        0.9,
        (*HIDDEN, releases.renamed_goods, releases.noisy_amounts, NO_DATES),
    ),
    "half of the rows exchanged": (0.95, (*HIDDEN, releases.exchanged_goods)),
    "goods, numbers and prices exchanged, dates kept": (0.95, (*HIDDEN, releases.only_dates_kept)),
    "merged": (0.95, (*HIDDEN, {"method": "merge_purchases"}, cut(2), {"method": "coarsen_dates"})),
    "plausible dummies, no dates, powers": (
        0.95,
        (*HIDDEN, {"method": "dummies", "placement": "plausible"}, NO_DATES, {"method": "round_purchases"}),
    ),
    "monthly names, goods cut": (
        0.95,
        (HIDDEN[0], {"method": "change_pseudonyms"}, HIDDEN[1], cut(3), {"method": "round_purchases"}),
    ),
    "a name for every receipt": (
        0.95,
        (HIDDEN[0], {"method": "change_pseudonyms", "period": "receipt"}, HIDDEN[1]),
    ),
    "three names by lot, no dates": (0.9, (HIDDEN[0], releases.split_names, NO_DATES, ONE_PIECE)),
    "customer table alone": (0.8, (HIDDEN[1], cut(1), NO_DATES, ONE_PIECE)),
}


@pytest.mark.parametrize("name", RELEASES)
def test_it_finds_people_however_the_release_was_made(name: str) -> None:
    least, steps = RELEASES[name]
    assert rate(shop(), released(shop(), *steps)) >= least


def test_it_says_how_each_column_was_changed() -> None:
    release = released(shop(), *HIDDEN, cut(2), {"method": "coarsen_dates"}, {"method": "round_purchases"})
    columns = linked(shop(), release.released).notes["columns"]
    assert columns["goods"]["change"] == "cut to the beginning of the name"
    assert columns["date"]["change"] == "rounded to the month"
    assert columns["number"]["change"] == "rounded down"
    assert columns["date"]["bits"] > 1
    monthly = released(shop(), HIDDEN[0], {"method": "change_pseudonyms"}, HIDDEN[1])
    assert linked(shop(), monthly.released).notes["columns"]["customer"]["change"] == "a new name for every month"


def test_it_cannot_tell_members_of_a_cluster_apart_and_says_so() -> None:
    steps = (
        *HIDDEN,
        {"method": "merge_purchases"},
        ONE_PIECE,
        NO_DATES,
        {"method": "dummies", "clusters": 4, "min_size": 10, "placement": "plausible"},
    )
    release = released(shop(), *steps)
    guess = linked(shop(), release.released)
    assert guess.probability is not None
    assert guess.probability.mean() == pytest.approx(0.1, abs=0.05)
    assert (guess.first == release.truth.rows).mean() < 0.3


def test_it_is_less_sure_of_strangers() -> None:
    people, strangers = (linked(shop(), released(shop(40, seed), *HIDDEN, cut(2)).released) for seed in (11, 99))
    assert people.probability is not None
    assert strangers.probability is not None
    assert strangers.probability.mean() < 0.6 < 0.95 < people.probability.mean()


def test_its_probabilities_are_about_right_where_little_is_left() -> None:
    release = released(
        shop(150, 5),
        *HIDDEN,
        {"method": "delete_purchases", "share": 0.85},
        cut(2),
        {"method": "coarsen_dates", "to": "quarter"},
        ONE_PIECE,
    )
    guess = linked(shop(150, 5), release.released)
    assert guess.probability is not None
    assert guess.probability.mean() == pytest.approx((guess.first == release.truth.rows).mean(), abs=0.15)


def test_the_order_of_rows_does_not_change_the_answers() -> None:
    release = released(shop(), *HIDDEN, cut(2), NO_DATES, ONE_PIECE, {"method": "delete_purchases", "share": 0.5})
    first = linked(shop(), release.released)
    rng = np.random.default_rng(4)
    turned = [side.with_frame(side.frame[rng.permutation(side.height)]) for side in (shop(), release.released)]
    again = linked(turned[0], turned[1])
    assert again.first.tolist() == first.first.tolist()
    assert again.probability == pytest.approx(first.probability)


def test_new_names_and_another_order_of_the_people_change_little() -> None:
    release = released(shop(), *HIDDEN, cut(2), {"method": "coarsen_dates"}, ONE_PIECE)
    shown, order = shuffled(release.released, np.random.default_rng(8))
    assert (linked(shop(), shown).first == release.truth.rows[order]).mean() >= rate(shop(), release) - 0.05


def test_histories_need_nothing_but_subjects_and_items() -> None:
    data = shop()
    frame = data.frame.select(data.fields.subject, data.fields.item)
    bare = History(frame, Fields(data.fields.subject, data.fields.item))
    release = released(bare, {"method": "delete_purchases", "share": 0.3})
    assert rate(bare, release) > 0.95
    # The release may also lack what the original has.
    fewer = replace(released(data, *HIDDEN).released, fields=bare.fields, customers=None)
    fewer = fewer.with_frame(fewer.frame.select(bare.fields.subject, bare.fields.item))
    assert linked(data, fewer).first.min() >= 0


@pytest.mark.parametrize(
    ("original", "shown"),
    [
        (sets("ab", "ab"), sets("ab", "ab")),
        (sets("a", "b"), sets("c", "d")),
        (sets("abc", ""), sets("", "abc")),
        (sets("ab", "cd", "ef"), sets("ab", "cd", "ef", "ab", "cd", "ef", "ef")),
    ],
    ids=["all equal", "nothing in common", "customers without rows", "more pseudonyms than customers"],
)
def test_poor_histories_get_an_answer(original: History, shown: History) -> None:
    guess = linked(original, shown)
    assert guess.probability is not None
    assert len(guess) == shown.subjects


def test_further_columns_count() -> None:
    data = shop(40)
    shops = pl.Series("branch", (data.codes * 7 % 40).astype(str))
    wider = data.with_frame(data.frame.with_columns(shops))
    steps = (*HIDDEN, cut(1), NO_DATES, ONE_PIECE, {"method": "merge_purchases"})
    assert rate(wider, released(wider, *steps)) > rate(data, released(data, *steps))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("least", "steps"),
    [
        (0.995, (*HIDDEN, cut(3))),
        (0.995, (*HIDDEN, cut(2), {"method": "coarsen_dates"}, {"method": "round_purchases"})),
        (
            0.93,
            (
                *HIDDEN,
                cut(2),
                {"method": "coarsen_dates", "to": "quarter"},
                ONE_PIECE,
                {"method": "delete_purchases", "share": 0.3},
            ),
        ),
        (0.995, (HIDDEN[0], {"method": "change_pseudonyms"}, HIDDEN[1])),
        (0.995, (HIDDEN[0], {"method": "change_pseudonyms"}, HIDDEN[1], cut(3), {"method": "round_purchases"})),
        (0.995, (HIDDEN[0], {"method": "change_pseudonyms", "period": "receipt"}, HIDDEN[1])),
    ],
    ids=["cut 3", "cut 2, month", "cut 2, quarter, deleted", "monthly", "monthly, cut 3", "per receipt"],
)
def test_the_contest_data(least: float, steps: tuple[Any, ...]) -> None:
    data = contest_data()
    assert rate(data, released(data, *steps)) >= least
