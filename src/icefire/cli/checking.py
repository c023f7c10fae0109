"""The files of a contest, checked before they are handed in."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import typer

from icefire import contests
from icefire.cli.console import OVER_A_LIMIT, WRONG_USE, out, progress, write_json
from icefire.contests.common.problem import CheckResult


def run(name: str, paths: list[Path], json: str | None) -> None:
    """Check, and print every problem or that there is none; over a limit is exit 1, a wrong file exit 2."""
    contest = contests.get(name)
    with progress() as stage:
        stage("checking")
        result = contest.check(paths)
    write_json(_as_json(name, result), json)
    for problem in result.problems:
        print(f"icefire: error: {problem}", file=sys.stderr)
    if result.problems:
        raise typer.Exit(WRONG_USE)
    if json != "-":
        _show(result)
    if not result.within_limits:
        raise typer.Exit(OVER_A_LIMIT)


def _show(result: CheckResult) -> None:
    for limit in result.limits:
        said = "fine" if limit.passed else "over the limit"
        value = "no value" if limit.value is None else f"{limit.value:.6g}"
        out.print(f"{limit.name}: {value}, at most {limit.limit:g}: {said}", markup=False, highlight=False)
    for remark in result.remarks:
        out.print(remark, markup=False, highlight=False)
    out.print("fine: the files follow the rules" if result.within_limits else "over a limit", markup=False)


def _as_json(name: str, result: CheckResult) -> str:
    content = {
        "contest": name,
        "fine": not result.problems and result.within_limits,
        "problems": [{"file": p.file, "row": p.row, "column": p.column, "text": p.text} for p in result.problems],
        "limits": [msgspec.to_builtins(limit) for limit in result.limits],
        "remarks": list(result.remarks),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"
