"""icefire arena doctor, export, import, audit verify: examine, pack and unpack a competition, check its log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from icefire.cli import options
from icefire.cli.arena.opening import open_folder
from icefire.cli.arena.options import DatabaseUrl, Folder
from icefire.cli.arena.restoring import unpack
from icefire.cli.commands import Command, CommandGroup
from icefire.cli.console import OVER_A_LIMIT, WRONG_USE, note, out, progress
from icefire.cli.outputs import check_files

NOT_TOLD = (
    "whoever has the server can also drop the last lines, or write all of them anew; only what was kept elsewhere "
    "tells that: give a receipt, a head or a bundle with --against"
)


def doctor(
    folder: Folder,
    fix: Annotated[bool, typer.Option("--fix", help="Cure what can be cured.")] = False,
    database: DatabaseUrl = None,
) -> None:
    """Examine a competition: tables, log, files, queue, quotas; exit 1 if something is wrong."""
    from icefire.arena import doctor as doctors

    arena = open_folder(folder, database)
    with progress() as stage:
        stage("examining")
        findings = doctors.examine(arena, fix=fix)
    for finding in findings:
        cure = f"; {finding.cure}" if finding.cure else ""
        out.print(f"{finding.level}: {finding.text}{cure}", markup=False, soft_wrap=True)
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(OVER_A_LIMIT)
    if not findings:
        out.print("fine: nothing is wrong", markup=False)


def verify_log(
    folder: Folder,
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", help="A receipt, a head of the log or a bundle that was kept.", show_default=False),
    ] = None,
    database: DatabaseUrl = None,
) -> None:
    """Check the log line by line, and arrivals, scores and phases against it; exit 2 if something was changed."""
    from icefire.arena import verify
    from icefire.arena.storage import log

    arena = open_folder(folder, database)
    with arena.database.reading() as session:
        problems = verify.problems(arena, session, against or ())
        last = log.newest(session)
    for problem in problems:
        print(f"icefire: error: {problem}", file=sys.stderr)
    if problems:
        raise typer.Exit(WRONG_USE)
    if last is None:
        out.print("fine: nothing was written yet", markup=False)
    else:
        lines = "1 line" if last.number == 1 else f"{last.number:,} lines"
        out.print(f"fine: {lines} in one chain; the last hash is {last.hash}", markup=False, soft_wrap=True)
        if not against:
            note(NOT_TOLD)


def export(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The bundle to write: a zip file.", show_default=False)
    ],
    public: Annotated[
        bool, typer.Option("--public", help="Without secrets: no truth, guesses, accounts or key.")
    ] = False,
    force: options.Force = False,
    database: DatabaseUrl = None,
) -> None:
    """Write a whole competition to one file; without --public it is as secret as the judge's vault."""
    from icefire.arena import bundle

    check_files(output, force=force)
    arena = open_folder(folder, database)
    with progress() as stage:
        stage("packing")
        bundle.export(arena, None, output, public=public, force=force)
    out.print(str(output), markup=False, soft_wrap=True)
    if not public:
        note("this bundle holds every secret of the competition; hand out one made with --public")


def import_(
    source: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A bundle of export.", show_default=False)],
    folder: Folder,
    database: DatabaseUrl = None,
) -> None:
    """Unpack a bundle to a new folder, ready to serve, with the same rankings."""
    unpack(source, "bundle", folder, database)


COMMANDS = [
    Command(doctor, order=60),
    Command(export, order=70),
    Command(import_, order=150, name="import"),
    CommandGroup("audit", "The log of a competition.", [Command(verify_log, name="verify")], order=160),
]
