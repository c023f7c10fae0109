"""Inspect one history: its size, how alike its people are, who shares items with whom, what known points tell."""

from __future__ import annotations

import msgspec
import numpy as np

from icefire.audit.findings import histories as history_findings
from icefire.audit.inspection import history_statistics
from icefire.audit.inspection.history_statistics import Statistics
from icefire.audit.inspection.tables import InspectedTable, InspectionPlan
from icefire.audit.provenance import provenance
from icefire.core.display import ShownInNotebooks
from icefire.core.history import History
from icefire.core.scorecard import FORMAT_VERSION
from icefire.core.scorecard.histories import Group
from icefire.core.seeds import DEFAULT_SEED
from icefire.core.types import Progress, no_progress
from icefire.risk.known_points import SETS, KnownPoints, PointsKnowledge, in_order_of_appearance


class PointsInspection(msgspec.Struct, frozen=True):
    """Known points: what is known, and what stands beside the risk. Lists have one value per person, like `risk`."""

    kind: str
    k: int
    setting: str
    """Precision or tolerance."""
    people: int
    mean_risk: list[float]
    """Of each person, over random sets of points."""
    sets: int
    """Sets per person, at most; all of them where there are not more."""
    short: int
    """People with fewer than k points; all of theirs are known."""
    bounds: dict[int, float] = {}
    """By place in the list, people whose search ended early: their risk lies between the one listed, and this."""


class HistoryInspection(ShownInNotebooks, msgspec.Struct, frozen=True, kw_only=True):
    """All that one history says of itself."""

    format_version: int = FORMAT_VERSION
    provenance: InspectedTable
    fields: dict[str, str]
    statistics: Statistics
    groups: list[Group] = []
    risk: list[float] | None = None
    """Where points were asked for: the risk of each person by the points that tell most, in order of appearance."""
    points: PointsInspection | None = None

    def __repr__(self) -> str:
        figures = self.statistics
        size = f"{figures.rows:,} rows of {figures.customers:,} people"
        return f"<HistoryInspection of {self.provenance.table.name!r}: {size}>"

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


def inspect_history(data: History, plan: InspectionPlan, progress: Progress = no_progress) -> HistoryInspection:
    """Describe one history. It has no measures to choose from; of the plan only the points are used."""
    if plan.points is not None:
        plan.points.check(data)
    progress("comparing people")
    source = provenance(data, data, None, "")
    risk, points = _points(data, plan.points, progress)
    return HistoryInspection(
        provenance=InspectedTable(source.version, source.released, source.created, source.software),
        fields=data.fields.present,
        statistics=history_statistics.describe_history(data),
        groups=history_findings.alike(data),
        risk=risk,
        points=points,
    )


def _points(
    data: History, known: PointsKnowledge | None, progress: Progress
) -> tuple[list[float] | None, PointsInspection | None]:
    """The risk of everybody of whom so much is known."""
    if known is None:
        return None, None
    progress("known points")
    people = in_order_of_appearance(data)
    at_risk = KnownPoints(data, known).risk_of_people(people, seed=DEFAULT_SEED)
    unfinished = np.flatnonzero(~at_risk.complete)
    return at_risk.risk.tolist(), PointsInspection(
        kind=known.kind,
        k=known.k,
        setting=known.setting,
        people=len(people),
        mean_risk=at_risk.mean.tolist(),
        sets=SETS,
        short=at_risk.short,
        bounds={int(place): float(at_risk.bound[place]) for place in unfinished},
    )
