"""icefire score: score a guess against the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import OVER_A_LIMIT, as_json, out
from icefire.cli.outputs import check_files, write_json
from icefire.cli.pipelines import PipelineFiles
from icefire.core.errors import ParameterError


def score(
    truth: Annotated[Path, typer.Argument(help="One original row per target, no header.", show_default=False)],
    guess: Annotated[Path, typer.Argument(help="One row of answers per target, no header.", show_default=False)],
    json: options.Json = None,
    of: Annotated[
        int | None, typer.Option("--of", min=1, help="Denominator of the rate.", show_default="the targets")
    ] = None,
    max_reid: Annotated[
        float | None,
        typer.Option(
            "--max-reid", min=0, max=1, help="Largest share of right answers; exit 1 above.", show_default=False
        ),
    ] = None,
    originals: Annotated[
        int | None,
        typer.Option("--originals", min=1, help="Rows to choose from, for the baseline.", show_default="the targets"),
    ] = None,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="The guess holds scores: a number per target, the higher the likelier a member."),
    ] = False,
    force: options.Force = False,
    *,
    pipeline: PipelineFiles,
) -> None:
    """Score a guess against the truth; with --max-reid, exit 1 if too many answers are right."""
    import icefire
    from icefire.report.pipelines.checks import checks_of_score
    from icefire.report.text import score as report

    if scores and max_reid is not None:
        raise ParameterError("--max-reid limits rows that are right, and scores name none; leave one of both out")
    check_files(json, force=force)
    pipeline.check(force)
    scored = icefire.score(truth, guess, originals=originals, of=of, scores=scores)
    if json != "-":
        report.show(scored, out)
    write_json(as_json(scored), json, force)
    checks = checks_of_score(scored, str(guess), max_reid)
    pipeline.write([checks], force)
    if not checks.passed:
        raise typer.Exit(OVER_A_LIMIT)


COMMANDS = [Command(score, order=60)]
