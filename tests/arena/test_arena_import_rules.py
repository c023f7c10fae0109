"""The layers inside the arena: each folder imports only what stands before it, and there is no import cycle."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from support.imports import imported_modules

from icefire import arena

ROOT = Path(arena.__file__).parent
LAYERS = (
    ("errors", "ids", "clock"),
    ("operations",),
    ("storage",),
    ("contest",),
    ("auth",),
    ("boards",),
    ("judge",),
    ("submit",),
    ("notify",),
    ("admin", "charts", "client", "setup"),
    ("bundle",),
    ("verify",),
    ("doctor",),
    ("demo", "web"),
    ("server",),
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
PREFIX = "icefire.arena."


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return PREFIX + ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"}


def folder(module: str) -> str:
    return module.removeprefix(PREFIX).split(".")[0]


@pytest.mark.parametrize("module", MODULES)
def test_a_file_imports_only_what_stands_before_it(module):
    own = folder(module)
    assert own in RANK, f"{own} has no layer yet; give it one"
    for other in {folder(name) for name in imported_modules(MODULES[module], MODULES)} - {own}:
        assert RANK[other] < RANK[own], f"{own} must not import {other}"


def test_no_modules_import_one_another_in_a_circle():
    graph = {name: imported_modules(path, MODULES) - {name} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_the_arena_holds_folders_and_four_modules():
    assert {path.stem for path in ROOT.glob("*.py")} == {"__init__", "errors", "ids", "clock", "server"}
