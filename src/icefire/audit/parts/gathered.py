"""Audits by an engine of tables that also fit into one process: nothing is left unassessed.

What can run in parts runs on the engine; what needs the whole tables at once (the joint attack, hidden values, singling
out, rows published verbatim, identifiers, the claimed correspondence) runs in this process by the same functions as
with the engine local, so that the verdict is the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.correspondence import TruthSource
from icefire.audit.parts.tables import LargeTables
from icefire.audit.plan import AuditPlan, PartsRunner
from icefire.audit.run import Audit, audit_release
from icefire.audit.tables import JOINT_ATTACK_ROWS, TableAdapter
from icefire.core.dataset import Dataset
from icefire.core.types import Progress
from icefire.engines.memory import PROCESS
from icefire.io.given_roles import read_for_use

CELL_BYTES = 120
"""Memory that one process takes for each cell of the original while it audits a table."""


def fits_one_process(large: LargeTables, limit: int) -> bool:
    """Tell whether the whole tables may be held in this process, and are small enough for the joint attack.

    Args:
        large: The tables.
        limit: Bytes that the process may use.
    """
    rows = large.original.height
    return rows <= JOINT_ATTACK_ROWS and PROCESS + rows * len(large.original.dtypes) * CELL_BYTES <= limit


@dataclass(frozen=True, slots=True)
class GatheredTables:
    """Two tables that an engine holds and that fit into this process, and how they are read."""

    large: LargeTables
    original: Any
    files: ReleaseFiles
    options: Mapping[str, Any]
    """Keywords of `read`."""

    def audit(
        self, source: TruthSource, plan: AuditPlan, runner: PartsRunner, settings: str, progress: Progress
    ) -> Audit:
        """Audit the tables in this process; what can run in parts runs on the engine.

        Args:
            source: How released rows correspond to original ones.
            plan: What to run, and the limits.
            runner: Runs measures and attacks on the engine.
            settings: How the engine works, in words.
            progress: Called with the name of each stage.
        """
        adapter, data = TableAdapter(), self._original()
        release = adapter.load(self._released(), data)
        if release.truth is None:
            release = replace(release, truth=self.large.truth, recipe=release.recipe or self.large.recipe)
        truth = adapter.truth(data, release, source)
        match = adapter.describe_match(release, source)
        audited = audit_release(release, truth, replace(plan, runner=runner), match, progress=progress)
        card = audited.scorecard
        software = card.provenance.software | {"engine": f"{settings}; the rest in one process"}
        provenance = msgspec.structs.replace(card.provenance, software=software)
        return replace(audited, scorecard=msgspec.structs.replace(card, provenance=provenance))

    def _original(self) -> Dataset:
        options = {name: value for name, value in self.options.items() if value and name != "customers_how"}
        if _is_here(self.original):
            data = read_for_use(self.original, **options)
        else:
            options.pop("how", None)
            data = read_for_use(self.large.original.whole(), **options)
            assert isinstance(data, Dataset)
            data = replace(data, name=self.large.original.name)
        assert isinstance(data, Dataset)
        return data

    def _released(self) -> ReleaseFiles:
        return self.files if _is_here(self.files.source) else ReleaseFiles(self.large.released.whole())


def _is_here(source: Any) -> bool:
    """Tell whether this process reads a source by itself: what only a cluster reaches is fetched from there."""
    return not isinstance(source, str | os.PathLike) or "://" not in os.fspath(source) or Path(source).exists()
