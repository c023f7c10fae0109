"""The driver for histories in parts: count, attack, judge and write down, and say what was not assessed."""

from __future__ import annotations

import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import polars as pl

from icefire._version import __version__
from icefire.audit import judge, verdict
from icefire.audit.adapter import ReleaseFiles
from icefire.audit.correspondence import TruthSource
from icefire.audit.histories import HistoryAdapter
from icefire.audit.parts.histories import DescribedHistory, LargeHistories, open_histories
from icefire.audit.plan import AuditPlan
from icefire.audit.provenance import PACKAGES
from icefire.audit.run import Audit
from icefire.audit.steps import as_json
from icefire.core import seeds
from icefire.core.errors import ParameterError, listing
from icefire.core.registry import EngineName, Entry, entries
from icefire.core.release import Guess, Truth
from icefire.core.scorecard import Provenance, Reason, Roles, Scorecard, Table
from icefire.core.scorecard.attacks import AttackResult, attack_result
from icefire.core.scorecard.histories import HistoryFindings, Size
from icefire.core.types import Progress
from icefire.engines.histories import PartitionedHistories, plan_history_memory
from icefire.engines.raw_histories import RawHistory
from icefire.words import t

WHOLE_HISTORY = "needs the whole history at once; it runs on the engine local alone"
NOT_ASSESSED = (
    "names and numbers of persons",
    "receipt numbers",
    "histories published verbatim",
    "the claimed correspondence",
    "columns that no attack looked at",
    "measures",
    "partial knowledge and known points",
)
"""What the driver of one process looks at besides, and this one does not."""


def audit_history_in_parts(
    sources: tuple[Any, ReleaseFiles],
    described: DescribedHistory,
    plan: AuditPlan,
    source: TruthSource,
    engine: tuple[EngineName, int, Any],
    progress: Progress,
) -> Audit:
    """Attack a history in parts. It never passes: the joint attack and what else is named were not assessed.

    Released subjects are not renamed and shuffled before, because no attack that runs here depends on their order.

    Args:
        sources: The original and the release.
        described: Columns by meaning, and the table of customers.
        plan: What to run, and the limits.
        source: How released subjects correspond to original ones.
        engine: Name of the engine, memory it may use in bytes, and folder for its files.
        progress: Called with the name of each stage.

    Returns:
        The scorecard with its verdict.

    Raises:
        ParameterError: If something was named that the engine cannot run.
    """
    name, limit, scratch = engine
    attacks, left_out = _chosen(plan, name)
    progress("reading")
    large = open_histories(*sources, described)
    truth = large.find_truth(source)
    known, shown = large.original, large.released
    memory = plan_history_memory(limit, len(known.names) + len(shown.names), known.height + shown.height)
    progress("pieces")
    parts = PartitionedHistories(known, shown, memory, scratch)
    try:
        results = {}
        for place, entry in enumerate(attacks, 1):
            progress(f"fire: {entry.name}, {place} of {len(attacks)}")
            results[entry.name] = _attacked(entry, parts, truth, plan)
        findings = HistoryFindings(fields=known.fields.present, original=_size(known), released=_size(shown))
        settings = (
            f"{name}, {parts.piece_count('original')} × {parts.piece_count('released')} pieces, memory limit "
            f"{limit / 1e9:.1f} GB; {parts.mean_basket('original'):.1f} goods per subject in the original, "
            f"{parts.mean_basket('released'):.1f} in the release"
        )
    finally:
        parts.close()
    card = Scorecard(
        provenance=_provenance(large, source, plan, settings),
        roles=Roles([], [], [], [], "given"),
        attacks=results,
        left_out=left_out,
        history=findings,
        recipe=large.recipe,
    )
    gates = [*plan.limits, *(plan.policy.gates(large.recipe, ("origin",)) if plan.policy else ())]
    evidence = {"engine": name, "not_assessed": list(NOT_ASSESSED)}
    obstacles = [
        *verdict.joint_attack_missing(HistoryAdapter.joint_attack, results, left_out),
        Reason("not_assessed", t("verdict.reason.history_engine", engine=name), evidence),
    ]
    return Audit(verdict.judged(card, gates, obstacles, plan.policy.name if plan.policy else ""), pl.DataFrame())


def _chosen(plan: AuditPlan, engine: str) -> tuple[list[Entry], dict[str, str]]:
    """Return the attacks that run in parts, and the others with the reason; refuse others that were named."""
    every = [entry for entry in entries("attack", "history") if entry.question == "origin"]
    able = [entry for entry in every if entry.in_parts is not None and engine in entry.engines]
    names = listing([entry.name for entry in able])
    if not able:
        raise ParameterError(f"histories do not run on the engine {engine}; choose the engine local or partitioned")
    if plan.measures:
        raise ParameterError(
            f"measure {plan.measures[0]!r} does not run on histories on the engine {engine}; what can: the sizes of "
            f"both histories and the attacks {names}; others run on the engine local"
        )
    asked = None if plan.attacks is None else [name.strip().lower() for name in plan.attacks]
    for name in asked or ():
        if name not in {entry.name for entry in able}:
            raise ParameterError(
                f"attack {name!r} does not run on histories on the engine {engine}; choose from: {names}; others run "
                "on the engine local"
            )
    chosen = [entry for entry in able if asked is None or entry.name in asked]
    return chosen, {entry.name: WHOLE_HISTORY for entry in every if entry not in able}


def _attacked(entry: Entry, parts: PartitionedHistories, truth: Truth, plan: AuditPlan) -> AttackResult:
    parameters = plan.bind(entry)
    assert entry.in_parts is not None
    started = time.perf_counter()
    guess: Guess = entry.in_parts(parts, rng=seeds.generator(plan.seed, "attack", entry.name), **parameters)
    guess.checked(parts.targets, parts.choices)
    seconds = time.perf_counter() - started
    score = judge.score(truth, guess, parts.choices, parts.choices if plan.rate_of == "original" else None)
    return attack_result(
        score, code=entry.code, aya=None, knows=entry.knows, parameters=as_json(parameters), seconds=seconds
    )


def _size(side: RawHistory) -> Size:
    return Size(len(side.names), side.height, side.receipts, len(side.items), side.dropped)


def _provenance(large: LargeHistories, source: TruthSource, plan: AuditPlan, settings: str) -> Provenance:
    known, shown = (
        Table(side.name, side.height, side.digest, len(side.names)) for side in (large.original, large.released)
    )
    software = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    return Provenance(
        version=__version__,
        seed=plan.seed,
        original=known,
        released=shown,
        correspondence=_match(source),
        in_original_order=False,
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        software=software | {"engine": settings},
    )


def _match(source: TruthSource) -> str:
    if source.key is not None:
        return "by name: the release calls the subjects as the original does"
    if source.aligned:
        return "by order: both files have the same subjects in the same order"
    return "by the truth kept with the release" if source.truth is None else "by a truth file"
