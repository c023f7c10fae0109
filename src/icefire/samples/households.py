"""Synthetic household survey, like the NSTAC pseudo microdata of PWSCUP 2015.

One row is one Japanese household of two to six people whose head works. Thirteen discrete columns describe it
(the quasi-identifiers `QI`), twelve hold its spending in one month, in yen (the sensitive attributes `SA`).
No row describes anyone: each is drawn from tables that only resemble published statistics. The tables are
tuned so that the default sample has as many distinct households as the contest's data (S2 = 1.88), as many
in 100 rows (97), and as many zeros in the 21st column (76 %), the one that the attack `sa_nearest` looks at.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from icefire.samples import household_profiles, household_spending
from icefire.samples.draw import Draws, check_size, chunk_sizes

DEFAULT_ROWS = 8333
DEFAULT_SEED = 2015
CHUNK_ROWS = 65_536

QI: tuple[str, ...] = tuple(household_profiles.LABELS)
SA: tuple[str, ...] = tuple(household_spending.ITEMS)


def chunks(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the sample as frames of at most CHUNK_ROWS rows; fewer rows are a prefix of more rows."""
    check_size(n, seed)
    return (_chunk(Draws(seed, i, rows)) for i, rows in enumerate(chunk_sizes(n, CHUNK_ROWS)))


def frame(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> pl.DataFrame:
    """Return the sample as one frame."""
    # Without rechunk, polars keeps the chunks as they are and the whole is never held twice.
    return pl.concat(chunks(n, seed), rechunk=False)


def _chunk(draws: Draws) -> pl.DataFrame:
    profiles = household_profiles.draw(draws)
    spending = household_spending.draw(draws, profiles)
    return pl.DataFrame([*household_profiles.label(profiles), *spending])
