"""Synthetic health survey, like the NHANES extract of PWS Cup 2021.

One row is one adult: sex, age, origin, education, marital status, body mass index, depression, poverty, two columns
that are always 0 (`gh` and `mets`, as in the contest), quarter of physical activity, and diabetes. No row describes
anyone: each is drawn from a chain of small tables and logistic models that only resemble the survey's shares, so that
a record has about as many others within reach (`iloss` at most 4) as in the contest's data.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from icefire.samples import survey_health, survey_people
from icefire.samples.draw import Draws, check_size, chunk_sizes

DEFAULT_ROWS = 4190
DEFAULT_SEED = 2021
CHUNK_ROWS = 65_536

COLUMNS = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
QI: tuple[str, ...] = ("gen", "age", "race", "edu", "mar", "pir")
SA: tuple[str, ...] = ("bmi", "dep", "qm", "dia")


def chunks(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the sample as frames of at most CHUNK_ROWS rows; fewer rows are a prefix of more rows."""
    check_size(n, seed)
    return (_chunk(Draws(seed, i, rows)) for i, rows in enumerate(chunk_sizes(n, CHUNK_ROWS)))


def frame(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> pl.DataFrame:
    """Return the sample as one frame."""
    # Without rechunk, polars keeps the chunks as they are and the whole is never held twice.
    return pl.concat(chunks(n, seed), rechunk=False)


def _chunk(draws: Draws) -> pl.DataFrame:
    people = survey_people.draw(draws)
    quarter = survey_health.activity(draws, people)
    index = survey_health.body_mass(draws, people, quarter)
    depressed = survey_health.depression(draws, people)
    diabetic = survey_health.diabetes(draws, people, quarter, index, depressed)
    columns = [
        *survey_people.label(people),
        pl.Series("age", people["age"], dtype=pl.Float64),
        pl.Series("bmi", index),
        pl.Series("dep", depressed),
        pl.Series("pir", people["pir"]),
        pl.Series("qm", survey_health.ACTIVITY).gather(quarter),
        pl.Series("dia", diabetic),
    ]
    nothing = pl.lit(0, pl.Int8)
    return pl.DataFrame(columns).with_columns(gh=nothing, mets=nothing).select(COLUMNS)
