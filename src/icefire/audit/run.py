"""Attack and measure one release, and write everything down in a scorecard."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version as installed
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from icefire import risk
from icefire._version import __version__
from icefire.audit import findings, judge, selection, verdict
from icefire.audit.judge import Claim
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import UndefinedError
from icefire.core.history import History, HistoryCase, HistoryComparison
from icefire.core.membership import MembershipCase
from icefire.core.registry import Entry
from icefire.core.release import Case, Comparison, Guess, Scale
from icefire.core.schema import Role
from icefire.core.scorecard import (
    AttackResult,
    Aya,
    MeasureResult,
    MembershipFindings,
    Provenance,
    Roles,
    Scorecard,
    Table,
    attack_result,
)
from icefire.core.scorecard.scores import Score
from icefire.core.types import Progress, no_progress

CLAIMS_CHECKED = 50_000
"""Of a larger release only so many claimed origins, drawn at random, are compared with the nearest row."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run and how to judge it."""

    seed: int = seeds.DEFAULT_SEED
    attacks: Sequence[str] | None = None
    """Names or codes; default all registered."""
    measures: Sequence[str] | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters by attack or measure name."""
    limits: Sequence[verdict.Gate] = ()
    rate_of: Literal["released", "original"] = "released"
    aya_scale: Scale = "standard"
    aya_columns: tuple[str, ...] | None = None
    show_data: bool = False
    people: int = 20
    risks: risk.Options = field(default_factory=risk.Options)

    def check(self) -> None:
        """Refuse an unknown name or parameter before any work is done."""
        sorts: tuple[tuple[registry.Sort, Sequence[str] | None], ...]
        sorts = (("measure", self.measures), ("attack", self.attacks))
        for sort, names in sorts:
            entries = registry.entries(sort) if names is None else [registry.get(sort, name) for name in names]
            for entry in entries:
                entry.bind(self.parameters.get(entry.name, {}))
        self.risks.checked()

    def asks(self, entry: Entry) -> bool:
        """Tell whether an entry runs where nobody listed what to run: a special one only if something names it."""
        return (
            not entry.explicit_only or entry.name in self.parameters or any(g.name == entry.name for g in self.limits)
        )


@dataclass(frozen=True, slots=True)
class Audit:
    """The scorecard and, for whoever may see the truth, what happened to every row."""

    scorecard: Scorecard
    records: pl.DataFrame
    """One row per released row: its original row, each attack's hit, how many agree, and its risks. Secret."""


def run(
    comparison: Comparison,
    provenance: Provenance,
    plan: Plan,
    progress: Progress = no_progress,
    recipe: dict[str, Any] | None = None,
    published: pl.DataFrame | None = None,
    membership: MembershipFindings | None = None,
) -> Audit:
    """Measure the release, attack it shuffled, and judge; `recipe` is how it was made, where that is known.

    `published` is the released table with every column it has, `membership` what was found where that was asked.
    """
    plan.risks.checked(comparison.original.height)
    left_out: dict[str, str] = {}
    measures = run_measures(comparison, plan, left_out, progress)
    guesses, attacks, aya = run_attacks(comparison, plan, left_out, progress)
    records = findings.records(comparison, guesses)
    progress("judge: risk models")
    hits = {name: records[name].to_numpy() for name in guesses}
    risks, per_row = risk.assess(comparison, hits, plan.risks, published)
    progress("judge: what gives people away")
    card = Scorecard(
        provenance=provenance,
        roles=describe_roles(comparison.original),
        measures=measures,
        attacks=attacks,
        left_out=left_out,
        aya=aya,
        agreement=findings.agreement(records),
        at_risk=findings.at_risk(comparison, records, plan.people, plan.show_data),
        class_sizes=findings.class_sizes(comparison),
        contributions=findings.contributions(comparison, seeds.generator(plan.seed, "contributions")),
        risks=risks,
        membership=membership,
        recipe=recipe or {},
    )
    return Audit(verdict.judged(card, plan.limits), records.hstack(per_row))


def provenance(
    original: Dataset | History,
    released: Dataset | History,
    seed: int | None,
    correspondence: str,
    *,
    in_order: bool = False,
    dated: bool = True,
) -> Provenance:
    """Say which software, files and seed made the numbers."""
    return Provenance(
        version=__version__,
        seed=seed,
        original=_described(original),
        released=_described(released),
        correspondence=correspondence,
        in_original_order=in_order,
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC") if dated else "",
        software={"python": platform.python_version()} | {n: installed(n) for n in ("numpy", "numba", "polars")},
    )


