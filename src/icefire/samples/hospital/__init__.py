"""Synthetic hospital extract: one row is one stay of one patient in one year.

Patient number, date of birth, sex, postcode, day of admission, ward, diagnosis (ICD-10), other diseases, days and cost.
Postcodes begin with 0 and the patient number is text, as in real extracts. No row describes anyone: diseases depend on
age and sex by small tables, days and cost on the disease and the age.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import numpy as np
import polars as pl

from icefire.kernels.types import Float
from icefire.samples.draw import Draws, draw_chunks, join_chunks

DEFAULT_ROWS = 2000
DEFAULT_SEED = 2024

COLUMNS = ("patient", "born", "sex", "postcode", "admitted", "ward", "diagnosis", "other_diseases", "days", "cost")
ID: tuple[str, ...] = ("patient",)
QI: tuple[str, ...] = ("born", "sex", "postcode", "admitted")
SA: tuple[str, ...] = ("ward", "diagnosis", "other_diseases", "days", "cost")

YEAR = datetime.date(2025, 1, 1)
AGE_GROUPS = (18, 40, 65)
"""The first age of the second, third and fourth group."""
AGES = ((0, 17), (18, 39), (40, 64), (65, 98))
GROUP_WEIGHTS = (10, 22, 30, 38)

DISEASES: dict[str, tuple[str, float, tuple[float, float, float, float]]] = {
    "O80": ("obstetrics", 3, (0, 16, 1, 0)),
    "J18": ("medicine", 7, (12, 3, 6, 12)),
    "K35": ("surgery", 4, (14, 10, 4, 2)),
    "K80": ("surgery", 4, (0, 6, 10, 6)),
    "S52": ("surgery", 3, (14, 5, 6, 8)),
    "S72": ("surgery", 12, (1, 1, 3, 16)),
    "I21": ("cardiology", 7, (0, 1, 10, 12)),
    "I50": ("cardiology", 9, (0, 1, 5, 18)),
    "C34": ("oncology", 9, (0, 0.5, 6, 6)),
    "C50": ("oncology", 6, (0, 1, 6, 4)),
    "E11": ("medicine", 6, (0.5, 2, 8, 8)),
    "F32": ("psychiatry", 24, (4, 9, 9, 4)),
    "F10": ("psychiatry", 10, (0.5, 6, 10, 2)),
    "B20": ("medicine", 8, (0, 1, 1, 0.2)),
    "A09": ("medicine", 3, (16, 5, 4, 6)),
}
"""By code: the ward, typical days, and the weight in each group of age."""
WOMEN_ONLY, MOSTLY_WOMEN = "O80", "C50"
REGIONS = ("010", "011", "013", "027", "041", "066")
REGION_WEIGHTS = (30, 22, 14, 14, 12, 8)
AREAS = 24
"""Postcodes of a region; the first are the larger ones."""


def chunks(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the sample as frames of at most CHUNK_ROWS rows; fewer rows are a prefix of more rows."""
    return draw_chunks(_draw_chunk, n, seed)


def frame(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> pl.DataFrame:
    """Return the sample as one frame."""
    return join_chunks(chunks(n, seed))


def _draw_chunk(draws: Draws) -> pl.DataFrame:
    group = draws.category(GROUP_WEIGHTS)
    youngest, oldest = np.array(AGES, dtype=np.float64)[group].T
    age = youngest + draws.uniform() * (oldest - youngest + 0.999)
    woman = draws.chance(0.52)
    disease = draws.category(_weights(), given=(2 * group + woman).astype(np.int8))
    codes = list(DISEASES)
    admitted = np.floor(draws.uniform() * 365)
    other = np.floor(-np.log1p(-draws.uniform()) * (0.2 + age / 45))
    days = _days(draws, disease, age, other)
    cost = 600 + 410 * days * np.exp(0.35 * draws.normal())
    first_day = pl.lit(YEAR)
    return pl.DataFrame(
        {
            "patient": draws.numbers("P", 8),
            "sex": np.where(woman, "f", "m"),
            "postcode": _postcodes(draws),
            "ward": pl.Series([ward for ward, _, _ in DISEASES.values()]).gather(disease),
            "diagnosis": pl.Series(codes).gather(disease),
            "other_diseases": other.astype(np.int64),
            "days": days.astype(np.int64),
            "cost": np.round(cost, 2),
            "age_days": np.floor(age * 365.25).astype(np.int64),
            "day": admitted.astype(np.int64),
        }
    ).select(
        "patient",
        (first_day - pl.duration(days="age_days")).alias("born"),
        "sex",
        "postcode",
        (first_day + pl.duration(days="day")).alias("admitted"),
        *COLUMNS[5:],
    )


def _weights() -> list[list[float]]:
    """Return the weights of the diseases, a line for men and one for women of each group of age."""
    lines = np.array([weights for _, _, weights in DISEASES.values()], dtype=np.float64).T.repeat(2, axis=0)
    codes = list(DISEASES)
    lines[0::2, codes.index(WOMEN_ONLY)] = 0
    lines[0::2, codes.index(MOSTLY_WOMEN)] *= 0.02
    return [[float(weight) for weight in line] for line in lines]


def _days(draws: Draws, disease: np.ndarray, age: Float, other: Float) -> Float:
    typical = np.array([days for _, days, _ in DISEASES.values()])[disease]
    stretched: Float = typical * np.exp(0.45 * draws.normal() + 0.004 * (age - 50) + 0.05 * other)
    return np.maximum(1.0, np.round(stretched))


def _postcodes(draws: Draws) -> pl.Series:
    region = draws.category(REGION_WEIGHTS)
    area = draws.category([1 / (1 + place) ** 0.7 for place in range(AREAS)])
    names = pl.Series([f"{first}{1 + 4 * place:02d}" for first in REGIONS for place in range(AREAS)])
    return names.gather(region.astype(np.int64) * AREAS + area)
