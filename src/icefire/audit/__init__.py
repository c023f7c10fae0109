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

    from icefire.audit.attacker_files import KnowledgeSource
    from icefire.audit.contest import AuditedContest
    from icefire.audit.correspondence import ControlFiles
    from icefire.audit.limits import Gate
    from icefire.audit.plan import AuditPlan, RateOf
    from icefire.audit.policy import Policy
    from icefire.audit.register import RegisterOf, RegisterSource
    from icefire.audit.run import Audit
    from icefire.core.membership import Draw
    from icefire.core.registry import Question
    from icefire.core.release import Release, Truth, ValueScale
    from icefire.core.types import Progress
    from icefire.io.options import DataSource
    from icefire.recipe.load import RecipeSource


@takes_read_options
def audit(
    original: DataSource,
    released: DataSource | Release[Any],
    *,
    truth: str | Path | ArrayLike | Truth | None = None,
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
    contest: str | None = None,
    released_customers: DataSource | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadOptions],
) -> Audit:
    """Attack and measure a release, as somebody who holds the original.

    Released rows correspond to original ones by `truth`, because both files are in the same order (`aligned`), or by
    a `key` column in both; a release folder and a `Release` bring their own truth.

    Args:
        original: The original data.
        released: The released data: a file, a release folder, a table, or a `Release`.
        truth: For each released row the original row it comes from: a file or integers.
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
        register: A table of people that one more attacker holds.
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
        contest: Read and judge as this contest does.
        released_customers: Histories: customer table of the release.
        progress: Called with the name of each stage.

    Returns:
        The scorecard with its verdict, and the secret records of what happened to each row.

    Raises:
        InputError: If a file cannot be read, or the correspondence does not fit.
        SchemaError: If a column that is needed does not exist.
        ParameterError: If a name, a parameter or a combination of keywords is not allowed.
    """
    from icefire import risk
    from icefire.audit.attributes.targets import AttributeOptions
    from icefire.audit.contest import get_contest
    from icefire.audit.correspondence import ControlFiles, TruthSource
    from icefire.audit.limits import gates, parameters_by_name
    from icefire.audit.plan import AuditPlan
    from icefire.audit.task import with_target
    from icefire.core.errors import ParameterError
    from icefire.core.types import no_progress

    rules = None if contest is None else get_contest(contest)
    if not synthetic:
        _check_questions(ask, attacks)
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
        policy=_policy(policy, given, synthetic),
        recipe=recipe,
        method_known=method_known,
        knowledge=_sources(knowledge),
        register=_register(register, register_truth, register_key, register_of, reading.get("how")),
        rate_of=rate_of,
        aya_scale=aya_scale,
        aya_columns=tuple(aya_columns) if aya_columns else None,
        show_data=show_data,
        people=people,
        risks=risk.Options(risk_threshold, population, listed=min(people, 10), keys=combinations),
        attributes=AttributeOptions(tolerance) if rules is None else None,
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
    if synthetic:
        _check_no_register(plan)
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
    from icefire.io.read import read

    progress("reading")
    data = read(original, key=source.key, **options)
    if plan.parameters:
        check_target(plan, data)
    adapter = adapter_of(data)
    if draw is not None:
        adapter.check_membership()
    if holdout is not None:
        plan = replace(plan, holdout=adapter.read_holdout(holdout, data, options.get("how")))
    release = adapter.load(ReleaseFiles(*release_files), data)
    truth = adapter.truth(data, release, source)
    return audit_release(release, truth, plan, adapter.describe_match(release, source), draw, progress)


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
    from icefire.io.read import read

    progress("reading")
    return audit_synthetic(read(original, **options), ReleaseFiles(*release_files), controls, plan, progress)


def _sources(knowledge: KnowledgeSource | Sequence[KnowledgeSource]) -> tuple[KnowledgeSource, ...]:
    """Return one source or several as several."""
    from collections.abc import Sequence

    several = isinstance(knowledge, Sequence) and not isinstance(knowledge, str)
    return tuple(knowledge) if several else (knowledge,)  # type: ignore[return-value, arg-type]


def _register(table: Any, truth: Any, key: str | None, rows_of: RegisterOf, how: Any) -> RegisterSource | None:
    """Return the register named, checked; None without one."""
    from icefire.audit.register import RegisterSource
    from icefire.core.errors import ParameterError, did_you_mean

    if rows_of not in ("original", "released"):
        raise ParameterError(f"register_of is {rows_of!r}; {did_you_mean(str(rows_of), ('original', 'released'))}")
    if table is None:
        if truth is not None or key is not None:
            raise ParameterError("--register-truth and --register-key say who is who in --register FILE; name the file")
        return None
    source = RegisterSource(table, truth, key, rows_of, how)
    source.check()
    return source


def _check_no_register(plan: AuditPlan) -> None:
    """Refuse a register where rows come from nobody in particular."""
    from icefire.core.errors import ParameterError

    if plan.register:
        raise ParameterError(
            "--register is for releases whose rows come from people; with --synthetic say what is known with --knows, "
            "and give people who are not in the data with --holdout"
        )


def _policy(named: str | Path | None, limits: Sequence[Gate], synthetic: bool) -> Policy | None:
    """Return the policy named; the default one applies without a limit on the share identified or recognised."""
    from icefire.audit.limits import MEMBERSHIP_TPR, limits_identification
    from icefire.audit.policy import DEFAULT, load

    limited = any(gate.name == MEMBERSHIP_TPR for gate in limits) if synthetic else limits_identification(limits)
    if named is None and limited:
        return None
    return load(DEFAULT if named is None else named)


def _draw(members: int | None, outsiders: int | None, in_contest: bool) -> Draw:
    """Return how many records are asked about: as the user says, or as many as the contest asks."""
    from icefire.core.membership import Draw

    if not in_contest:
        return Draw(members, outsiders)
    usual = Draw()
    return Draw(usual.members if members is None else members, usual.outsiders if outsiders is None else outsiders)


def _check_questions(ask: Sequence[str], attacks: Sequence[str] | None) -> None:
    """Refuse a question that does not exist, and an attack that answers one that is not asked."""
    from icefire.audit.selection import check_questions
    from icefire.core.errors import ParameterError, did_you_mean

    questions = ("origin", "membership", "attribute")
    for question in ask:
        if question not in questions:
            raise ParameterError(f"ask got {question!r}; {did_you_mean(question, questions)}")
    # Linking is asked by itself wherever pseudonyms change, hidden values wherever a column is sensitive.
    check_questions(attacks or (), ("origin", "linking", "attribute", *ask))


def _with_standing(result: Audit, contest: AuditedContest) -> Audit:
    """Add the contest's own figures to the scorecard."""
    from dataclasses import replace

    import msgspec

    from icefire.core.scorecard import Standing

    standing = Standing(contest.name, contest.title, contest.standing(result.scorecard))
    return replace(result, scorecard=msgspec.structs.replace(result.scorecard, contest=standing))
