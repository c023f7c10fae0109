"""The files of a contest, checked before they are handed in."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import typer

from icefire import contests
from icefire.cli.console import OVER_A_LIMIT, WRONG_USE, out, progress, write_json
from icefire.contests import Checked


def run(name: str, paths: list[Path], json: str | None) -> None:
    """Check, and print every problem or that there is none; over a limit is exit 1, a wrong file exit 2."""
    rules = contests.get(name)
    with progress() as stage:
        stage("checking")
        found = rules.checked(paths)
    write_json(_as_json(name, found), json)
    for problem in found.problems:
        print(f"icefire: error: {problem}", file=sys.stderr)
    if found.problems:
        raise typer.Exit(WRONG_USE)
    if json != "-":
        _show(found)
    if not found.within:
        raise typer.Exit(OVER_A_LIMIT)


def _show(found: Checked) -> None:
    for limit in found.limits:
        said = "fine" if limit.passed else "over the limit"
        value = "no value" if limit.value is None else f"{limit.value:.6g}"
        out.print(f"{limit.name}: {value}, at most {limit.limit:g}: {said}", markup=False, highlight=False)
    for remark in found.remarks:
        out.print(remark, markup=False, highlight=False)
    out.print("fine: the files follow the rules" if found.within else "over a limit", markup=False)


def _as_json(name: str, found: Checked) -> str:
    content = {
        "contest": name,
        "fine": not found.problems and found.within,
        "problems": [{"file": p.file, "row": p.row, "column": p.column, "text": p.text} for p in found.problems],
        "limits": [msgspec.to_builtins(limit) for limit in found.limits],
        "remarks": list(found.remarks),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"
