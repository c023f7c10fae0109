"""What a synthetic release is worth: measures that compare no rows, and the largest changes in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from icefire.audit.findings.distances import distances, largest_changes
from icefire.audit.findings.distributions import associations, table_distributions
from icefire.audit.findings.usefulness import lost_sentence
from icefire.audit.plan import AuditPlan
from icefire.audit.steps import Results, run_measures
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core import registry
from icefire.core.errors import ParameterError, listing
from icefire.core.registry import Entry
from icefire.core.release import NO_ANSWER, Case, Comparison, Truth
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.usefulness import Usefulness
from icefire.core.types import Progress
from icefire.words import t


def compares_distributions(entry: Entry) -> bool:
    """Tell whether a measure compares the two tables without knowing which rows belong together."""
    return "original" in entry.needs and "truth" not in entry.needs


def check_measures(plan: AuditPlan) -> None:
    """Refuse a measure that was named but compares released rows with the people they come from."""
    fitting = [entry.name for entry in registry.entries("measure", "table") if compares_distributions(entry)]
    for name in plan.measures or ():
        if registry.get("measure", name).name not in fitting:
            raise ParameterError(
                f"measure {name!r} needs released rows that come from people; with --synthetic use: {listing(fitting)}"
            )


def measure_synthetic(
    tables: SyntheticTables, plan: AuditPlan, progress: Progress
) -> tuple[Results[MeasureResult], Usefulness]:
    """Compute the measures that need no correspondence, and say what changed most."""
    unknown = Truth(np.full(tables.released.height, NO_ANSWER))
    comparison = Comparison(Case(tables.original, tables.released), unknown)
    names = plan.measures
    if names is None:
        every = filter(plan.includes, registry.entries("measure", "table"))
        names = [
            entry.name
            for entry in every
            if compares_distributions(entry) and all(tables.original.has(need) for need in entry.needs)
        ]
    results = run_measures(comparison, replace(plan, measures=names), progress)
    return results, _usefulness(tables, comparison)


def _usefulness(tables: SyntheticTables, comparison: Comparison) -> Usefulness:
    compared, lost = distances(comparison), tables.not_released
    parts = [t("lost.not_released", n=len(lost), columns=listing(lost))] if lost else []
    parts += largest_changes(compared)
    return Usefulness(
        text=lost_sentence(parts) or t("lost.same_distributions"),
        columns_lost=len(lost) / max(len(lost) + len(tables.compared), 1),
        distances=compared,
        distributions=table_distributions(comparison),
        associations=associations(comparison),
    )
