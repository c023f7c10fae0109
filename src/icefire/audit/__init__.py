"""Audit a release: measure it, attack it, judge, and write the verdict.

The way of an audit: `audit` here reads the original and makes an `AuditPlan` (plan); the adapter of the data's kind
(kinds, adapter: tables, histories) opens the release and finds the truth (correspondence); the driver (run) puts the
questions (origin, membership) to the attacks that apply (selection), has the answers judged (judge), computes the
measures and the findings, and writes the scorecard with its verdict (verdict).

This module imports nothing heavy, because the package icefire takes the verb `audit` from it at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from icefire._version import DEFAULT_SEED
from icefire.io.options import ReadOptions, takes_read_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from icefire.audit.contest import AuditedContest
    from icefire.audit.correspondence import ControlFiles
    from icefire.audit.knowledge.attacker_files import KnowledgeSource
    from icefire.audit.knowledge.register import RegisterOf
    from icefire.audit.limits import Gate
    from icefire.audit.plan import AuditPlan, RateOf
    from icefire.audit.run import Audit
    from icefire.core.membership import Draw
    from icefire.core.registry import EngineChoice, EngineName, Question
    from icefire.core.release import Release, Truth, ValueScale
    from icefire.core.types import Progress
    from icefire.io.options import DataSource
    from icefire.recipe.load import RecipeSource


@takes_read_options
def audit(
    original: DataSource,
    released: DataSource | Release[Any],
    *,
    truth: str | Path | ArrayLike | Truth | Mapping[str, str | None] | None = None,
    aligned: bool = False,
    key: str | None = None,
    attacks: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    policy: str | Path | None = None,
    max_reid: float | None = None,
    limits: Mapping[str, float] | Sequence[Gate] = (),
    recipe: RecipeSource | None = None,
    method_known: bool = False,
    knowledge: KnowledgeSource | Sequence[KnowledgeSource] = (),
    register: DataSource | None = None,
    register_truth: str | Path | ArrayLike | None = None,
    register_key: str | None = None,
    register_of: RegisterOf = "original",
    rate_of: RateOf = "released",
    aya_scale: ValueScale = "standard",
    aya_columns: Sequence[str] | None = None,
    seed: int = DEFAULT_SEED,
    show_data: bool = False,
    people: int = 20,
    risk_threshold: float = 0.2,
    population: int | None = None,
    keys: str | Sequence[str | Sequence[str]] = (),
    target: str | None = None,
    ask: Sequence[Question] = ("origin",),
    members: int | None = None,
    outsiders: int | None = None,
    synthetic: bool = False,
    holdout: DataSource | None = None,
    background: DataSource | None = None,
    tolerance: float = 0.1,
    period: str | None = None,
    contest: str | None = None,
    known: Sequence[str | Path] = (),
    pool: str | Path | None = None,
    released_customers: DataSource | None = None,
    engine: EngineChoice = "auto",
    memory_limit: str | int | None = None,
    scratch: str | Path | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadOptions],
) -> Audit:
    """Attack and measure a release, as somebody who holds the original.

    Released rows correspond to original ones by `truth`, because both files are in the same order (`aligned`), or by
    a `key` column in both; a release folder and a `Release` bring their own truth.

    Args:
        original: The original data.
        released: The released data: a file, a release folder, a table, or a `Release`.
        truth: For each released row the original row it comes from: a file or integers. Or the name of each person
            in the original and in the release: a file or table of two columns, or a dictionary.
        aligned: Both files are in the same order.
        key: Column that names the person in both files.
        attacks: Names or codes of the attacks to run. Default: all that apply.
        measures: Names or codes of the measures to compute. Default: all that apply.
        parameters: Parameters by the name of the attack or measure.
        policy: Policy whose limits apply: "public", "trusted", "internal" or a TOML file. Default: "public" where no
            limit on the share identified is given.
        max_reid: Largest share of people that any attack may identify.
        limits: Limits on measures and attacks: the largest value by name, or `Gate`s.
        recipe: The recipe of the release, for the attacker who knows it: a TOML file, a name of the gallery, or its
            content. Default: the one that a release folder or a `Release` names.
        method_known: The attacker knows the method even where no recipe is named: likely recipes are tried. If none
            explains the release, it does not pass.
        knowledge: What attackers know: profiles ("neighbour", "journalist", "insider", "maximum", or "all" of them),
            columns ("age~2,sex,postcode!0.1,income/1000;share=0.5"), TOML files, or `Knowledge`. They decide instead of
            the attacker who knows everything. Default: everything.
        register: A table of people that one more attacker holds; of a synthetic release he asks who of them was in the
            data.
        register_truth: For each row of the register the row it is, -1 for a stranger: a file or integers.
        register_key: Column that names the person in the register and in the original.
        register_of: Whether `register_truth` holds rows of the original or of the release.
        rate_of: Whether rates are shares of the released or of the original rows.
        aya_scale: Distance by which AYA checks claimed origins.
        aya_columns: Columns that AYA compares. Default: the numeric sensitive attributes.
        seed: Seed of every random step.
        show_data: Show the values of people at risk, not only row numbers.
        people: How many people at risk to list.
        risk_threshold: Risk models count rows with a higher chance than this.
        population: Number of people the original was drawn from, if it is a sample itself.
        keys: Combinations of columns whose classes are counted besides: "age,sex;age,postcode", or lists of columns.
        target: Column for which a model is trained on the release and tested on the original (measures `task_score`
            and `task_loss`). Default: no model is trained.
        ask: The questions: "origin" is always asked; "membership" also asks who is in the release.
        members: Membership: how many released records are asked about. Default: as many as deleted ones, at most 500;
            in a contest 50.
        outsiders: Membership: how many deleted records are asked about. Default: as for `members`.
        synthetic: The rows of the release come from nobody in particular: it may have any number of rows, and instead
            of origins it is asked whether people are copied and can be recognised as members.
        holdout: People of the same population who are not in the data, with the same columns: what is guessed right
            about them is no disclosure. Default: each person's own row is left out instead; synthetic releases are
            then judged by copies.
        background: Synthetic releases: further people of the same population, whom the attacker knows. Default: those
            of the hold-out who are not asked about at the time.
        tolerance: Hidden values: a number is guessed right within this share of the interquartile range.
        period: Histories with changing pseudonyms: how long one lasts ("month", "10 days", or a column of the release).
            Default: found out from the dates and the truth.
        contest: Read and judge as this contest does.
        known: Contest pwscup2017: parts of the original that attackers know, as files. Default: drawn with the seed.
        pool: Contest pwscup2025: the people among whom members are sought, as a file.
        released_customers: Histories: customer table of the release.
        engine: "local" holds both tables in this process, "partitioned" in buckets on disk, "spark" on a cluster;
            "auto" takes "partitioned" for Parquet and Arrow files that would not fit. An audit in parts never passes;
            see docs/engines.md.
        memory_limit: How much memory the engine partitioned may use, for example "6GB". Default: four fifths of what
            is free.
        scratch: Folder for the buckets of the engine partitioned; it is kept, and a run that was stopped goes on there.
            Default: a temporary folder.
        progress: Called with the name of each stage.

    Returns:
        The scorecard with its verdict, and the secret records of what happened to each row.

    Raises:
        InputError: If a file cannot be read, or the correspondence does not fit.
        SchemaError: If a column that is needed does not exist.
        ParameterError: If a name, a parameter or a combination of keywords is not allowed.
    """
    from icefire import risk
    from icefire.audit import selection
    from icefire.audit.attributes.targets import AttributeOptions
    from icefire.audit.contest import get_contest
    from icefire.audit.correspondence import ControlFiles, TruthSource
    from icefire.audit.knowledge.attacker_files import listed_sources
    from icefire.audit.knowledge.register import register_source
    from icefire.audit.limits import gates, parameters_by_name
    from icefire.audit.plan import AuditPlan
    from icefire.audit.policy import policy_for
    from icefire.audit.task import with_target
    from icefire.core.errors import ParameterError
    from icefire.core.types import no_progress

    rules = None if contest is None else get_contest(contest)
    if rules is not None and rules.own_audit is not None:
        refused = {
            "--truth and --key": truth is not None or key is not None,
            "--policy, --max-reid, --max and --min": policy is not None or max_reid is not None or bool(limits),
            "--attacks and --measures": attacks is not None or measures is not None,
            "--ask": tuple(ask) != ("origin",) and bool(ask),
            "--synthetic, --holdout and --background": synthetic or holdout is not None or background is not None,
            "--knows and --register": bool(knowledge) or register is not None,
            "--recipe and --method-known": recipe is not None or method_known,
            "--target": target is not None,
        }
        given_files = (original, released, reading.get("customers"), known, pool)
        return _audit_contest(rules, given_files, seed, parameters, refused, progress or no_progress)
    if known or pool is not None:
        raise ParameterError(
            "--known goes with --contest pwscup2017 and --pool with --contest pwscup2025; leave it out"
        )
    if not synthetic:
        selection.check_asked(ask, attacks or ())
    if not 0 <= tolerance <= 10:
        raise ParameterError(f"tolerance is {tolerance}; it is a share of the interquartile range, for example 0.1")
    given = gates(max_reid, limits)
    combinations = risk.parse_keys(keys) if keys else ()
    plan = AuditPlan(
        seed=seed,
        attacks=attacks,
        measures=measures,
        parameters=parameters_by_name(parameters),
        limits=given,
        policy=policy_for(policy, given, synthetic),
        recipe=recipe,
        method_known=method_known,
        knowledge=listed_sources(knowledge),
        register=register_source(register, register_truth, register_key, register_of, reading.get("how")),
        rate_of=rate_of,
        aya_scale=aya_scale,
        aya_columns=tuple(aya_columns) if aya_columns else None,
        show_data=show_data,
        people=people,
        risks=risk.Options(risk_threshold, population, listed=min(people, 10), keys=combinations),
        attributes=AttributeOptions(tolerance) if rules is None else None,
        period=period,
    )
    if rules is not None:
        plan = plan.with_contest(rules, ("origin", *ask))
    if target is not None:
        plan = with_target(plan, target)
    plan.check()
    source = TruthSource(truth, aligned, key)
    controls = ControlFiles(holdout, background)
    controls.check(synthetic, source, method_known, contest)
    draw = _draw(members, outsiders, rules is not None) if "membership" in ask else None
    options = {name: value for name, value in reading.items() if value is not None}
    if rules is not None:
        options = {**rules.reading, **options}
    files = (released, options.get("how"), released_customers, options.get("customers_how"))
    chosen = _engine(engine, original, memory_limit, scratch, synthetic or rules is not None)
    if chosen != "local":
        refused = {
            "--contest": rules is not None,
            "--synthetic, --holdout and --background": synthetic or holdout is not None or background is not None,
            "--knows and --register": bool(knowledge) or register is not None,
            "--recipe and --method-known": recipe is not None or method_known,
            "--ask": draw is not None,
            "--target": target is not None,
            "--keys": bool(keys),
            "--show-data": show_data,
            "--period": period is not None,
            "--weight and --household": bool(options.get("weight") or options.get("household")),
        }
        return _audit_in_parts(
            (original, files), plan, source, options, (chosen, memory_limit, scratch), refused, progress or no_progress
        )
    if synthetic:
        return _audit_synthetic(original, files, plan, controls, options, progress or no_progress)
    result = _audit(original, files, plan, source, draw, options, holdout, progress or no_progress)
    return result if rules is None else _with_standing(result, rules)


def _audit(
    original: Any,
    release_files: tuple[Any, ...],
    plan: AuditPlan,
    source: Any,
    draw: Draw | None,
    options: Mapping[str, Any],
    holdout: Any,
    progress: Progress,
) -> Audit:
    """Read, open, match, and hand over to the driver."""
    from dataclasses import replace

    from icefire.audit.adapter import ReleaseFiles
    from icefire.audit.kinds import adapter_of
    from icefire.audit.run import audit_release
    from icefire.audit.task import check_target
    from icefire.io.given_roles import read_for_use

    progress("reading")
    data = read_for_use(original, key=source.key, **options)
    if plan.parameters:
        check_target(plan, data)
    adapter = adapter_of(data)
    if plan.period is not None:
        adapter.check_period()
    if draw is not None:
        adapter.check_membership()
    if holdout is not None:
        plan = replace(plan, holdout=adapter.read_holdout(holdout, data, options.get("how")))
    release = adapter.load(ReleaseFiles(*release_files), data)
    truth = adapter.truth(data, release, source)
    return audit_release(release, truth, plan, adapter.describe_match(release, source), draw, progress)


def _engine(
    engine: EngineChoice, original: Any, memory_limit: str | int | None, scratch: Any, only_local: bool
) -> EngineName:
    """Return the engine named, or the one that fits the size of the original."""
    from icefire.core.errors import ParameterError
    from icefire.core.registry import ENGINES

    if engine not in ("auto", *ENGINES):
        raise ParameterError(f"--engine: {engine!r} is no engine; choose from: auto, {', '.join(ENGINES)}")
    if engine in ("local", "spark") and (memory_limit is not None or scratch is not None):
        raise ParameterError("--memory-limit and --scratch are for the engine partitioned; leave them out")
    if engine != "auto":
        return engine
    if memory_limit is not None or scratch is not None:
        return "partitioned"
    if only_local:
        return "local"
    from icefire.audit.parts.engine_choice import fitting_engine

    return fitting_engine(original)


def _audit_in_parts(
    sources: tuple[Any, tuple[Any, ...]],
    plan: AuditPlan,
    source: Any,
    options: Mapping[str, Any],
    engine: tuple[EngineName, str | int | None, Any],
    refused: Mapping[str, bool],
    progress: Progress,
) -> Audit:
    """Hand over to the driver of tables in parts."""
    from icefire.audit.parts.engine_choice import audit_by_engine, check_options

    check_options(engine[0], refused)
    return audit_by_engine(sources, plan, source, options, engine, progress)


def _audit_contest(
    rules: AuditedContest,
    given: tuple[Any, Any, Any, Sequence[Any], Any],
    seed: int,
    parameters: Mapping[str, Mapping[str, Any]] | None,
    refused: Mapping[str, bool],
    progress: Progress,
) -> Audit:
    """Hand the files over to a contest that has formulas of its own."""
    from icefire.audit.contest import ContestFiles
    from icefire.audit.contest_audit import audit_contest, check_options, checked_path

    check_options(rules.name, refused)
    original, released, customers, known, pool = given
    paths = ContestFiles(
        original=checked_path(original, "original"),
        released=checked_path(released, "release"),
        customers=None if customers is None else checked_path(customers, "table of customers"),
        known=[checked_path(one, "known part") for one in known],
        pool=None if pool is None else checked_path(pool, "pool"),
        seed=seed,
        parameters=parameters or {},
    )
    progress("measuring and attacking")
    return audit_contest(rules, paths)


def _audit_synthetic(
    original: Any,
    release_files: tuple[Any, ...],
    plan: AuditPlan,
    controls: ControlFiles,
    options: Mapping[str, Any],
    progress: Progress,
) -> Audit:
    """Read the original, and hand over to the driver of synthetic audits."""
    from icefire.audit.adapter import ReleaseFiles
    from icefire.audit.synthetic.run import audit_synthetic
    from icefire.io.given_roles import read_for_use

    progress("reading")
    return audit_synthetic(read_for_use(original, **options), ReleaseFiles(*release_files), controls, plan, progress)


def _draw(members: int | None, outsiders: int | None, in_contest: bool) -> Draw:
    """Return how many records are asked about: as the user says, or as many as the contest asks."""
    from icefire.core.membership import Draw

    if not in_contest:
        return Draw(members, outsiders)
    usual = Draw()
    return Draw(usual.members if members is None else members, usual.outsiders if outsiders is None else outsiders)


def _with_standing(result: Audit, contest: AuditedContest) -> Audit:
    """Add the contest's own figures to the scorecard."""
    from dataclasses import replace

    import msgspec

    from icefire.core.scorecard import Standing

    standing = Standing(contest.name, contest.title, contest.standing(result.scorecard))
    return replace(result, scorecard=msgspec.structs.replace(result.scorecard, contest=standing))
