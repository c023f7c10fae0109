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

from icefire.samples.draw import Draws, draw_chunks, join_chunks
from icefire.samples.households import profiles, spending

DEFAULT_ROWS = 8333
DEFAULT_SEED = 2015

QI: tuple[str, ...] = tuple(profiles.LABELS)
SA: tuple[str, ...] = tuple(spending.ITEMS)


def chunks(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the sample as frames of at most CHUNK_ROWS rows; fewer rows are a prefix of more rows."""
    return draw_chunks(_draw_chunk, n, seed)


def frame(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> pl.DataFrame:
    """Return the sample as one frame."""
    return join_chunks(chunks(n, seed))


def _draw_chunk(draws: Draws) -> pl.DataFrame:
    drawn = profiles.draw(draws)
    return pl.DataFrame([*profiles.label(drawn), *spending.draw(draws, drawn)])
