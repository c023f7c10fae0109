"""Synthetic patients, like those of PWS Cup 2025: who they are, how often they were treated, diseases, measurements.

One row is one patient in 18 columns. No row describes anyone: numbers of encounters grow with age and disease, the
others follow from them, and weight and pressures from age and sex, all by formulas made up for this sample. With two
decimals in four columns hardly two rows are equal.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from icefire.kernels.types import Float
from icefire.samples.draw import Draws, draw_chunks, join_chunks

DEFAULT_ROWS = 10_000
DEFAULT_SEED = 2025

FLAGS = ("asthma_flag", "stroke_flag", "obesity_flag", "depression_flag")
COUNTS = ("encounter_count", "num_procedures", "num_medications", "num_immunizations", "num_allergies", "num_devices")
MEANS = ("mean_systolic_bp", "mean_diastolic_bp", "mean_bmi", "mean_weight")
COLUMNS = ("GENDER", "AGE", "RACE", "ETHNICITY", *COUNTS, *FLAGS, *MEANS)
QI: tuple[str, ...] = ("GENDER", "AGE", "RACE", "ETHNICITY")
SA: tuple[str, ...] = (*COUNTS, *FLAGS, *MEANS)

RACES = ("asian", "black", "hawaiian", "native", "other", "white")
RACE_WEIGHTS = (7, 9, 1, 1, 2, 80)
LIMITS = {"encounter_count": 1211, "num_procedures": 2442, "num_medications": 7195, "num_devices": 160}
"""Largest values; longer histories are cut there."""


def chunks(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the sample as frames of at most CHUNK_ROWS rows; fewer rows are a prefix of more rows."""
    return draw_chunks(_draw_chunk, n, seed)


def frame(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> pl.DataFrame:
    """Return the sample as one frame."""
    return join_chunks(chunks(n, seed))


def _draw_chunk(draws: Draws) -> pl.DataFrame:
    female = draws.chance(0.51)
    age = np.clip(np.floor(2 + 108 * draws.uniform() ** 1.25), 2, 110)
    race = draws.category(RACE_WEIGHTS)
    hispanic = draws.chance(0.12)
    old = age / 60
    asthma, stroke = draws.chance(np.clip(0.12 - 0.05 * old, 0.02, 1)), draws.chance(np.clip(0.09 * (old - 0.4), 0, 1))
    obese, depressed = draws.chance(np.clip(0.15 + 0.2 * old, 0, 0.55)), draws.chance(0.06 + 0.06 * female)
    burden = 0.35 * asthma + 0.9 * stroke + 0.25 * obese + 0.4 * depressed
    visits = np.exp(2.9 + 0.55 * old + burden + 0.55 * draws.normal())
    bmi = np.clip(14 + 14 * (1 - np.exp(-age / 11)) + 5.5 * obese + 2.2 * draws.normal(), 3, 73)
    height = np.where(age < 18, 0.8 + 0.05 * age, np.where(female, 1.63, 1.76)) + 0.06 * draws.normal()
    systolic = np.clip(98 + 20 * np.minimum(old, 1.2) + 5 * stroke + 8 * draws.normal(), 38, 172)
    numbers: dict[str, Float] = {
        "encounter_count": np.maximum(4, visits),
        "num_procedures": visits * (0.6 + 1.4 * stroke) * np.exp(0.5 * draws.normal()),
        "num_medications": visits * (0.8 + 0.9 * old) * np.exp(0.7 * draws.normal()),
        "num_immunizations": np.clip(12 + 3 * draws.normal() - 0.02 * age, 0, 40),
        "num_allergies": np.where(draws.chance(0.15), 1 + 8 * draws.uniform(), 0),
        "num_devices": np.where(draws.chance(0.1 + 0.2 * stroke), 1 + 4 * np.exp(draws.normal()), 0),
    }
    counts = {name: np.minimum(values, LIMITS.get(name, 40)) for name, values in numbers.items()}
    diastolic = np.clip(0.62 * systolic + 4 * draws.normal(), 2, 126)
    means = (systolic, diastolic, bmi, np.clip(bmi * height**2, 4.55, 196.7))
    flags = (asthma, stroke, obese, depressed)
    return pl.DataFrame(
        [
            pl.Series("GENDER", np.where(female, "F", "M")),
            pl.Series("AGE", age).cast(pl.Int64),
            pl.Series("RACE", RACES).gather(race),
            pl.Series("ETHNICITY", np.where(hispanic, "hispanic", "nonhispanic")),
            *(pl.Series(name, values).cast(pl.Int64) for name, values in counts.items()),
            *(pl.Series(name, flag).cast(pl.Int64) for name, flag in zip(FLAGS, flags, strict=True)),
            *(pl.Series(name, np.round(values, 2)) for name, values in zip(MEANS, means, strict=True)),
        ]
    ).select(COLUMNS)
