"""Releases to train on in which methods are combined that the study seldom draws.

Methods that hide others, or are hidden by them, have few partners, so that few random combinations contain them.
"""

from __future__ import annotations

import numpy as np

from icefire.audit.fingerprint.methods import NAMES
from icefire.core.dataset import Dataset
from icefire.studies.fingerprint_releases import HIDING, ORDER, MadeRelease, random_step, release_by
from icefire.studies.fingerprint_tables import TableSource

SELDOM = (
    *("synthesize", "suppress_rows", "pram", "shuffle", "synthesize", "average", "microaggregate", "suppress_rows"),
    *("rank_swap", "swap", "k_anonymize", "pram"),
)
"""The method that each release contains, in turn; those whose traces are faintest come twice."""
ATTEMPTS = 20


def combination_in_turn(tables: TableSource, seed: int, turn: int) -> tuple[Dataset, MadeRelease | None]:
    """Draw a table, and a release of it by the method whose turn it is and one or two others."""
    rng = np.random.default_rng([seed, turn])
    original = tables(rng)
    for _ in range(ATTEMPTS):
        names = _combination(SELDOM[turn % len(SELDOM)], int(rng.integers(2, 4)), rng)
        steps = [random_step(name, original, rng) for name in sorted(names, key=ORDER.index)]
        release = release_by(original, steps, int(rng.integers(1 << 30)))
        if release is not None:
            return original, release
    return original, None


def _combination(first: str, size: int, rng: np.random.Generator) -> list[str]:
    """Return a method with others that do not hide it or one another."""
    names = [first]
    for other in rng.permutation(NAMES):
        name = str(other)
        if len(names) < size and name not in names and not any(frozenset((name, one)) in HIDING for one in names):
            names.append(name)
    return names
