"""Where the numbers of a scorecard come from: software, files, seed and roles."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from icefire._version import __version__
from icefire.audit.kinds import adapter_of
from icefire.core.scorecard import Provenance

PACKAGES = ("numpy", "numba", "polars")


def provenance(
    original: Any,
    released: Any,
    seed: int | None,
    correspondence: str,
    *,
    in_order: bool = False,
    dated: bool = True,
) -> Provenance:
    """Say which software, files and seed made the numbers.

    Args:
        original: The original data.
        released: The released data.
        seed: The seed of the audit; None where it is a secret.
        correspondence: How released and original rows or subjects were matched.
        in_order: The released rows stood in the order of the original.
        dated: Whether the date is noted; without it the same data give the same bytes.

    Returns:
        The provenance for a scorecard.
    """
    return Provenance(
        version=__version__,
        seed=seed,
        original=adapter_of(original).describe(original),
        released=adapter_of(released).describe(released),
        correspondence=correspondence,
        in_original_order=in_order,
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC") if dated else "",
        software={"python": platform.python_version()} | {name: version(name) for name in PACKAGES},
    )
