"""Health of the people in the sample `survey`: body mass index, depression, activity and diabetes.

The body mass index is lognormal given sex, origin and age. Depression and diabetes follow logistic models whose
coefficients are those of NHANES 2015-2016, rounded.
"""

from __future__ import annotations

import numpy as np

from icefire.kernels.types import Float, Int8
from icefire.samples.draw import Draws
from icefire.samples.survey.people import Respondents, chance

ACTIVITY = ("Q1", "Q2", "Q3", "Q4")  # quarters, from those who move least

BMI_MEDIAN = np.array([(31.0, 29.3, 30.8, 25.0, 28.0), (28.2, 29.0, 29.2, 25.7, 28.3)])  # by sex and origin
BMI_OF_DECADE = np.array([-0.07, 0.01, 0.02, 0.03, 0.03, 0.01, -0.05])  # on the logarithm
BMI_OF_ACTIVITY = np.array([0.015, 0.0, -0.015, 0.0])
BMI_NOISE = np.array([0.225, 0.19])  # by sex
BMI_SKEW = 0.06  # the heavy are farther from the middle than the light
BMI_RANGE = (14.0, 70.0)

ACTIVITY_OF_DECADE = np.array(
    [
        (14, 18, 29, 39),
        (20, 20, 27, 33),
        (26, 26, 23, 25),
        (29, 26, 22, 23),
        (33, 31, 20, 16),
        (35, 27, 25, 13),
        (53, 24, 14, 9),
    ]
)
ACTIVITY_OF_GEN = np.array([(1.15, 1.1, 0.95, 0.74), (0.83, 0.89, 1.05, 1.27)])
ACTIVITY_OF_EDU = np.array(
    [
        (1.5, 0.9, 0.6, 0.85),
        (1.3, 0.95, 0.65, 1.05),
        (1.0, 0.9, 0.9, 1.15),
        (0.85, 1.0, 1.0, 1.15),
        (0.75, 1.2, 1.45, 0.7),
    ]
)

# On the scale of log odds. Lines follow the labels of `people`.
DEPRESSED, DEPRESSED_MALE, DEPRESSED_POOR = -1.37, -0.25, 0.45
DEPRESSED_OF_RACE = np.array([-0.35, 0.05, -0.25, -0.2, 0.2])
DEPRESSED_OF_MAR = np.array([0.4, -0.1, 0.4, 0.1, 0.45, 0.0])

DIABETIC, DIABETIC_MALE, DIABETIC_PER_YEAR, DIABETIC_PER_BMI = -7.38, 0.40, 0.056, 0.097
DIABETIC_DEPRESSED, DIABETIC_POOR = 0.40, 0.19
DIABETIC_OF_RACE = np.array([0.0, -0.22, 0.07, 0.04, -0.82])
DIABETIC_OF_EDU = np.array([-0.11, 0.0, -0.09, -0.04, -0.16])
DIABETIC_OF_MAR = np.array([0.0, 0.30, 0.23, 0.31, 0.14, -0.14])
DIABETIC_OF_ACTIVITY = np.array([0.0, -0.24, -0.35, -0.40])


def activity(draws: Draws, people: Respondents) -> Int8:
    """Draw the quarter of physical activity."""
    tables = ACTIVITY_OF_DECADE[:, None, None] * ACTIVITY_OF_GEN[None, :, None] * ACTIVITY_OF_EDU[None, None, :]
    return draws.category(tables.reshape(-1, 4), (people["decade"] * 2 + people["gen"]) * 5 + people["edu"])


def body_mass(draws: Draws, people: Respondents, quarter: Int8) -> Float:
    """Draw the body mass index, to one decimal."""
    gen, noise = people["gen"], draws.normal()
    shift = BMI_OF_DECADE[people["decade"]] + BMI_OF_ACTIVITY[quarter]
    shift += BMI_NOISE[gen] * (noise + BMI_SKEW * (noise**2 - 1))
    index = np.clip(BMI_MEDIAN[gen, people["race"]] * np.exp(shift), *BMI_RANGE)
    # One decimal hides the last bits of exp, which differ between processors.
    out: Float = np.rint(10 * index) / 10
    return out


def depression(draws: Draws, people: Respondents) -> Int8:
    """Draw whether somebody is depressed."""
    odds = DEPRESSED + DEPRESSED_MALE * people["gen"] + DEPRESSED_POOR * people["pir"]
    return draws.chance(chance(odds + DEPRESSED_OF_RACE[people["race"]] + DEPRESSED_OF_MAR[people["mar"]])).astype(
        np.int8
    )


def diabetes(draws: Draws, people: Respondents, quarter: Int8, index: Float, depressed: Int8) -> Int8:
    """Draw whether somebody has diabetes."""
    odds = DIABETIC + DIABETIC_MALE * people["gen"] + DIABETIC_PER_YEAR * people["age"] + DIABETIC_PER_BMI * index
    odds += DIABETIC_DEPRESSED * depressed + DIABETIC_POOR * people["pir"] + DIABETIC_OF_RACE[people["race"]]
    odds += DIABETIC_OF_EDU[people["edu"]] + DIABETIC_OF_MAR[people["mar"]] + DIABETIC_OF_ACTIVITY[quarter]
    return draws.chance(chance(odds)).astype(np.int8)
