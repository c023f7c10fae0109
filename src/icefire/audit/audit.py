"""Attack and measure a release by somebody who holds the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from icefire import risk
from icefire.audit import correspondence, histories, history_correspondence, membership, run, verdict
from icefire.audit.contest import AuditedContest, get_contest
from icefire.audit.correspondence import Named
from icefire.audit.run import Audit, Plan
from icefire.core import align, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, did_you_mean
from icefire.core.history import History, HistoryCase, HistoryComparison
from icefire.core.membership import Draw
from icefire.core.release import Case, Comparison, Scale, Truth
from icefire.core.scorecard import Standing
from icefire.core.types import Progress, no_progress
from icefire.io.files import Format
from icefire.io.read import read

QUESTIONS = ("origin", "membership")


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
    progress: Progress = no_progress,
    **reading: Any,
) -> Audit:
    """Attack and measure a release by somebody who holds the original.

    The released rows correspond to the original ones by `truth` (a file or integers), because both files are in
    the same order (`aligned`), or by a `key` column in both. A release folder brings its own truth. Of the risk
    models, `population` is the number of people the original was drawn from, if it is a sample itself. With a
    `contest`, files are read and judged as it does. With "membership" in `ask`, so many `members` and `outsiders` are
    drawn and asked about as well: who is in the release?
    """
    _check_questions(ask)
    rules = None if contest is None else get_contest(contest)
    plan = Plan(
        seed=seed,
        attacks=attacks if attacks is not None or rules is None else rules.attacks,
        measures=measures if measures is not None or rules is None else rules.measures,
        parameters=({} if rules is None else dict(rules.parameters)) | by_name(parameters or {}),
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
    told = _told(rules, how, reading)
    known = read(original, **told, key=key)
    named = Named(truth, aligned, key)
    if isinstance(known, History):
        customers = (released_customers, told.get("customers_how"))
        return _standing(_audit_history(known, released, plan, named, told.get("how"), *customers, progress), rules)
    draw = Draw(members, outsiders) if "membership" in ask else None
    return _standing(_audit_table(known, released, plan, named, told.get("how"), draw, progress), rules)


def _check_questions(ask: Sequence[str]) -> None:
    for question in ask:
        if question not in QUESTIONS:
            raise ParameterError(f"ask got {question!r}; {did_you_mean(question, QUESTIONS)}")


def _audit_table(
    known: Dataset,
    released: Any,
    plan: Plan,
    named: Named,
    how: Format | None,
    draw: Draw | None,
    progress: Progress,
) -> Audit:
    made = correspondence.open_release(released, how)
    x, y = align.match(known, made.frame, made.name)
    y = Dataset(y.frame, y.schema, y.name, made.digest)
    found = correspondence.find(known.frame, made, named).checked(y.height, x.height)
    in_order = bool((np.diff(found.rows) >= 0).all())
    where = run.provenance(x, y, plan.seed, correspondence.describe(made, named), in_order=in_order)
    comparison = Comparison(Case(x, y), found)
    inside = None if draw is None else membership.run(comparison, plan, draw, {}, progress)
    return run.run(comparison, where, plan, progress, made.recipe, made.frame, inside)


def _audit_history(
    known: History,
    released: Any,
    plan: Plan,
    named: Named,
    how: Format | None,
    customers: Any,
    customers_how: Format | None,
    progress: Progress,
) -> Audit:
    made = history_correspondence.open_history(released, known, how, customers, customers_how)
    found = history_correspondence.find(known, made, named)
    where = run.provenance(known, made.history, plan.seed, history_correspondence.describe(made, named))
    comparison = HistoryComparison(HistoryCase(known, made.history), found)
    return histories.run(comparison, where, plan, progress, made.recipe)


def _told(rules: AuditedContest | None, how: Format | None, reading: Mapping[str, Any]) -> dict[str, Any]:
    """How to read: as the contest does, unless something else is said."""
    said = {name: value for name, value in {"how": how, **reading}.items() if value is not None}
    return {**({} if rules is None else rules.reading), **said}


def _standing(found: Audit, rules: AuditedContest | None) -> Audit:
    """Add the contest's own figures to the scorecard."""
    if rules is None:
        return found
    standing = Standing(rules.name, rules.title, rules.standing(found.scorecard))
    return replace(found, scorecard=msgspec.structs.replace(found.scorecard, contest=standing))


def by_name(parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Key parameters by the plain name of what they are for."""
    return {verdict.canonical(name): given for name, given in parameters.items()}


def _gates(max_reid: float | None, limits: Mapping[str, float] | Sequence[verdict.Gate]) -> list[verdict.Gate]:
    if max_reid is not None and not 0 <= max_reid <= 1:
        raise ParameterError(f"max_reid is {max_reid}; it is a share between 0 and 1, for example 0.05")
    first = [] if max_reid is None else [verdict.Gate(verdict.REID, max_reid)]
    if isinstance(limits, Mapping):
        return first + [verdict.Gate(verdict.canonical(name), value) for name, value in limits.items()]
    return first + list(limits)
