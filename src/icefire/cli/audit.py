"""icefire audit: attack and measure a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import OVER_A_LIMIT, err, note, out, progress
from icefire.cli.outputs import check_files, new_file, write_json
from icefire.cli.pipelines import PipelineFiles
from icefire.cli.reading import Reading

if TYPE_CHECKING:
    from icefire.core.scorecard import Scorecard


def audit(
    original: options.Original,
    released: options.Released,
    origin: options.Origin,
    method: options.KnownMethod,
    without_origin: options.Synthetic,
    people_known: options.KnownPeople,
    ask: Annotated[
        list[str] | None,
        typer.Option("--ask", metavar="QUESTION", help="Also ask: membership (who is in the release?)."),
    ] = None,
    members: Annotated[
        int | None,
        typer.Option("--members", min=1, help="Membership: released records asked about (default up to 500)."),
    ] = None,
    outsiders: Annotated[
        int | None,
        typer.Option("--outsiders", min=1, help="Membership: deleted records asked about (default up to 500)."),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", help="Hidden values: a number is right within this share of the quartiles' range."),
    ] = 0.1,
    known: Annotated[
        list[Path] | None,
        typer.Option("--known", metavar="FILE", help="Contest pwscup2017: a part of the original attackers know."),
    ] = None,
    pool: Annotated[
        Path | None,
        typer.Option(
            "--pool",
            metavar="FILE",
            help="Contest pwscup2025: where members are sought.",
            show_default=False,
        ),
    ] = None,
    released_customers: options.ReleasedCustomers = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the report here.")] = None,
    json: options.Json = None,
    records: Annotated[Path | None, typer.Option("--records", help="Write what happened to each row (secret).")] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            metavar="NAME|FILE",
            help="Limits: public, trusted, internal or a TOML file.",
            show_default="public, if the share identified has no limit",
        ),
    ] = None,
    max_reid: Annotated[float | None, typer.Option("--max-reid", help="Largest share any attack may identify.")] = None,
    maximum: Annotated[
        list[str] | None,
        typer.Option("--max", metavar="NAME=V", help="Limit a measure or attack from above."),
    ] = None,
    minimum: Annotated[
        list[str] | None, typer.Option("--min", metavar="NAME=V", help="Limit a measure from below.")
    ] = None,
    attacks: Annotated[str | None, typer.Option("--attacks", help="Only these, comma-separated.")] = None,
    measures: options.Measures = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME.KEY=V", help="Parameter of an attack or measure."),
    ] = None,
    rate_of: Annotated[
        Literal["released", "original"], typer.Option("--rate-of", help="Rates are shares of these rows.")
    ] = "released",
    aya_scale: Annotated[
        Literal["standard", "raw"], typer.Option("--aya-scale", help="Distance by which AYA checks claimed origins.")
    ] = "standard",
    aya_columns: Annotated[
        str | None, typer.Option("--aya-columns", help="Columns AYA looks at, comma-separated.", show_default=False)
    ] = None,
    show_data: Annotated[
        bool, typer.Option("--show-data", help="Show the data of people at risk, not only row numbers.")
    ] = False,
    people: Annotated[int, typer.Option("--people", min=0, help="How many people at risk to list.")] = 20,
    risk_threshold: Annotated[
        float, typer.Option("--risk-threshold", help="Risk models: count rows with a higher chance than this.")
    ] = 0.2,
    population: Annotated[
        int | None,
        typer.Option("--population", help="Risk models: people the original was drawn from.", show_default=False),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="COLUMN", help="Train a model for this column on the release."),
    ] = None,
    period: Annotated[
        str | None,
        typer.Option(
            "--period",
            metavar="LENGTH|COLUMN",
            help="Histories: how long a pseudonym lasts: month, '10 days', or a column.",
            show_default="found out",
        ),
    ] = None,
    keys: options.KeyOption = None,
    engine: Annotated[
        Literal["auto", "local", "partitioned", "spark"],
        typer.Option("--engine", help="Where the tables are held: in this process, on disk, or on a Spark cluster."),
    ] = "auto",
    memory_limit: Annotated[
        str | None,
        typer.Option(
            "--memory-limit", metavar="SIZE", help="Engine partitioned: memory it may use, as 6GB.", show_default=False
        ),
    ] = None,
    scratch: Annotated[
        Path | None,
        typer.Option(
            "--scratch", metavar="FOLDER", help="Engine partitioned: where a stopped run goes on.", show_default=False
        ),
    ] = None,
    seed: options.Seed = DEFAULT_SEED,
    force: options.Force = False,
    *,
    pipeline: PipelineFiles,
    reading: Reading,
) -> None:
    """Attack and measure a release; exit 1 if it is over a limit."""
    from icefire.audit import audit as audit_release
    from icefire.audit.limits import parse
    from icefire.io.tables import write_frame
    from icefire.report.pipelines.checks import checks_of_scorecard

    limits = [parse(text, "max") for text in maximum or []]
    limits += [parse(text, "min") for text in minimum or []]
    check_files(html, records, json, force=force)
    check_files(records, force=force, secret=True)
    pipeline.check(force)
    data, roles = _original(original, origin.key, reading, engine, bool(memory_limit or scratch))
    with progress() as stage:
        audited = audit_release(
            data,
            released,
            truth=origin.truth,
            aligned=origin.aligned,
            key=origin.key,
            attacks=options.names(attacks),
            measures=options.names(measures),
            parameters=options.settings_by_owner(param),
            policy=policy,
            max_reid=max_reid,
            limits=limits,
            aya_scale=aya_scale,
            aya_columns=options.names(aya_columns),
            recipe=method.recipe,
            method_known=method.method_known,
            knowledge=people_known.knows or (),
            register=people_known.register,
            register_truth=people_known.register_truth,
            register_key=people_known.register_key,
            register_of=people_known.register_of,
            rate_of=rate_of,
            seed=seed,
            show_data=show_data,
            people=people,
            risk_threshold=risk_threshold,
            population=population,
            keys=keys or (),
            target=target,
            ask=("origin", *(ask or ())),
            members=members,
            outsiders=outsiders,
            synthetic=without_origin.synthetic,
            holdout=without_origin.holdout,
            background=without_origin.background,
            tolerance=tolerance,
            period=period,
            contest=reading.contest,
            known=known or (),
            pool=pool,
            **roles,
            customers=reading.customers if reading.reads_by_itself else None,
            released_customers=released_customers,
            how=reading.how,
            customers_how=reading.customers_how,
            engine=engine,
            memory_limit=memory_limit,
            scratch=scratch,
            progress=stage,
        )
    if records is not None:
        with new_file(records, force, secret=True) as draft:
            write_frame(audited.records, draft)
    _report(audited.scorecard, html, json, force)
    pipeline.write([checks_of_scorecard(audited.scorecard, str(released))], force)
    if audited.scorecard.verdict.passed is False:
        raise typer.Exit(OVER_A_LIMIT)


def _original(
    original: str, key: str | None, reading: Reading, engine: str, has_limits: bool
) -> tuple[Any, dict[str, Any]]:
    """Return the original, read unless an engine reads it in parts; then also the keywords that give roles."""
    if reading.reads_by_itself:
        return original, {}
    if engine == "auto" and not has_limits and reading.rules is None:
        from icefire.audit.parts.engine_choice import fitting_engine

        engine = fitting_engine(original)
    if engine == "local" or (engine == "auto" and not has_limits):
        return reading.read_and_confirm(original, key), {}
    given = reading.read_options()
    return original, {name: value for name, value in given.items() if value and name not in ("how", "customers_how")}


def _report(card: Scorecard, html: Path | None, json: str | None, force: bool) -> None:
    """Write the report and the JSON, and print the result (the JSON alone if it goes to standard output)."""
    from icefire.report import html as page
    from icefire.report.text import scorecard

    if html is not None:
        page.write_report(card, html, force)
        note(f"report: {html}")
    if json != "-":
        scorecard.show(card, out, brief=err.quiet)
    write_json(card.to_json(), json, force)


COMMANDS = [Command(audit, order=40)]
