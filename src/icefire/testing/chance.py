"""The contract of attacks on origin, membership and pseudonyms: chance on noise, their best on an unchanged release.

Attacks on hidden values and on synthetic releases have checks of their own (attribute_attacks, synthetic).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import polars as pl

from icefire.audit.kinds import adapter_of
from icefire.audit.scores import auc_with_interval, scores_of_answers
from icefire.core import roles, seeds
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.linking import LinkingCase
from icefire.core.membership import MembershipCase
from icefire.core.registry import Entry
from icefire.core.release import Guess
from icefire.kernels.types import Int
from icefire.testing.examples import FIELDS

ReleaseName = Literal["noise", "half", "unchanged"]
PEOPLE = 120
CUSTOMERS = 40
STANDARD_ERRORS = 4
"""A rate farther than this from chance is not chance."""
SHUFFLE = 9
"""Seed of the order in which rows are released."""
ASKED = 8
"""Seed of the order in which people are asked about."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How well an attack did on one release."""

    right: float
    """Share of the people whose row or pseudonym was named."""
    chance: float
    """The same for somebody who draws as many answers."""
    trials: int
    auc: float = 0.5
    auc_deviation: float = 0.0

    @property
    def error(self) -> float:
        """How far from chance a share may be by chance."""
        return float(STANDARD_ERRORS * (self.chance * (1 - self.chance) / self.trials) ** 0.5)


def check_chance(entry: Entry) -> None:
    """Check that an attack learns nothing from noise, and nowhere more than from an unchanged release.

    Attacks that suppose something of a release (`supposes`) need not do their best where nothing was changed.
    """
    outcome = _trial_of(entry)
    noise = outcome(entry, "noise")
    assert noise.right <= noise.chance + noise.error, (
        f"{entry.name}: on independent noise it is right for {noise.right:.3f} of the people, by chance for "
        f"{noise.chance:.3f}"
    )
    assert abs(noise.auc - 0.5) <= STANDARD_ERRORS * noise.auc_deviation + 1e-9, (
        f"{entry.name}: on independent noise members are told from others with an AUC of {noise.auc:.3f}, not 0.5"
    )
    if entry.supposes:
        return
    best, partly = outcome(entry, "unchanged"), outcome(entry, "half")
    assert best.right + noise.error >= partly.right, (
        f"{entry.name}: on an unchanged release it is right for {best.right:.3f} of the people, where half of it is "
        f"noise for {partly.right:.3f}; an attack made for other releases says what it supposes of them"
    )
    assert best.auc + STANDARD_ERRORS * partly.auc_deviation >= max(partly.auc, 0.5), (
        f"{entry.name}: on an unchanged release members are told from others with an AUC of {best.auc:.3f}, where half "
        f"of it is noise with {partly.auc:.3f}; an attack made for other releases says what it supposes of them"
    )


def _trial_of(entry: Entry) -> Callable[[Entry, ReleaseName], Outcome]:
    if entry.question == "membership":
        return _on_members
    if entry.question == "linking":
        return _on_pseudonyms
    return _on_customers if entry.data == "history" else _on_rows


def _answer(entry: Entry, case: Any) -> Guess:
    guess: Guess = entry.function(case, rng=seeds.generator(1, entry.name), **entry.bind({}))
    return guess.checked(case.targets, case.choices)


def _order(count: int) -> Int:
    return np.random.default_rng(SHUFFLE).permutation(count)


def _on_rows(entry: Entry, name: ReleaseName) -> Outcome:
    original, order = _people(1), _order(PEOPLE)
    guess = _answer(entry, adapter_of(original).case(original, _released_people(name).take(order)))
    return Outcome(float((guess.first == order).mean()), 1 / PEOPLE, PEOPLE)


def _on_customers(entry: Entry, name: ReleaseName) -> Outcome:
    original, order = _purchases(1), _order(CUSTOMERS)
    guess = _answer(entry, adapter_of(original).case(original, _renamed(_released_purchases(name), order)))
    return Outcome(float((guess.first == order).mean()), 1 / CUSTOMERS, CUSTOMERS)


