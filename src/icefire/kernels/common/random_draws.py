"""Random numbers inside compiled loops: SplitMix64 (Steele, Lea and Flood, 2014).

The state is an array of one 64-bit number, which every draw changes in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

ALL_BITS = (1 << 64) - 1


@numba.njit(nogil=True, cache=True)
def mix_bits(z) -> Any:  # type: ignore[no-untyped-def]
    """Return a number with its bits mixed; distinct numbers stay distinct."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@numba.njit(nogil=True, cache=True)
def random_bits(state) -> Any:  # type: ignore[no-untyped-def]
    """Return 64 random bits."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return mix_bits(state[0])


@numba.njit(nogil=True, cache=True)
def random_below(state, n) -> Any:  # type: ignore[no-untyped-def]
    """Return a random whole number from 0 to n - 1, for n below 2^32."""
    return np.int64(((random_bits(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@numba.njit(nogil=True, cache=True)
def random_open_fraction(state) -> Any:  # type: ignore[no-untyped-def]
    """Return a random number between 0 and 1, neither of them included."""
    return (np.float64(random_bits(state) >> np.uint64(11)) + 0.5) / 9007199254740992.0


@numba.njit(nogil=True, cache=True)
def random_fraction(state) -> Any:  # type: ignore[no-untyped-def]
    """Return a random number from 0 up to, but without, 1."""
    return (random_bits(state) >> np.uint64(11)) * 2.0**-53


def random_numbers_below(state: int) -> Callable[[int], int]:
    """Return a function that draws as `random_below` does from the same state, in plain Python."""

    def draw(n: int) -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & ALL_BITS
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ALL_BITS
        return (((z ^ (z >> 31)) >> 32) * n) >> 32

    return draw
