"""The verbs: read, anonymize, audit, attack, score, inspect. The command line says the same words."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from icefire import (
    align,
    auditing,
    choosing,
    contests,
    correspondence,
    files,
    folder,
    history_auditing,
    history_correspondence,
    inspecting,
    judge,
    membership_auditing,
    registry,
    risk,
    roles,
    samples,
    seeds,
    verdict,
)
from icefire import history as histories
from icefire import recipe as recipes
from icefire.auditing import Audit, Plan
from icefire.dataset import Dataset
from icefire.errors import ParameterError, did_you_mean
from icefire.files import Format
from icefire.history import History, HistoryCase, HistoryComparison, HistoryRelease, fields
from icefire.judge import Score
from icefire.membership import Draw, MembershipCase
from icefire.recipe import Recipe
from icefire.release import Case, Comparison, Guess, Release, Scale, Truth
from icefire.schema import Schema
from icefire.scorecard import Scorecard, Standing

Progress = Callable[[str], None]

QUESTIONS = ("origin", "membership")


def _quiet(_: str) -> None:
    pass


def read(
    source: Any,
    *,
    qi: Sequence[str] | None = None,
    sa: Sequence[str] | None = None,
    ids: Sequence[str] = (),
    schema: str | Path | Schema | None = None,
    key: str | None = None,
    how: Format | None = None,
    **history: Any,
) -> Dataset | History:
    """Read a table and give its columns roles: by name, from a TOML file, or inferred from the values.

    The source is a path (CSV, gzipped CSV, Parquet, Arrow) or a polars, pandas or Arrow table. A `key` column names
    people in several tables; it gets the role id. With `subject` and `item` (or a schema that names them) the source
    is a history: many rows per person. Then `receipt`, `date`, `time`, `price` and `number` name its other columns,
    `customers` its table of people, and `drop_unusable` leaves out and counts rows that cannot be used.
    """
    if isinstance(source, Dataset | History):
        return source
    described = None if schema is None or isinstance(schema, Schema) else fields.from_toml(Path(schema))
    if described or any(value is not None for value in history.values()):
        return _read_history(source, how, (described or {}) | history)
    return _read_table(source, qi, sa, ids, schema, key, how)


def _read_history(source: Any, how: Format | None, given: Mapping[str, Any]) -> History:
    told = {name: value for name, value in given.items() if value is not None}
    others = {name: told.pop(name) for name in ("customers", "customers_how", "drop_unusable") if name in told}
    unknown = next((name for name in told if name not in fields.MEANINGS), None)
    if unknown:
        raise ParameterError(f"read has no keyword {unknown!r}; {did_you_mean(unknown, fields.MEANINGS)}")
    return histories.read(source, told, how=how, **others)


def _read_table(
    source: Any,
    qi: Sequence[str] | None,
    sa: Sequence[str] | None,
    ids: Sequence[str],
    schema: str | Path | Schema | None,
    key: str | None,
    how: Format | None,
) -> Dataset:
    frame = files.read_frame(source, how)
    is_path = isinstance(source, str | os.PathLike)
    name = Path(source).name if is_path else "table"
    align.check_rows(frame, name)
    if key is not None:
        correspondence.check_key_column(frame, key, "original")
        ids = (*ids, key)
    chosen = schema if isinstance(schema, Schema) else roles.choose(frame, qi, sa, ids, schema)
    align.check_sa_text(frame, chosen, name)
    data = Dataset(frame, chosen, name, files.digest(Path(source)) if is_path else "")
    for column in (*data.qi, *data.sa):
        align.check_values(frame[column], name)
    return data


def anonymize(
    data: Any,
    recipe: str | Path | Mapping[str, Any] | Recipe,
    *,
    output: str | Path | None = None,
    kind: Literal["csv", "parquet"] = "csv",
    seed: int | None = None,
    force: bool = False,
    progress: Progress = _quiet,
    **reading: Any,
) -> Release | HistoryRelease:
    """Apply a recipe and publish the result: shuffled, without identifiers, the truth kept apart.

    With `output` a release folder is written. Keywords of `read` (qi, sa, schema, …) are passed on.
    """
    plan = recipes.load(recipe, seed)
    original = read(data, **reading)
    release: Release | HistoryRelease
    if isinstance(original, History):
        release = recipes.run_history(original, plan, progress)
    else:
        release = recipes.run(original, plan, progress)
    if output is not None:
        folder.write(release, _card(original, release, f"released.{kind}", progress), output, kind, force)
    return release


def _card(original: Dataset | History, release: Release | HistoryRelease, name: str, progress: Progress) -> Scorecard:
    """Measure a release for its own folder: no date and no seconds, so that the same seed gives the same bytes."""
    comparison = _compared(original, release, name)
    left_out: dict[str, str] = {}
    return Scorecard(
        provenance=auditing.provenance(original, comparison.released, None, "made by the recipe", dated=False),
        roles=auditing.describe_roles(original),
        measures=auditing.run_measures(comparison, Plan(), left_out, progress),
        left_out=left_out,
        recipe=release.recipe,
    )


def _compared(
    original: Dataset | History, release: Release | HistoryRelease, name: str
) -> Comparison | HistoryComparison:
    if isinstance(original, History):
        assert isinstance(release, HistoryRelease)
        return HistoryComparison(HistoryCase(original, replace(release.released, name=name)), release.truth)
    return Comparison(Case(*align.match(original, release.released.frame, name)), release.truth)


def audit(
    original: Any,
    released: Any,
    *,
    truth: str | Path | ArrayLike | Truth | None = None,
    aligned: bool = False,
    key: str | None = None,
    attacks: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    max_reid: float | None = None,
    limits: Mapping[str, float] | Sequence[verdict.Gate] = (),
    rate_of: Literal["released", "original"] = "released",
    aya_scale: Scale = "standard",
    aya_columns: Sequence[str] | None = None,
    seed: int = seeds.DEFAULT_SEED,
    show_data: bool = False,
    people: int = 20,
    risk_threshold: float = 0.2,
    population: int | None = None,
    ask: Sequence[str] = ("origin",),
    members: int = 50,
    outsiders: int = 50,
    contest: str | None = None,
    released_customers: Any = None,
    how: Format | None = None,
    progress: Progress = _quiet,
    **reading: Any,
) -> Audit:
    """Attack and measure a release by somebody who holds the original.

    The released rows correspond to the original ones by `truth` (a file or integers), because both files are in
    the same order (`aligned`), or by a `key` column in both. A release folder brings its own truth. Of the risk
    models, `population` is the number of people the original was drawn from, if it is a sample itself. With
    a `contest`, files are read and judged as it does. With
    "membership" in `ask`, so many `members` and `outsiders` are drawn and asked about as well: who is in the release?
    """
    rules = None if contest is None else contests.get(contest)
    plan = Plan(
        seed=seed,
        attacks=attacks if attacks is not None or rules is None else rules.attacks,
        measures=measures if measures is not None or rules is None else rules.measures,
        parameters=({} if rules is None else dict(rules.parameters)) | _by_name(parameters or {}),
        limits=[*(() if rules is None else rules.limits), *_gates(max_reid, limits)],
        rate_of=rate_of,
        aya_scale=aya_scale,
        aya_columns=tuple(aya_columns) if aya_columns else None,
        show_data=show_data,
        people=people,
        risks=risk.Options(risk_threshold, population, listed=min(people, 10)),
    )
    for question in ask:
        if question not in QUESTIONS:
            raise ParameterError(f"ask got {question!r}; {did_you_mean(question, QUESTIONS)}")
    progress("reading")
    told = _told(rules, how, reading)
    known = read(original, **told, key=key)
    plan.check(choosing.kind(known))
    if isinstance(known, History):
        named = correspondence.Named(truth, aligned, key)
        customers = (released_customers, told.get("customers_how"))
        return _standing(_audit_history(known, released, plan, named, told.get("how"), *customers, progress), rules)
    made = correspondence.open_release(released, told.get("how"))
    x, y = align.match(known, made.frame, made.name)
    y = Dataset(y.frame, y.schema, y.name, made.digest)
    found = correspondence.find(known.frame, made, truth, aligned, key).checked(y.height, x.height)
    how_matched = correspondence.describe(made, truth, aligned, key)
    in_order = bool((np.diff(found.rows) >= 0).all())
    where = auditing.provenance(x, y, seed, how_matched, in_order=in_order)
    comparison = Comparison(Case(x, y), found)
    inside = None
    if "membership" in ask:
        inside = membership_auditing.run(comparison, plan, Draw(members, outsiders), {}, progress)
    return _standing(auditing.run(comparison, where, plan, progress, made.recipe, made.frame, inside), rules)


def _audit_history(
    known: History,
    released: Any,
    plan: Plan,
    named: correspondence.Named,
    how: Format | None,
    customers: Any,
    customers_how: Format | None,
    progress: Progress,
) -> Audit:
    made = history_correspondence.open_history(released, known, how, customers, customers_how)
    found = history_correspondence.find(known, made, named)
    where = auditing.provenance(known, made.history, plan.seed, history_correspondence.describe(made, named))
    comparison = HistoryComparison(HistoryCase(known, made.history), found)
    return history_auditing.run(comparison, where, plan, progress, made.recipe)


def _told(rules: contests.Rules | None, how: Format | None, reading: Mapping[str, Any]) -> dict[str, Any]:
    """How to read: as the contest does, unless something else is said."""
    said = {name: value for name, value in {"how": how, **reading}.items() if value is not None}
    return {**({} if rules is None else rules.reading), **said}


def _standing(found: Audit, rules: contests.Rules | None) -> Audit:
    """Add the contest's own figures to the scorecard."""
    if rules is None:
        return found
    standing = Standing(rules.name, rules.title, rules.standing(found.scorecard))
    return replace(found, scorecard=msgspec.structs.replace(found.scorecard, contest=standing))


