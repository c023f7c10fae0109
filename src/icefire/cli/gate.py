"""icefire gate: audit the releases that a file lists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import OVER_A_LIMIT, note, out, progress
from icefire.cli.pipelines import PipelineFiles

if TYPE_CHECKING:
    from icefire.audit.release_list import ListedRelease
    from icefire.report.pipelines.checks import Checks


def gate(
    changed: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files that changed: only releases they belong to are audited.", show_default="all releases"
        ),
    ] = None,
    config: Annotated[Path, typer.Option("--config", "-c", help="TOML file that lists the releases.")] = Path(
        "icefire.toml"
    ),
    html: Annotated[
        Path | None, typer.Option("--html-folder", help="Write a report of each release here.", show_default=False)
    ] = None,
    force: options.Force = False,
    *,
    pipeline: PipelineFiles,
) -> None:
    """Audit the releases listed in a file; exit 1 if one does not pass."""
    from icefire.audit import release_list

    pipeline.check(force)
    listed = release_list.load(config)
    is_all = not changed or any(path.resolve() == config.resolve() for path in changed)
    chosen = listed if is_all else [one for one in listed if one.depends_on(changed or ())]
    if not chosen:
        note(f"none of these files belongs to a release that {config} lists; nothing to audit")
        return
    several = [_audit(one, number, html, force) for number, one in enumerate(chosen, 1)]
    pipeline.write(several, force)
    for one in several:
        out.print(f"{'passed' if one.passed else 'does not pass'}: {one.place}: {one.headline}", markup=False)
        for check in one.broken:
            out.print(f"  • {check.text}", markup=False)
    if not all(one.passed for one in several):
        raise typer.Exit(OVER_A_LIMIT)


def _audit(listed: ListedRelease, number: int, folder: Path | None, force: bool) -> Checks:
    from icefire.audit import audit
    from icefire.report import html as page
    from icefire.report.pipelines.checks import checks_of_scorecard

    with progress() as stage:
        card = audit(listed.original, listed.released, **listed.options, progress=stage).scorecard
    if listed.html is not None:
        page.write_report(card, listed.html, force=True)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        page.write_report(card, folder / f"{number}-{Path(listed.released).stem}.html", force)
    return checks_of_scorecard(card, listed.released)


COMMANDS = [Command(gate, order=45)]
