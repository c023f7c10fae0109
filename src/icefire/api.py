"""The verbs: read, anonymize, audit, attack, score, inspect. The command line says the same words."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from icefire import (
    align,
    auditing,
    correspondence,
    files,
    folder,
    inspecting,
    judge,
    registry,
    risk,
    roles,
    samples,
    seeds,
    verdict,
)
from icefire import recipe as recipes
from icefire.auditing import Audit, Plan
from icefire.dataset import Dataset
from icefire.errors import ParameterError
from icefire.files import Format
from icefire.inspecting import Inspection
from icefire.judge import Score
from icefire.recipe import Recipe
from icefire.release import Case, Comparison, Guess, Release, Scale, Truth
from icefire.schema import Schema
from icefire.scorecard import Scorecard

Progress = Callable[[str], None]


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
) -> Dataset:
    """Read a table and give its columns roles: by name, from a TOML file, or inferred from the values.

    The source is a path (CSV, gzipped CSV, Parquet, Arrow) or a polars, pandas or Arrow table. A `key` column names
    people in several tables; it gets the role id.
    """
    if isinstance(source, Dataset):
        return source
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
) -> Release:
    """Apply a recipe and publish the result: shuffled, without identifiers, the truth kept apart.

    With `output` a release folder is written. Keywords of `read` (qi, sa, schema, …) are passed on.
    """
    plan = recipes.load(recipe, seed)
    original = read(data, **reading)
    release = recipes.run(original, plan, progress)
    if output is not None:
        folder.write(release, _card(original, release, f"released.{kind}", progress), output, kind, force)
    return release


def _card(original: Dataset, release: Release, name: str, progress: Progress) -> Scorecard:
    """Measure a release for its own folder: no date and no seconds, so that the same seed gives the same bytes."""
    comparison = Comparison(Case(*align.match(original, release.released.frame, name)), release.truth)
    left_out: dict[str, str] = {}
    return Scorecard(
        provenance=auditing.provenance(original, comparison.released, None, "made by the recipe", dated=False),
        roles=auditing.describe_roles(original),
        measures=auditing.run_measures(comparison, Plan(), left_out, progress),
        left_out=left_out,
        recipe=release.recipe,
    )


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
    how: Format | None = None,
    progress: Progress = _quiet,
    **reading: Any,
) -> Audit:
    """Attack and measure a release by somebody who holds the original.

    The released rows correspond to the original ones by `truth` (a file or integers), because both files are in
    the same order (`aligned`), or by a `key` column in both. A release folder brings its own truth. Of the risk
    models, `population` is the number of people the original was drawn from, if it is a sample itself.
    """
    plan = Plan(
        seed=seed,
        attacks=attacks,
        measures=measures,
        parameters=_by_name(parameters or {}),
        limits=_gates(max_reid, limits),
        rate_of=rate_of,
        aya_scale=aya_scale,
        aya_columns=tuple(aya_columns) if aya_columns else None,
        show_data=show_data,
        people=people,
        risks=risk.Options(risk_threshold, population, listed=min(people, 10)),
    )
    plan.check()
    progress("reading")
    known = read(original, how=how, key=key, **reading)
    made = correspondence.open_release(released, how)
    x, y = align.match(known, made.frame, made.name)
    y = Dataset(y.frame, y.schema, y.name, made.digest)
    found = correspondence.find(known.frame, made, truth, aligned, key).checked(y.height, x.height)
    how_matched = correspondence.describe(made, truth, aligned, key)
    in_order = bool((np.diff(found.rows) >= 0).all())
    where = auditing.provenance(x, y, seed, how_matched, in_order=in_order)
    return auditing.run(Comparison(Case(x, y), found), where, plan, progress, made.recipe, made.frame)


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
    how: Format | None = None,
    progress: Progress = _quiet,
    **reading: Any,
) -> Guess:
    """Run one attack and return its answers, one per released row. No truth is opened."""
    entry = registry.get("attack", name)
    bound = entry.bind(parameters or {})
    progress("reading")
    known = read(original, how=how, **reading)
    made = correspondence.open_release(released, how)
    x, y = align.match(known, made.frame, made.name)
    auditing.check_needs(entry, x)
    order = seeds.generator(seed, "shuffle").permutation(y.height)
    progress(f"fire: {entry.name}")
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
) -> Inspection:
    """Measure one table alone: its classes, what they tell about sensitive values, and its columns."""
    plan = inspecting.Plan(measures, _by_name(parameters or {}))
    plan.entries()
    progress("reading")
    return inspecting.run(read(table, how=how, **reading), plan, progress)


def sample(name: str = "households", rows: int | None = None, *, seed: int | None = None) -> Dataset:
    """Make synthetic data with its roles: the same name, rows and seed give the same table."""
    module = samples.load(name)
    frame = module.frame(rows or module.DEFAULT_ROWS, module.DEFAULT_SEED if seed is None else seed)
    return replace(read(frame, schema=roles.choose(frame, module.QI, module.SA)), name=name)
