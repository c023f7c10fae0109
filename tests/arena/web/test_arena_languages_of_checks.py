"""What the checks of contests find in files is told in Japanese too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from icefire import contests
from icefire.arena.web import sentences
from icefire.contests.common.column_rules import ColumnRule
from icefire.core.history import dates

ENGLISH = re.compile(r"[a-z]{2,} [a-z]{2,}")
"""Two words in a row: names of files, columns and programs are one."""


def written(node: ast.expr) -> str:
    """A sentence of the code; what is filled in is 7."""
    if isinstance(node, ast.JoinedStr):
        return "".join(one.value if isinstance(one, ast.Constant) else "7" for one in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def sentences_of(path: Path) -> Iterator[str]:
    """What a module says of files: the problems themselves, and what it says is allowed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem" and len(node.args) > 1:
            yield written(node.args[1])
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("wrong", "numbers") and node.args:
            yield f"'x' is not allowed; {written(node.args[-1]) or 'a number'}"
        if isinstance(node, ast.Tuple) and len(node.elts) == 3 and isinstance(node.elts[1], ast.Name):
            yield f"'x' is not allowed; {written(node.elts[2]) or 'a number'}"
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "text":
            yield written(node.value)


def complete(said: str) -> bool:
    """Leave out the pieces of sentences that are put together of several."""
    pieces = ("7 like these", "77 rows of 7 must be kept", "7; 7 are needed", RECIPE)
    return bool(said) and not said.endswith((" of the ", "7")) and said not in pieces


RECIPE = "step 7: 7: 7 names a file, and the judge reads none"
MODULES = sorted(Path(contests.__file__).parent.rglob("*.py"))
SAID = sorted({one for path in MODULES for one in sentences_of(path) if complete(one)})


def test_there_are_many() -> None:
    assert len(SAID) > 40


@pytest.mark.parametrize("said", SAID)
def test_a_problem_with_a_file_is_told_in_japanese(said: str) -> None:
    shown = sentences.translate(f"released.csv: row 7, column age: {said}", "ja")
    assert not ENGLISH.search(shown), shown
    assert shown.startswith("released.csv："), "the name of a file was translated"


@pytest.mark.parametrize(
    "said",
    [
        "1 row kept; at least 2 of the 4 rows of T.csv must be kept",
        "3 more cells like these",
        "1 more cell like these",
        "3 columns; 4 are needed",
        f"{RECIPE}; hand the release in without a recipe",
        "it has a seed, which is as secret as the correspondence; take that line out",
        "12 steps; at most 10 are taken",
        f"'x' is not allowed; {dates.ALLOWED}",
        f"'x' is not allowed; {dates.ALLOWED_TIMES}",
        "4 rows, and 3 in deleted.csv; together they must be the 8 of X.csv",
        *(f"'x' is not allowed; {ColumnRule(None, 0, 9, decimals)._allowed()}" for decimals in (None, 0, 2)),
    ],
)
def test_a_problem_put_together_is_told_in_japanese(said: str) -> None:
    shown = sentences.translate(f"released.csv: {said}", "ja")
    assert not ENGLISH.search(shown), shown
    assert shown.startswith("released.csv："), "the name of a file was translated"
