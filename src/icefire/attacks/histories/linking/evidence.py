"""What speaks for two pseudonyms being one person, as logarithms of likelihood ratios learned from the pairs.

A good, the number and price of a shared good, and a column of the customer table repeat with a learned rate; beyond
that they are equal by chance, as often as they are common. Mean prices and numbers of pieces are similar or not: how
often so in pairs of one person is learned, and compared with pairs drawn at random. Hours, weekdays and the numbers
of pieces of all goods: `habits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icefire.attacks.histories.linking.assigning import assign_pairs
from icefire.attacks.histories.linking.habits import HabitScores, learn_kept_rate, read_habits, with_kept_rate
from icefire.core.blocks import dense_ranks
from icefire.core.history import History
from icefire.core.linking import LinkingCase
from icefire.kernels.baskets.shared_items import shared_of_pairs
from icefire.kernels.types import Bool, Float, Int

BINS = 4
PSEUDO = 20.0
"""Pairs, similar as random ones are, that are assumed beforehand when the similarity of habits is learned."""
RATES, LIKELY_RATES = (0.0, 0.5, 0.9, 0.98), (0.1, 0.1, 0.3, 0.5)
"""Rates at which a column of the customer table may stay the same, and how likely each is beforehand."""
VALUE_RATES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.995)
"""Rates at which numbers and prices of goods may stay the same: people who repeat some of them tell something, too."""
LIKELY_VALUE_RATES = (0.5, *(0.5 / 11,) * 11)
"""How likely each of these rates is beforehand: nothing is learned from little."""
USUAL_RATE = 0.1
"""The rate at which goods are bought again. Answers depend little on it."""
SIMILAR, SIMILAR_BESIDE_COLUMNS = 20.0, 3.0
"""What complete similarity adds: people differ in how much they repeat, which one rate for all does not tell.
It adds less where columns of the customer table stay the same: they tell more."""
DRAWN, RARE_BIN = 4_000, 0.02


@dataclass(frozen=True, slots=True)
class EntryValue:
    """A value of every entry (pseudonym, good) of both periods as a number, and how common it is for the good."""

    first: Int
    second: Int
    common: Float


@dataclass(frozen=True, slots=True)
class ProfileColumn:
    """A column of the customer table of both periods as numbers, and how common each value of the first is."""

    first: Int
    second: Int
    common: Float


def entry_values(case: LinkingCase, meaning: str) -> EntryValue | None:
    """The mean price or number of every entry, in half steps of its logarithm; None where there is no such column."""
    if not (case.first.has(meaning) and case.second.has(meaning)):
        return None
    items_one, items_other, goods = case.coded
    sides = []
    for history, items, baskets in zip((case.first, case.second), (items_one, items_other), case.baskets, strict=True):
        amounts = history.prices if meaning == "price" else history.numbers
        entry = np.searchsorted(baskets.owners * goods + baskets.items, history.codes * goods + items)
        rows = np.maximum(np.bincount(entry, None, len(baskets.items)), 1)
        means = np.bincount(entry, amounts, len(baskets.items)) / rows
        sides.append(np.rint(np.log(np.maximum(means, 1e-9)) * (50.0 if meaning == "price" else 3.0)).astype(np.int64))
    one, other = sides
    lowest = min(one.min(initial=0), other.min(initial=0))
    width = int(max(one.max(initial=0), other.max(initial=0)) - lowest) + 1
    items = np.concatenate([baskets.items for baskets in case.baskets]).astype(np.int64)
    keys = items * width + np.concatenate(sides) - lowest
    _, ranks, counts = np.unique(keys, return_inverse=True, return_counts=True)
    buyers = (case.baskets[0].buyers + case.baskets[1].buyers)[case.baskets[0].items]
    common = counts[ranks.reshape(-1)[: len(one)]] / np.maximum(buyers, 1)
    return EntryValue(one - lowest, other - lowest, np.clip(common, 1e-6, 1.0))


def profiles(case: LinkingCase) -> list[ProfileColumn]:
    """The columns that both customer tables have, without the pseudonym and those with a single value."""
    one, other = case.first.customers, case.second.customers
    if one is None or other is None:
        return []
    read = []
    for name in [name for name in one.columns[1:] if name in other.columns]:
        both = dense_ranks(one[name].cast(str).append(other[name].cast(str))).to_numpy()
        counts = np.bincount(both)
        if counts.max(initial=0) == len(both):
            continue
        first, second = both[: one.height], both[one.height :]
        read.append(ProfileColumn(first, second, np.clip(counts[first] / len(both), 1e-6, 1.0)))
    return read


def levels(case: LinkingCase) -> list[tuple[Float, Float]]:
    """Mean prices and numbers of pieces of both periods; their distance tells how similar pseudonyms are."""
    one, other = case.first, case.second
    levels = []
    if one.has("price") and other.has("price"):
        levels.append((_level(_mean(one, one.prices)), _level(_mean(other, other.prices))))
    if one.has("number") and other.has("number"):
        levels.append((_level(_mean(one, one.numbers)), _level(_mean(other, other.numbers))))
    return levels


def _mean(side: History, values: Float) -> Float:
    return np.bincount(side.codes, values, side.subjects) / np.maximum(np.bincount(side.codes, None, side.subjects), 1)


def _level(values: Float) -> Float:
    """A column of logarithms, so that distances are those of ratios."""
    logarithms: Float = np.log(np.maximum(values, 1e-9))[:, None]
    return logarithms


class PairEvidence:
    """Scores of pairs of pseudonyms. What counts how much is learned from pairs that the goods alone suggest.

    Some of these pairs are wrong: the share of right ones (the purity) is estimated from how often two halves of the
    goods suggest the same pair and from columns that hardly change, and what is seen in the pairs is divided by it.
    """

    def __init__(self, case: LinkingCase, pairs: Int, rng: np.random.Generator) -> None:
        self.case, self.pairs, self.allowed = case, pairs, pairs >= 0
        self.one, self.other = case.baskets
        people = case.targets + case.choices
        self.bought = np.clip((self.one.buyers + self.other.buyers) / people, 1e-9, 0.99)
        self.values = [value for meaning in ("number", "price") if (value := entry_values(case, meaning)) is not None]
        self.profiles = profiles(case)
        self.levels = [self._binned(*vectors, rng) for vectors in levels(case)]
        self.habits = [HabitScores(habit).of_pairs(pairs) for habit in read_habits(case)]
        self.goods_rate = USUAL_RATE
        self.value_rates = [0.0] * len(self.values)
        self.profile_rates = [0.0] * len(self.profiles)
        self.level_scores = [np.zeros(BINS) for _ in self.levels]
        self.kept_rates = [0.0] * len(self.habits)
        self.purity = 0.0
        self.similarity, self.similar = self._cosines(), SIMILAR
        self._learn()

    def _binned(self, one: Float, other: Float, rng: np.random.Generator) -> tuple[Int, Float]:
        """The bin of every pair by its distance; bins hold about equal parts of pairs drawn at random."""
        drawn = rng.integers(0, self.case.targets, DRAWN), rng.integers(0, self.case.choices, DRAWN)
        random = np.abs(one[drawn[0]] - other[drawn[1]]).sum(axis=1)
        edges = np.unique(np.quantile(random, np.arange(1, BINS) / BINS))
        distance = np.abs(one[:, None, :] - other[np.maximum(self.pairs, 0)]).sum(axis=2)
        usual = np.bincount(np.searchsorted(edges, random), minlength=BINS) / len(random)
        return np.searchsorted(edges, distance), usual

    def _cosines(self) -> Float:
        """The weight of the shared goods over the root of both weights; rare goods weigh more."""
        weights = -np.log(self.bought)
        sides = (self.one, self.other)
        one, other = (np.bincount(side.owners, weights[side.items], minlength=side.subjects) for side in sides)
        sets = [(side.start, side.items) for side in sides]
        shared = shared_of_pairs(sets[0], sets[1], self.pairs, weights, ())[:, :, 1]
        cosines: Float = shared / np.sqrt(np.maximum(one[:, None] * other[np.maximum(self.pairs, 0)], 1e-300))
        return cosines

    def _learned_value_rates(self, rows: Int, place: Int) -> list[float]:
        """How often numbers and prices of goods stay the same: the likeliest rates, by pairs that are assigned."""
        assigned = np.full((len(self.pairs), 1), -1)
        assigned[rows, 0] = self.pairs[rows, place]
        before, fits = self.value_rates, []
        for rate, likely in zip(VALUE_RATES, LIKELY_VALUE_RATES, strict=True):
            self.value_rates = [rate] * len(self.values)
            shared = self._shared(pairs=assigned)[rows, 0]
            gains = [self._value_gains(shared, number) for number in range(len(self.values))]
            ratios = [np.expm1(np.clip(gain, -50.0, 50.0)) for gain in gains]
            fits.append([float(np.log1p(self.purity * ratio).sum()) + np.log(likely) for ratio in ratios])
        self.value_rates = before
        return [VALUE_RATES[int(np.argmax(column))] for column in np.array(fits).T]

    def _value_gains(self, shared: Float, number: int) -> Float:
        """What equal and unequal numbers or prices of shared goods add, of pairs whose shared goods are given."""
        most, equal, added = (shared[..., place] for place in (0, 2 + 3 * number, 4 + 3 * number))
        gains: Float = added + (most - equal) * np.log1p(-self.value_rates[number])
        return gains

    def _shared(self, part: Float | None = None, pairs: Int | None = None) -> Float:
        """What pairs share, with the present rates; `part` leaves goods out."""
        present = np.log1p(self.goods_rate * (1 - self.bought) / self.bought) - 2 * np.log1p(-self.goods_rate)
        values = [
            (value.first, value.second, value.common, np.log((rate + (1 - rate) * value.common) / value.common))
            for value, rate in zip(self.values, self.value_rates, strict=True)
        ]
        sets = (self.one.start, self.one.items), (self.other.start, self.other.items)
        asked = self.pairs if pairs is None else pairs
        return shared_of_pairs(*sets, asked, present if part is None else present * part, values)

    def _goods_scores(self, part: Float | None = None) -> Float:
        """Scores by the goods alone, or by a part of them."""
        chosen = np.ones(len(self.bought)) if part is None else part
        one, other = (
            np.bincount(side.owners, chosen[side.items], minlength=side.subjects) for side in (self.one, self.other)
        )
        sizes = one[:, None] + other[np.maximum(self.pairs, 0)]
        scores: Float = self._shared(part)[:, :, 1] + sizes * np.log1p(-self.goods_rate)
        return scores + self.similar * self.similarity if part is None else scores

    def _learn(self) -> None:
        """Learn what stays the same: first columns of the customer table, by goods alone, then values and habits."""
        place = self._assigned(self._goods_scores())
        rows = np.flatnonzero(place >= 0)
        equal = [self._equal(profile)[rows, place[rows]] for profile in self.profiles]
        common = [profile.common[rows] for profile in self.profiles]
        self.purity, self.profile_rates = learn_columns(equal, common, self._agreement_of_halves())
        if any(self.profile_rates):
            self.similar = SIMILAR_BESIDE_COLUMNS
        place = self._assigned(self._with_profiles(self._goods_scores()))
        rows = np.flatnonzero(place >= 0)
        place = place[rows]
        # Shares are not divided by a small purity: what is left of them would be noise.
        purity = max(self.purity, 0.5)
        self.value_rates = self._learned_value_rates(rows, place)
        self.kept_rates = [learn_kept_rate(gains[rows, place], self.purity) for gains in self.habits]
        for number, (bins, usual) in enumerate(self.levels):
            counts = np.bincount(bins[rows, place], minlength=BINS) + PSEUDO * usual
            share = np.maximum(counts / counts.sum() - (1 - purity) * usual, 0.1 * purity * usual)
            # A bin that random pairs hardly ever fall into tells nothing certain.
            gains = np.log((share / share.sum() + 1e-4) / (usual + 1e-4))
            self.level_scores[number] = np.where(usual > RARE_BIN, gains, 0.0)

    def _agreement_of_halves(self) -> float:
        """How often two halves of the goods suggest the same pair, beyond chance."""
        halves = [(np.arange(len(self.bought)) % 2 == half).astype(float) for half in (0, 1)]
        one, other = (self._assigned(self._goods_scores(half)) for half in halves)
        return max(0.0, float(((one == other) & (one >= 0)).mean()) - 1.0 / self.case.choices)

    def _with_profiles(self, total: Float) -> Float:
        """Scores with what columns of the customer table add."""
        for profile, rate in zip(self.profiles, self.profile_rates, strict=True):
            gain = np.log((rate + (1 - rate) * profile.common) / profile.common)[:, None]
            total = total + np.where(self._equal(profile), gain, np.log1p(-rate))
        return total

    def _assigned(self, scores: Float) -> Int:
        return assign_pairs(self.pairs, np.where(self.allowed, scores, 0.0), self.case.choices)

    def _equal(self, profile: ProfileColumn) -> Bool:
        equal: Bool = profile.first[:, None] == profile.second[np.maximum(self.pairs, 0)]
        return equal

    def scores(self) -> Float:
        """Return for every pair how much more likely it is by one person than by two."""
        shared = self._shared()
        total = self._goods_scores()
        for number in range(len(self.values)):
            total = total + self._value_gains(shared, number)
        total = self._with_profiles(total)
        for (bins, _), gains in zip(self.levels, self.level_scores, strict=True):
            total = total + gains[bins]
        for gains, rate in zip(self.habits, self.kept_rates, strict=True):
            total = total + with_kept_rate(gains, rate)
        return np.where(self.allowed, total, -np.inf)


def learn_columns(equal: Sequence[Bool], common: Sequence[Float], agreement: float) -> tuple[float, list[float]]:
    """Estimate how many pairs are right, and how often each column stays the same in right ones.

    Args:
        equal: For each column, whether it is equal in every pair.
        common: For each column, how common the value of every pair is.
        agreement: How often two halves of the goods suggest the same pair; its root is what the purity is at least.

    Returns:
        The share of right pairs, and the rate of each column: the likeliest of a few.
    """
    least = float(np.clip(agreement**0.5, 0.05, 0.95))
    best, answer = -np.inf, (least, [0.0] * len(equal))
    for purity in np.linspace(least, 0.95, 10) if len(equal) else ():
        rates, total = [], 0.0
        for same, share in zip(equal, common, strict=True):
            chances = [purity * (rate + (1 - rate) * share) + (1 - purity) * share for rate in RATES]
            fits = [float(np.log(np.where(same, chance, 1 - chance + 1e-9)).sum()) for chance in chances]
            number = int(np.argmax(np.array(fits) + np.log(LIKELY_RATES)))
            rates.append(RATES[number])
            total += fits[number]
        if total > best:
            best, answer = total, (float(purity), rates)
    return answer
