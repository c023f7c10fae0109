"""Where tests find the repository's own files, and the data that may lie beside it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
RECIPES = EXAMPLES / "recipes"
DATA = ROOT.parent / "shared" / "data"
"""Real data, not part of the repository; tests that need them are skipped where they are absent."""
