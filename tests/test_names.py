"""Names in the source: each type has its own, and functions and variables say what they return or hold."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from support.places import ROOT

TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "src").rglob("*.py"))}


def types_of(tree: ast.Module) -> Iterator[str]:
    """The public classes and type aliases of a module; type variables mean something only where they are used."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and not ast.unparse(statement.value).startswith("TypeVar("):
            yield from (ast.unparse(target) for target in statement.targets)
        elif isinstance(statement, ast.AnnAssign):
            yield ast.unparse(statement.target)


def test_no_two_types_share_a_name() -> None:
    places: dict[str, list[Path]] = defaultdict(list)
    for path, tree in TREES.items():
        for name in types_of(tree):
            if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name):
                places[name].append(path.relative_to(ROOT))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_functions_and_variables_say_what_they_return_or_hold() -> None:
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.name not in {"of", "run"}, f"{path}:{node.lineno}"
                variables = {x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
                variables |= {x.arg for x in ast.walk(node.args) if isinstance(x, ast.arg)}
                assert not variables & {"found", "told", "made"}, f"{path}:{node.lineno}"
