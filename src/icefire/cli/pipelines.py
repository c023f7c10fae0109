"""Options that write results for pipelines; commands that judge take them by `pipeline: PipelineFiles`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli.console import note
from icefire.cli.outputs import check_files, new_file

if TYPE_CHECKING:
    from icefire.report.pipelines.checks import Checks

JOB_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Variable with the file that GitHub Actions shows as the summary of a job."""


@dataclass(frozen=True, slots=True)
class PipelineFiles:
    """Where results are written for the tools of a pipeline."""

    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the checks as JUnit XML.", show_default=False)
    ] = None
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Write broken checks as SARIF.", show_default=False)
    ] = None
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            metavar="FILE",
            help=f"Write the checks as Markdown. Default: added to the file that ${JOB_SUMMARY} names, if it is set.",
            show_default=False,
        ),
    ] = None

    def check(self, force: bool) -> None:
        """Refuse files that must not be written, before any work is done."""
        check_files(self.junit, self.sarif, self.summary, force=force)

    def write(self, several: Sequence[Checks], force: bool) -> None:
        """Write what was asked for, and the summary of the job where there is one."""
        from icefire.report.pipelines.junit import as_junit
        from icefire.report.pipelines.markdown import as_markdown
        from icefire.report.pipelines.sarif import as_sarif

        for place, write in ((self.junit, as_junit), (self.sarif, as_sarif), (self.summary, as_markdown)):
            if place is not None:
                _write(place, write(several), force)
        job = os.environ.get(JOB_SUMMARY)
        if job and self.summary is None:
            with Path(job).open("a", encoding="utf-8", errors="replace") as file:
                file.write(as_markdown(several))


def _write(place: Path, text: str, force: bool) -> None:
    with new_file(place, force) as draft:
        draft.write_text(text, encoding="utf-8", errors="replace")
    note(f"written: {place}")
