"""Attack and measure the release of a history, and write everything down in a scorecard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefire.audit import history_findings, judge, selection, verdict
from icefire.audit import run as auditing
from icefire.audit.run import Audit, Plan
from icefire.core import seeds
from icefire.core.history import HistoryCase, HistoryComparison
from icefire.core.history.publishing import shuffled
from icefire.core.registry import Entry
from icefire.core.release import Guess
from icefire.core.scorecard import AttackResult, Provenance, Scorecard, attack_result
from icefire.core.types import Progress, no_progress


def run(
    comparison: HistoryComparison,
    provenance: Provenance,
    plan: Plan,
    progress: Progress = no_progress,
    recipe: dict[str, Any] | None = None,
) -> Audit:
    """Measure the release, attack it with its subjects renamed and its rows shuffled, and judge."""
    left_out: dict[str, str] = {}
    measures = auditing.run_measures(comparison, plan, left_out, progress)
    guesses, attacks = run_attacks(comparison, plan, left_out, progress)
    records = history_findings.records(comparison, guesses)
    progress("judge: partial knowledge and theory")
    card = Scorecard(
        provenance=provenance,
        roles=auditing.describe_roles(comparison.original),
        measures=measures,
        attacks=attacks,
        left_out=left_out,
        agreement=history_findings.agreement(records),
        at_risk=history_findings.at_risk(comparison, records, plan.people, plan.show_data),
        history=history_findings.findings(comparison, seeds.generator(plan.seed, "knowledge")),
        recipe=recipe or {},
    )
    return Audit(verdict.judged(card, plan.limits), records)


def attack(
    case: HistoryCase, entry: Entry, parameters: Mapping[str, Any], seed: int, progress: Progress = no_progress
) -> Guess:
    """Run one attack on the release as a stranger sees it; answers come back in the order of the released subjects."""
    strange, order = shuffled(case.released, seeds.generator(seed, "shuffle"))
    progress(f"fire: {entry.name}")
    guess, _ = auditing.attack_case(HistoryCase(case.original, strange), entry, parameters, seed)
    return auditing.unshuffled(guess, order)


def run_attacks(
    comparison: HistoryComparison, plan: Plan, left_out: dict[str, str], progress: Progress = no_progress
) -> tuple[dict[str, Guess], dict[str, AttackResult]]:
    """Attack the release as a stranger sees it; answers come back in the order of the released subjects."""
    strange, order = shuffled(comparison.released, seeds.generator(plan.seed, "shuffle"))
    case = HistoryCase(comparison.original, strange)
    of = comparison.original.subjects if plan.rate_of == "original" else None
    guesses, results = {}, {}
    for entry in selection.entries("attack", plan.attacks, comparison.original, left_out, plan.asks):
        if "customers" in entry.needs and comparison.released.customers is None:
            left_out[entry.name] = "needs the table of customers in the release too"
            continue
        progress(f"fire: {entry.name}")
        parameters = entry.bind(plan.parameters.get(entry.name, {}))
        guess, seconds = auditing.attack_case(case, entry, parameters, plan.seed)
        guesses[entry.name] = guess = auditing.unshuffled(guess, order)
        results[entry.name] = attack_result(
            judge.score(comparison.truth, guess, comparison.case.choices, of),
            code=entry.code,
            aya=None,
            knows=entry.knows,
            parameters=auditing.said(parameters),
            seconds=seconds,
        )
    return guesses, results
