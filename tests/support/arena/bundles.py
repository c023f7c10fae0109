"""Bundles in tests of the arena."""

from __future__ import annotations

import zipfile
from pathlib import Path


def inside(path: Path) -> dict[str, bytes]:
    """Return the files of a bundle by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
