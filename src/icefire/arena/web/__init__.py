"""The web server of a competition: pages that work without JavaScript, an API, and live boards."""

from __future__ import annotations

from pathlib import Path


def folders(name: str) -> list[Path]:
    """Return the folders of a name in this package: one for each place the package is made of."""
    return [Path(place) / name for place in __path__ if (Path(place) / name).is_dir()]