def _on_pseudonyms(entry: Entry, name: ReleaseName) -> Outcome:
    """The second period holds what the first does, or noise."""
    order = _order(CUSTOMERS)
    guess = _answer(entry, LinkingCase(_purchases(1), _renamed(_released_purchases(name), order)))
    return Outcome(float((guess.first == np.argsort(order)).mean()), 1 / CUSTOMERS, CUSTOMERS)


def _on_members(entry: Entry, name: ReleaseName) -> Outcome:
    """Ask about the people of the release, in a random order among as many who were left out."""
    order, asked = _order(PEOPLE), np.random.default_rng(ASKED).permutation(2 * PEOPLE)
    everybody = _people(1).with_frame(_people(1).frame.vstack(_people(3).frame))
    case = MembershipCase(everybody.take(asked), _released_people(name).take(order), original=everybody)
    guess, inside = _answer(entry, case), asked < PEOPLE
    own = np.argsort(order)[asked[inside]]
    auc, (low, high) = auc_with_interval(scores_of_answers(guess), inside)
    right = float((guess.rows[inside] == own[:, None]).any(axis=1).mean())
    return Outcome(right, guess.rows.shape[1] / PEOPLE, PEOPLE, auc, (high - low) / 4)


@cache
def _people(seed: int) -> Dataset:
    """People who differ in every column but one; every seed draws others."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "postcode": rng.integers(1_000, 9_999, PEOPLE),
            "job": rng.choice(["cook", "nurse", "smith"], PEOPLE),
            "income": np.exp(rng.normal(8, 0.5, PEOPLE)).round(1),
            "rent": np.exp(rng.normal(6, 0.5, PEOPLE)).round(1),
        }
    )
    return Dataset(frame, roles.choose(frame, ("postcode", "job"), ("income", "rent")))


@cache
def _released_people(name: ReleaseName) -> Dataset:
    original, noise = _people(1), _people(2)
    if name != "half":
        return original if name == "unchanged" else noise
    rows = [(original if row % 2 else noise).frame[row] for row in range(PEOPLE)]
    return original.with_frame(pl.concat(rows))


@cache
def _purchases(seed: int) -> History:
    """Purchases of customers who have nothing in common; every seed draws others."""
    rng, rows = np.random.default_rng(seed), 12 * CUSTOMERS
    who = np.concatenate([np.arange(CUSTOMERS), rng.integers(0, CUSTOMERS, rows - CUSTOMERS)])
    month, day = rng.integers(1, 5, rows), rng.integers(1, 29, rows)
    frame = pl.DataFrame(
        {
            "customer": [f"c{code:03d}" for code in who],
            "receipt": [f"r{seed}-{code}-{m}" for code, m in zip(who, month, strict=True)],
            "date": [f"2020/{m}/{d}" for m, d in zip(month, day, strict=True)],
            "time": ["9:30"] * rows,
            "goods": [f"g{good}" for good in rng.integers(0, 80, rows)],
            "price": rng.integers(1, 40, rows) / 4,
            "number": rng.integers(1, 6, rows),
        }
    )
    profile = {
        "customer": [f"c{code:03d}" for code in range(CUSTOMERS)],
        "birthday": [f"{year}/5/1" for year in rng.permutation(np.arange(1900, 2000))[:CUSTOMERS]],
    }
    return History(frame, FIELDS).with_customers(pl.DataFrame(profile))


@cache
def _released_purchases(name: ReleaseName) -> History:
    original, noise = _purchases(1), _purchases(2)
    if name != "half":
        return original if name == "unchanged" else noise
    kept = pl.col("customer").is_in([f"c{code:03d}" for code in range(0, CUSTOMERS, 2)])
    rows = pl.concat([original.frame.filter(kept), noise.frame.filter(~kept)])
    assert original.customers is not None
    assert noise.customers is not None
    profile = pl.concat([original.customers.filter(kept), noise.customers.filter(~kept)])
    return History(rows, FIELDS).with_customers(profile)


def _renamed(data: History, order: Int) -> History:
    """Give customers new names, so that the order of names is the order given."""
    names = {f"c{person:03d}": f"p{place:03d}" for place, person in enumerate(order)}
    rename = pl.col("customer").replace_strict(names)
    assert data.customers is not None
    profile = data.customers.with_columns(rename).sort("customer")
    return History(data.frame.with_columns(rename).sort("customer", maintain_order=True), FIELDS).with_customers(
        profile
    )
