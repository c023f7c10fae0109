"""icefire compare: several releases of one original side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import note, out, progress
from icefire.cli.outputs import check_files, write_json
from icefire.cli.reading import Reading


def compare(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="ORIGINAL RELEASE... | AUDIT.json...",
            help="The original and its releases (files, folders or audits), or only audits (written by audit --json).",
            show_default=False,
        ),
    ],
    origin: options.Origin,
    without_origin: options.Synthetic,
    policy: Annotated[
        str | None,
        typer.Option("--policy", metavar="NAME|FILE", help="Limits: public, trusted, internal or a TOML file."),
    ] = None,
    max_reid: Annotated[float | None, typer.Option("--max-reid", help="Largest share any attack may identify.")] = None,
    attacks: Annotated[str | None, typer.Option("--attacks", help="Only these, comma-separated.")] = None,
    measures: options.Measures = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the comparison as a page here.")] = None,
    json: options.Json = None,
    seed: options.Seed = DEFAULT_SEED,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Set several releases of one original side by side: verdict, attacks, what was lost."""
    from icefire.audit.compare import compare as compare_releases
    from icefire.audit.compare import different_names, is_audit
    from icefire.report.html.compare import write_compared
    from icefire.report.text.compare import show

    check_files(html, json, force=force)
    only_audits = is_audit(sources[0])
    releases = sources if only_audits else sources[1:]
    first: Any = None if only_audits else reading.read_and_confirm(sources[0], origin.key)
    with progress() as stage:
        compared = compare_releases(
            first,
            releases,
            names=different_names(releases),
            progress=stage,
            truth=origin.truth,
            aligned=origin.aligned,
            key=origin.key,
            synthetic=without_origin.synthetic,
            holdout=without_origin.holdout,
            background=without_origin.background,
            policy=policy,
            max_reid=max_reid,
            attacks=options.names(attacks),
            measures=options.names(measures),
            seed=seed,
            how=reading.how,
            customers_how=reading.customers_how,
        )
    if html is not None:
        write_compared(compared, html, force)
        note(f"report: {html}")
    if json != "-":
        show(compared, out)
    write_json(compared.to_json(), json, force)


COMMANDS = [Command(compare, order=47)]
