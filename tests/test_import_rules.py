"""The layers of the package: each imports only what stands before it, and heavy packages only where they are used."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from support.imports import imported_modules

import icefire

ROOT = Path(icefire.__file__).parent
LAYERS = (
    ("kernels", "words"),
    ("core",),
    ("io",),
    ("hierarchy", "models", "risk", "regression", "theory", "samples"),
    ("methods", "measures", "attacks"),
    ("audit", "recipe", "testing", "engines"),
    ("contests", "report"),
    ("studies", "arena", "cli"),
)
WITHIN_A_LAYER = {
    ("models", "hierarchy"),
    ("audit", "recipe"),
    ("audit", "engines"),
    ("testing", "audit"),
    ("testing", "engines"),
    ("testing", "recipe"),
    ("cli", "arena"),
    ("cli", "studies"),
}
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
TOP_LEVEL_FILES = {"__init__", "__main__", "_version", "pytest_plugin"}
FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"}


def folder(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_what_stands_before_it(path: Path) -> None:
    own = folder(module_name(path))
    assert own in RANK, f"{own} has no layer yet; give it one"
    others = {folder(name) for name in imported_modules(path, MODULES)} - TOP_LEVEL_FILES - {own}
    for other in others:
        allowed = RANK[other] < RANK[own] or (own, other) in WITHIN_A_LAYER
        assert allowed, f"{own} must not import {other}"


def test_the_top_level_holds_folders_and_few_names() -> None:
    assert {path.stem for path in ROOT.glob("*.py")} <= TOP_LEVEL_FILES | {"testing"}
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(RANK)


def test_no_modules_import_one_another_in_a_circle() -> None:
    graph = {name: imported_modules(path, MODULES) - {name} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_only_readers_and_adapters_ask_what_kind_of_data_they_have() -> None:
    readers = {
        "icefire.io.read",
        "icefire.audit.histories",
        "icefire.audit.parts.histories",
        "icefire.recipe.histories",
    }
    asking = {name for name, path in MODULES.items() if asks_for_a_history(ast.parse(path.read_text(encoding="utf-8")))}
    assert asking <= readers


def asks_for_a_history(tree: ast.AST) -> bool:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"]
    return any(re.search(r"\bHistory\b", ast.unparse(call.args[1])) for call in calls)


@pytest.mark.parametrize("path", sorted((ROOT / "attacks").rglob("*.py")), ids=lambda path: path.name)
def test_an_attack_cannot_name_the_truth(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | set(imported_names(tree))
    secret = {"Truth", "Comparison", "Release", "HistoryComparison", "HistoryRelease", "judge", "folder"}
    assert not secret & names


def imported_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def loaded_by(code: str) -> set[str]:
    script = f"import sys; {code}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = {"polars", "numpy", "numba", "rich", "typer", "matplotlib", "jinja2", "msgspec"}
    assert not heavy & loaded_by("import icefire")


def test_the_help_loads_nothing_heavy() -> None:
    heavy = {"polars", "numpy", "numba", "matplotlib", "jinja2", "msgspec", "pandas", "scipy"}
    assert not heavy & loaded_by("import icefire.cli")


def test_an_audit_never_loads_pandas_or_arrow_or_plots() -> None:
    modules = loaded_by(
        "import icefire; icefire.audit(icefire.sample(rows=50), icefire.sample(rows=50).frame, aligned=True)"
    )
    assert not {"pandas", "matplotlib", "pyarrow", "typer"} & modules


def test_the_verb_audit_stays_a_function_when_its_package_is_used() -> None:
    loaded_by("import icefire, icefire.audit.judge; assert callable(icefire.audit)")