def _by_name(parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {verdict.canonical(name): given for name, given in parameters.items()}


def _gates(max_reid: float | None, limits: Mapping[str, float] | Sequence[verdict.Gate]) -> list[verdict.Gate]:
    if max_reid is not None and not 0 <= max_reid <= 1:
        raise ParameterError(f"max_reid is {max_reid}; it is a share between 0 and 1, for example 0.05")
    first = [] if max_reid is None else [verdict.Gate(verdict.REID, max_reid)]
    if isinstance(limits, Mapping):
        return first + [verdict.Gate(verdict.canonical(name), value) for name, value in limits.items()]
    return first + list(limits)


def attack(
    name: str,
    original: Any,
    released: Any,
    *,
    parameters: Mapping[str, Any] | None = None,
    seed: int = seeds.DEFAULT_SEED,
    released_customers: Any = None,
    how: Format | None = None,
    progress: Progress = _quiet,
    **reading: Any,
) -> Guess:
    """Run one attack and return its answers, one per released row (of a history: subject). No truth is opened.

    An attack on membership answers for every row of `original`, the records asked about, with released rows.
    """
    entry = registry.get("attack", name)
    bound = entry.bind(parameters or {})
    progress("reading")
    known = read(original, how=how, **reading)
    if isinstance(known, History):
        choosing.check_needs(entry, known)
        shown = history_correspondence.open_history(
            released, known, how, released_customers, reading.get("customers_how")
        ).history
        return history_auditing.attack(HistoryCase(known, shown), entry, bound, seed, progress)
    made = correspondence.open_release(released, how)
    about_members = entry.question == "membership"
    x, y = align.match(known, made.frame, made.name, more_rows=about_members)
    choosing.check_needs(entry, x)
    progress(f"fire: {entry.name}")
    if about_members:
        answers, _ = auditing.attack_case(MembershipCase(x, y), entry, bound, seed)
        return answers
    order = seeds.generator(seed, "shuffle").permutation(y.height)
    guess, _ = auditing.attack_case(Case(x, y.take(order)), entry, bound, seed)
    return auditing.unshuffled(guess, order)


def score(
    truth: str | Path | ArrayLike | Truth,
    guess: str | Path | ArrayLike | Guess,
    *,
    originals: int | None = None,
    of: int | None = None,
) -> Score:
    """Score a guess against the truth: ratio, interval, and recall, precision and top-k where they apply."""
    known = correspondence.as_truth(truth)
    if not isinstance(guess, Guess):
        rows = folder.read_guess(guess) if isinstance(guess, str | os.PathLike) else np.asarray(guess, np.int64)
        guess = Guess(rows)
    return judge.score(known, guess, originals, of)


def inspect(
    table: Any,
    *,
    measures: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    how: Format | None = None,
    progress: Progress = _quiet,
    **reading: Any,
) -> Any:
    """Measure one table alone: its classes, what they tell about sensitive values, and its columns."""
    plan = inspecting.Plan(measures, _by_name(parameters or {}))
    plan.entries()
    progress("reading")
    data = read(table, how=how, **reading)
    if isinstance(data, History):
        from icefire import history_inspecting

        return history_inspecting.run(data, progress)
    return inspecting.run(data, plan, progress)


def sample(name: str = "households", rows: int | None = None, *, seed: int | None = None) -> Any:
    """Make synthetic data with their roles: the same name, rows and seed give the same data. Of a shop, rows are
    customers."""
    module = samples.load(name)
    wanted, drawn = rows or module.DEFAULT_ROWS, module.DEFAULT_SEED if seed is None else seed
    if hasattr(module, "history"):
        return module.history(wanted, drawn)
    frame = module.frame(wanted, drawn)
    chosen = roles.choose(frame, module.QI, module.SA)
    return replace(_read_table(frame, None, None, (), chosen, None, None), name=name)
