"""A new method, measure or attack is one new file in its folder: everything else finds it by itself."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from support.commands import run_icefire
from support.sixpeople import ROLES, TABLE, people

import icefire
from icefire import testing
from icefire.core import registry

FILES = {
    "methods": '''"""Double numbers."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import method


@method("multiply", needs=("numeric_sa",), draws=False, drops_rows=False, defaults={"columns": "all amounts"})
def multiply(
    data: Dataset, *, rng: np.random.Generator, by: Annotated[float, Bounds(1)] = 2.0, columns: Columns = None
) -> Dataset:
    """Multiply sensitive numbers.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        by: The factor.
        columns: Columns to change. Default: all numeric sensitive attributes.

    Returns:
        The table with larger numbers.
    """
    names = data.schema.pick(columns, data.numeric_sa, "columns")
    return data.with_frame(data.frame.with_columns(pl.col(name) * by for name in names))
''',
    "measures": '''"""Count rows."""

from __future__ import annotations

from icefire.core.registry import measure
from icefire.core.release import Comparison


@measure("rows_gone", code="X1", needs=("original",))
def rows_gone(comparison: Comparison) -> float:
    """How many rows are gone.

    Args:
        comparison: The original, the release and the truth.

    Returns:
        A number of rows.
    """
    return comparison.original.height - comparison.released.height
''',
    "attacks": '''"""Name the first row."""

from __future__ import annotations

import numpy as np

from icefire.core.registry import attack
from icefire.core.release import Case, Guess


@attack("first_row", code="X2", knows="nothing")
def first_row(case: Case, *, rng: np.random.Generator) -> Guess:
    """Name the first row for everybody.

    The attacker knows nothing. Success is naming the right row.

    Args:
        case: The original and the release.
        rng: Unused; part of every attack's signature.

    Returns:
        Row 0 for every target.
    """
    return Guess(np.zeros(case.targets, np.int64))
''',
}
RECIPE = '[[step]]\nmethod = "multiply"\nby = 3\n'


@pytest.fixture(autouse=True)
def added(tmp_path, monkeypatch):
    """Put one file into each folder, as far as Python can tell, and forget them afterwards."""
    registry.load()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    before = set(sys.modules)
    for folder, text in FILES.items():
        place = tmp_path / folder
        place.mkdir()
        (place / "brand_new.py").write_text(text)
        package = importlib.import_module(f"icefire.{folder}")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(place)])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("x.csv").write_text(TABLE)
    Path("r.toml").write_text(RECIPE)
    registry.load.cache_clear()
    yield
    for name in set(sys.modules) - before:
        if name.endswith(".brand_new"):
            del sys.modules[name]


@pytest.mark.parametrize(("sort", "name"), [("method", "multiply"), ("measure", "rows_gone"), ("attack", "first_row")])
def test_it_is_listed_and_keeps_the_contract(sort, name, capsys):
    listed = run_icefire(capsys, "list", f"{sort}s")
    assert (listed.code, name in listed.out) == (0, True)
    testing.check(sort, name)


def test_a_method_is_checked_explained_and_run(capsys):
    checked = run_icefire(capsys, "recipe", "check", "r.toml", "x.csv", *ROLES)
    assert (checked.code, checked.out) == (0, "fine: 1 step, tried on 6 rows\n")
    explained = run_icefire(capsys, "recipe", "explain", "r.toml")
    for words in ("1. multiply", "Multiply sensitive numbers.", "all amounts", "Draws nothing", "No row disappears."):
        assert words in explained.out, words
    released = run_icefire(capsys, "anonymize", "x.csv", "--recipe", "r.toml", "-o", "out", *ROLES)
    assert released.code == 0, released.err
    release = icefire.anonymize(people(), "r.toml")
    assert sorted(release.released.frame["rent"]) == [30, 60, 90, 120, 150, 180]


def test_a_wrong_parameter_of_a_new_method_is_told(capsys):
    Path("r.toml").write_text(RECIPE.replace("3", "0.5"))
    checked = run_icefire(capsys, "recipe", "check", "r.toml")
    assert checked.code == 2
    assert "multiply: parameter 'by' got 0.5; it takes a number, at least 1" in checked.err


def test_a_measure_and_an_attack_are_part_of_an_audit(capsys):
    Path("y.csv").write_text(TABLE)
    audited = run_icefire(capsys, "audit", "x.csv", "y.csv", "--aligned", *ROLES, "--json", "-")
    card = json.loads(audited.out)
    assert card["measures"]["rows_gone"]["value"] == 0
    # Of six rows one is the first.
    assert card["attacks"]["first_row"]["rate"] == pytest.approx(1 / 6)