def _described(data: Dataset | History) -> Table:
    return Table(data.name, data.height, data.digest, data.subjects if isinstance(data, History) else None)


def describe_roles(data: Dataset | History) -> Roles:
    """List the columns by role; those of a history have meanings instead, told in the scorecard's history part."""
    if isinstance(data, History):
        return Roles([], [], [], [], "given")
    named = data.schema.named
    return Roles(
        list(named(Role.QI)),
        list(named(Role.SA)),
        list(named(Role.ID)),
        list(named(Role.OTHER)),
        data.schema.origin,
    )


def run_measures(
    comparison: Comparison | HistoryComparison,
    plan: Plan,
    left_out: dict[str, str],
    progress: Progress = no_progress,
) -> dict[str, MeasureResult]:
    """Compute every chosen measure; one without a value on these tables says why."""
    results = {}
    for entry in selection.entries("measure", plan.measures, comparison.original, left_out, plan.asks):
        progress(f"measure: {entry.name}")
        parameters = entry.bind(plan.parameters.get(entry.name, {}))
        value, note = None, ""
        try:
            found = entry.function(comparison, **parameters)
            value, note = float(found), getattr(found, "note", "")
        except UndefinedError as error:
            note = str(error)
        best = f"{comparison.released.height:,}" if entry.best == "the number of rows" else entry.best
        results[entry.name] = MeasureResult(entry.code, value, entry.better, best, said(parameters), note)
    return results


def run_attacks(
    comparison: Comparison, plan: Plan, left_out: dict[str, str], progress: Progress = no_progress
) -> tuple[dict[str, Guess], dict[str, AttackResult], Aya | None]:
    """Attack the shuffled release; answers come back in the order of the released file."""
    order = seeds.generator(plan.seed, "shuffle").permutation(comparison.released.height)
    case = Case(comparison.original, comparison.released.take(order))
    claim = Claim(comparison, plan.aya_scale, plan.aya_columns)
    of = comparison.original.height if plan.rate_of == "original" else None
    guesses, results, ayas = {}, {}, {}
    for entry in selection.entries("attack", plan.attacks, comparison.original, left_out, plan.asks):
        progress(f"fire: {entry.name}")
        parameters = entry.bind(plan.parameters.get(entry.name, {}))
        guess, seconds = attack_case(case, entry, parameters, plan.seed)
        guesses[entry.name] = guess = unshuffled(guess, order)
        score = judge.score(comparison.truth, guess, comparison.original.height, of)
        ayas[entry.name] = judge.score(comparison.truth, claim.aya(guess), comparison.original.height, of)
        results[entry.name] = attack_result(
            score,
            code=entry.code,
            aya=ayas[entry.name].rate,
            knows=entry.knows,
            parameters=said(parameters),
            seconds=seconds,
        )
    progress("judge: AYA")
    return guesses, results, _aya(claim, ayas, seeds.generator(plan.seed, "aya"))


def _aya(claim: Claim, ayas: Mapping[str, Score], rng: np.random.Generator) -> Aya | None:
    """Sum up the AYA rule over all attacks, and check the claimed origins against the nearest rows."""
    if not ayas or not claim.comparison.original.numeric_sa:
        return None
    wraps = max(ayas, key=lambda name: ayas[name].rate)
    targets = rng.permutation(claim.comparison.released.height)[:CLAIMS_CHECKED]
    farther = claim.farther_than_nearest(targets)
    return Aya(wraps, ayas[wraps].rate, ayas[wraps].hits, farther, len(targets))


def attack_case(
    case: Case | HistoryCase | MembershipCase, entry: Entry, parameters: Mapping[str, Any], seed: int
) -> tuple[Guess, float]:
    """Run one attack on what the attacker holds; returns its checked answers and the seconds it took."""
    started = time.perf_counter()
    guess = entry.function(case, rng=seeds.generator(seed, "attack", entry.name), **parameters)
    seconds = time.perf_counter() - started
    return guess.checked(case.targets, case.choices), seconds


def unshuffled(guess: Guess, order: NDArray[np.int64]) -> Guess:
    """Put answers given for released[order] back into the order of the released table."""
    rows = np.empty_like(guess.rows)
    rows[order] = guess.rows
    return Guess(rows, None if guess.candidates is None else guess.candidates.placed(order))


def said(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as the scorecard shows them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}
