"""The people of the sample `survey`: sex, age, origin, education, marital status and poverty.

Lines of weights are rounded shares seen in NHANES 2015-2016, and need not add up to one. Where a column depends on
several others, the weights for each of them are multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from icefire.kernels.types import Float, Int8
from icefire.samples.draw import Draws

Respondents = dict[str, Int8]

LABELS = {
    "gen": ("Female", "Male"),
    "race": ("Black", "Hispanic", "Mexican", "Other", "White"),
    "edu": ("9th", "11th", "HighSchool", "College", "Graduate"),
    # "Parther" is a living partner, spelt as in the contest's rules, which accept no other spelling.
    "mar": ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed"),
}

MALE = 0.495
# Lines of seven are by decade: the twenties to the seventies, and 80, which stands for everybody of 80 and older.
DECADE = (16.3, 16.1, 16.2, 15.7, 17.6, 11.1, 7.0)
OLDEST = 80

RACE = (  # by decade
    (22, 12, 18, 18, 30),
    (20, 14, 17, 19, 30),
    (22, 13, 17, 20, 28),
    (22, 14, 17, 16, 31),
    (22, 19, 21, 12, 26),
    (17, 13, 17, 10, 43),
    (12, 6, 8, 8, 66),
)

EDU_OF_RACE = np.array(
    [(6, 14, 27, 35, 18), (21, 14, 22, 27, 16), (37, 18, 21, 16, 8), (10, 10, 14, 22, 44), (4, 8, 24, 35, 29)]
)
EDU_OF_DECADE = np.array(  # against all ages
    [
        (0.32, 0.9, 1.15, 1.2, 0.95),
        (0.7, 0.95, 0.95, 1.0, 1.1),
        (0.85, 1.05, 0.9, 0.95, 1.1),
        (0.85, 1.2, 1.05, 1.0, 0.95),
        (1.3, 1.05, 0.95, 0.9, 0.95),
        (1.9, 0.9, 0.9, 0.9, 0.95),
        (2.4, 1.3, 1.1, 0.9, 0.65),
    ]
)

MAR_OF_DECADE = np.array(
    [
        (1.5, 24, 53, 19, 1.8, 0.1),
        (7, 55, 20, 15, 2, 0.5),
        (12, 63, 12, 8, 4, 1.3),
        (14, 60, 10, 7, 4.6, 4.3),
        (15, 59, 9, 5, 3.9, 8.3),
        (16, 52, 4.3, 2.6, 3.9, 21),
        (9, 46, 3.1, 1, 1, 40),
    ]
)
MAR_OF_GEN = np.array([(1.15, 0.9, 1.0, 0.96, 1.2, 1.5), (0.85, 1.1, 1.0, 1.04, 0.8, 0.5)])
MAR_OF_RACE = np.array(
    [
        (1.25, 0.69, 1.7, 1.0, 1.3, 1.1),
        (1.15, 0.88, 0.9, 1.4, 1.9, 0.9),
        (0.65, 1.13, 0.65, 1.15, 1.3, 0.95),
        (0.6, 1.25, 0.9, 0.55, 0.3, 0.7),
        (1.1, 1.03, 0.85, 0.95, 0.6, 1.0),
    ]
)

# Poverty, on the scale of log odds.
POOR = -2.28
POOR_OF_EDU = np.array([1.6, 1.2, 0.85, 0.45, -0.35])
POOR_OF_RACE = np.array([0.35, 0.35, 0.35, 0.2, -0.25])
POOR_OF_MAR = np.array([0.6, -0.3, 0.35, 0.35, 0.8, 0.15])


def draw(draws: Draws) -> Respondents:
    """Draw the codes of every column of LABELS, `age` in years, `decade` (its code) and `pir` (1 is poor)."""
    gen = draws.chance(MALE).astype(np.int8)
    decade = draws.category(DECADE)
    age = np.minimum(20 + 10 * decade + np.floor(10 * draws.uniform()), OLDEST).astype(np.int8)
    race = draws.category(RACE, decade)
    edu = draws.category(list(_product(EDU_OF_RACE, EDU_OF_DECADE)), race * 7 + decade)
    statuses = _product(_product(MAR_OF_DECADE, MAR_OF_GEN), MAR_OF_RACE)
    mar = draws.category(list(statuses), (decade * 2 + gen) * 5 + race)
    poor = draws.chance(chance(POOR + POOR_OF_EDU[edu] + POOR_OF_RACE[race] + POOR_OF_MAR[mar]))
    return {"gen": gen, "age": age, "decade": decade, "race": race, "edu": edu, "mar": mar, "pir": poor.astype(np.int8)}


def chance(log_odds: Float) -> Float:
    """Turn log odds into a probability."""
    out: Float = 1 / (1 + np.exp(-log_odds))
    return out


def label(people: Respondents) -> Iterator[pl.Series]:
    """Turn codes into the text people see."""
    for name, values in LABELS.items():
        yield pl.Series(name, values).gather(people[name])


def _product(first: Float, second: Float) -> Float:
    """Multiply each line of the first table with each of the second; the second's lines run fastest."""
    out: Float = (first[:, None, :] * second[None, :, :]).reshape(-1, first.shape[1])
    return out
