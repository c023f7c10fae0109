"""The imports of modules, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path


def imported_modules(path: Path, modules: Collection[str]) -> set[str]:
    """Return those of some modules that a file imports, anywhere in it, also for type checking only."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            imported |= {name if name in modules else node.module for name in names}
    return imported & set(modules)
