"""icefire check: check the files of a contest before they are handed in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import OVER_A_LIMIT, WRONG_USE, as_json, out, progress
from icefire.cli.outputs import check_files, write_json

if TYPE_CHECKING:
    from icefire.contests.common.problem import CheckResult


def check(
    contest: Annotated[
        str,
        typer.Argument(
            help="Which contest; see: icefire list contests. Or the contest.toml of a competition.", show_default=False
        ),
    ],
    files: Annotated[list[Path], typer.Argument(help="The files it takes, in its order.", show_default=False)],
    json: options.Json = None,
    force: options.Force = False,
) -> None:
    """Check the files of a contest: every problem with its row (from 0) and column; exit 2 if there is one."""
    from icefire import contests

    rules = contests.get_or_read(contest)
    check_files(json, force=force)
    with progress() as stage:
        stage("checking")
        result = rules.check(files)
    write_json(_json(contest, result), json, force)
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
        state = "fine" if limit.passed else "over the limit"
        value = "no value" if limit.value is None else f"{limit.value:.6g}"
        out.print(f"{limit.name}: {value}, at most {limit.limit:g}: {state}", markup=False, highlight=False)
    for remark in result.remarks:
        out.print(remark, markup=False, highlight=False)
    out.print("fine: the files follow the rules" if result.within_limits else "over a limit", markup=False)


def _json(contest: str, result: CheckResult) -> str:
    return as_json(
        {
            "contest": contest,
            "fine": not result.problems and result.within_limits,
            "problems": [{"file": p.file, "row": p.row, "column": p.column, "text": p.text} for p in result.problems],
            "limits": result.limits,
            "remarks": list(result.remarks),
        }
    )


COMMANDS = [Command(check, order=80)]
