"""Synthetic health survey, like the NHANES extract of PWS Cup 2021.

One row is one adult: sex, age, origin, education, marital status, body mass index, depression, poverty, two columns
that are always 0 (`gh` and `mets`, as in the contest), quarter of physical activity, and diabetes. No row describes
anyone: each is drawn from a chain of small tables and logistic models that only resemble the survey's shares, so that
a record has about as many others within reach (`iloss` at most 4) as in the contest's data.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from icefire.samples.draw import Draws, draw_chunks, join_chunks
from icefire.samples.survey import health, people

DEFAULT_ROWS = 4190
DEFAULT_SEED = 2021

COLUMNS = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
QI: tuple[str, ...] = ("gen", "age", "race", "edu", "mar", "pir")
SA: tuple[str, ...] = ("bmi", "dep", "qm", "dia")


def chunks(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the sample as frames of at most CHUNK_ROWS rows; fewer rows are a prefix of more rows."""
    return draw_chunks(_draw_chunk, n, seed)


def frame(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> pl.DataFrame:
    """Return the sample as one frame."""
    return join_chunks(chunks(n, seed))


def _draw_chunk(draws: Draws) -> pl.DataFrame:
    persons = people.draw(draws)
    quarter = health.activity(draws, persons)
    index = health.body_mass(draws, persons, quarter)
    depressed = health.depression(draws, persons)
    diabetic = health.diabetes(draws, persons, quarter, index, depressed)
    columns = [
        *people.label(persons),
        pl.Series("age", persons["age"], dtype=pl.Float64),
        pl.Series("bmi", index),
        pl.Series("dep", depressed),
        pl.Series("pir", persons["pir"]),
        pl.Series("qm", health.ACTIVITY).gather(quarter),
        pl.Series("dia", diabetic),
    ]
    nothing = pl.lit(0, pl.Int8)
    return pl.DataFrame(columns).with_columns(gh=nothing, mets=nothing).select(COLUMNS)
