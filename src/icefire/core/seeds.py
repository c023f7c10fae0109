"""Random generators: one seed, and an independent stream for every random step, named after it."""

from __future__ import annotations

import hashlib
import secrets

import numpy as np

from icefire._version import DEFAULT_SEED

__all__ = ["DEFAULT_SEED", "drawn_seed", "generator"]


def drawn_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(64)


def generator(seed: int, *labels: str) -> np.random.Generator:
    """Return the generator for a named step; another step's name never changes this one's draws."""
    digest = hashlib.sha256("\x1f".join(labels).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))
