"""Lower layers never import higher ones, and heavy things are imported where they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import icefire

ROOT = Path(icefire.__file__).parent
LAYERS = [
    {"_version", "errors", "figures", "remembering"},
    {"schema", "parameters", "seeds"},
    {"kernels", "dataset", "files", "registry"},
    {"align", "blocks", "roles", "regression", "rowloss"},
    {"release"},
    {"hierarchy", "models", "history", "membership", "membership_theory"},
    {"methods", "measures", "attacks", "samples"},
    {"recipe", "judge", "risk", "attack_contract"},
    {"scorecard", "explaining"},
    {"folder", "findings", "verdict", "choosing"},
    {"contests"},
    {"auditing", "correspondence", "history_contract", "membership_contract"},
    {"inspecting", "contract", "history_findings", "history_correspondence"},
    {"history_auditing", "history_inspecting", "membership_auditing"},
    {"verbs"},
    {"api"},
    {"report"},
    {"studies"},
    {"cli", "arena"},
    {"__main__"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
PEERS = {"methods", "measures", "attacks", "samples"}
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def part(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The parts of the package a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in found if name.startswith("icefire.")]
    return {name[1] for name in parts if name[1] in RANK}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_what_lies_below_it(path):
    own = part(path)
    assert own in RANK, f"{own} has no layer yet; give it one"
    for other in imported(path) - {own}:
        assert RANK[other] <= RANK[own], f"{own} must not import {other}"
        assert not {own, other} <= PEERS, f"{own} and {other} are peers"


@pytest.mark.parametrize("path", sorted((ROOT / "attacks").rglob("*.py")), ids=lambda path: path.name)
def test_an_attack_cannot_name_the_truth(path):
    names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
    aliases = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    secret = {"Truth", "Comparison", "Release", "HistoryComparison", "HistoryRelease", "judge", "folder"}
    assert not secret & (names | aliases)


def loaded_by(code: str) -> set[str]:
    script = f"import sys; {code}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"polars", "numpy", "numba", "rich", "typer", "matplotlib", "jinja2", "msgspec"}
    assert not heavy & loaded_by("import icefire")


def test_the_help_loads_nothing_heavy():
    heavy = {"polars", "numpy", "numba", "matplotlib", "jinja2", "msgspec", "pandas", "scipy"}
    assert not heavy & loaded_by("import icefire.cli")


def test_an_audit_never_loads_pandas_or_arrow_or_plots():
    modules = loaded_by(
        "import icefire; icefire.audit(icefire.sample(rows=50), icefire.sample(rows=50).frame, aligned=True)"
    )
    assert not {"pandas", "matplotlib", "pyarrow", "typer"} & modules
