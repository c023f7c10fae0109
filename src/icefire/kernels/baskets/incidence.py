"""Which subject holds which good, listed both ways."""

from __future__ import annotations

from typing import NamedTuple

from icefire.kernels.types import Int, Int32


class Incidence(NamedTuple):
    """Goods by subject and subjects by good.

    Subject u holds items[start[u]:start[u + 1]], good g is held by owners[good_start[g]:good_start[g + 1]], both
    ascending.
    """

    start: Int
    items: Int32
    good_start: Int
    owners: Int32
