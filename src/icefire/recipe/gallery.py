"""The gallery: recipes that come with the package, by name."""

from __future__ import annotations

from pathlib import Path

INSTALLED = Path(__file__).parent / "gallery"
SOURCE = Path(__file__).parents[3] / "examples" / "recipes"
"""Where the recipes are in a checkout of the project; a package that is built holds a copy."""


def folder() -> Path:
    """Return the folder with the recipes of the gallery."""
    return INSTALLED if INSTALLED.is_dir() else SOURCE


def names() -> list[str]:
    """Return the names of the recipes, in alphabetical order."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def place(name: str) -> Path | None:
    """Return the file of a recipe of the gallery; None if there is none of this name."""
    return folder() / f"{name}.toml" if name in names() else None
