"""The twelve sensitive attributes of the sample `households`: spending in one month.

Each amount is lognormal given the household, as the makers of the NSTAC data assumed. Two unseen factors tie
the columns together: `means`, how well off the household is, and `outgoing`, how much it likes to go out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from icefire.kernels.types import Float, Int32
from icefire.samples.draw import Draws
from icefire.samples.households.profiles import Profiles


class Item(NamedTuple):
    """One kind of spending: yen = median * exp(effects of features + noise), or zero with a small chance."""

    median: int
    noise: float
    zeros: float
    effects: dict[str, float]


# The ten groups of the Japanese survey, with "other" cut in three. Effects are per unit of a feature (see
# `_features`), on the logarithm: 0.1 is 10 % more.
ITEMS = {
    "food": Item(68_000, 0.20, 0.0, {"means": 0.20, "people": 0.50, "age": 0.04}),
    "housing": Item(11_000, 0.55, 0.04, {"means": 0.40, "renter": 1.50, "metro": 0.20, "age": 0.05}),
    "utilities": Item(20_000, 0.24, 0.0, {"means": 0.12, "people": 0.55, "age": 0.06, "renter": -0.15}),
    "furniture": Item(6_500, 0.65, 0.01, {"means": 0.40, "people": 0.25, "age": 0.05}),
    "clothing": Item(11_500, 0.50, 0.005, {"means": 0.45, "outgoing": 0.25, "people": 0.30}),
    "medical": Item(8_000, 0.60, 0.02, {"means": 0.28, "people": 0.30, "age": 0.14, "seniors": 0.22}),
    "transport": Item(36_000, 0.48, 0.0, {"means": 0.38, "outgoing": 0.20, "workers": 0.14, "metro": -0.15}),
    "tuition": Item(24_000, 0.60, 0.0, {"means": 0.50, "metro": 0.25, "children": 0.15}),
    "recreation": Item(23_000, 0.45, 0.0, {"means": 0.42, "outgoing": 0.30, "children": 0.08}),
    "other": Item(22_000, 0.45, 0.0, {"means": 0.40, "people": 0.20, "age": 0.06}),
    "allowance": Item(17_000, 0.60, 0.03, {"means": 0.42, "outgoing": 0.12, "workers": 0.20}),
    "social": Item(14_000, 0.65, 0.015, {"means": 0.45, "outgoing": 0.22, "age": 0.12, "metro": -0.10}),
}
# Share that paid no school fee that month, by children (0 to 3), without and with grown ones at home.
NO_TUITION = np.array([(0.99, 0.82), (0.73, 0.65), (0.67, 0.59), (0.63, 0.57)])

# How well off, beside chance: by age (highest in the fifties), by firm size, by earner beyond the first.
MEANS_OF_AGE = np.array([-0.9, -0.6, -0.3, -0.1, 0.1, 0.3, 0.4, 0.4, 0.0, -0.2, -0.3, -0.4])
MEANS_OF_FIRM = np.array([-0.45, -0.10, 0.35, 0.30])
MEANS_PER_EARNER = 0.30
MEANS_NOISE = 0.80

TYPICAL_MEMBERS, TYPICAL_AGE = 4, 5  # where the effects of people and age are nil (age code 5 is 45 to 49)
LARGEST = 9_999_999  # seven digits, as on a form; keeps every amount in 32 bits


def draw(draws: Draws, profiles: Profiles) -> Iterator[pl.Series]:
    """Draw the columns of ITEMS for these households."""
    features = _features(draws, profiles)
    for name, item in ITEMS.items():
        yen = _amounts(draws, item, features)
        nothing = draws.chance(_no_tuition(profiles) if name == "tuition" else item.zeros)
        yen[nothing] = 0
        yield pl.Series(name, yen)


def _features(draws: Draws, profiles: Profiles) -> dict[str, Float]:
    age, earners = profiles["head_age"], profiles["workers"] - 1.0
    expected = MEANS_OF_AGE[age] + MEANS_OF_FIRM[profiles["firm_size"]] + MEANS_PER_EARNER * earners
    return {
        "means": expected + MEANS_NOISE * draws.normal(),
        "outgoing": draws.normal(),
        "people": np.log(np.arange(1, 7) / TYPICAL_MEMBERS)[profiles["members"] - 1],
        "age": age - float(TYPICAL_AGE),
        "workers": earners,
        "children": profiles["children"].astype(np.float64),
        "seniors": profiles["seniors"].astype(np.float64),
        "metro": 1.0 - profiles["region"],
        "renter": profiles["tenure"].astype(np.float64),
    }


def _amounts(draws: Draws, item: Item, features: dict[str, Float]) -> Int32:
    exponent = item.noise * draws.normal()
    for feature, effect in item.effects.items():
        exponent += effect * features[feature]
    # Whole yen hide the last bits of exp, which differ between processors.
    yen: Int32 = np.minimum(np.rint(item.median * np.exp(exponent)), LARGEST).astype(np.int32)
    return yen


def _no_tuition(profiles: Profiles) -> Float:
    return NO_TUITION[profiles["children"], np.minimum(profiles["grown"], 1)]
