"""Choose an engine by the size of the tables, open them with it, and run the audit in parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefire.audit.adapter import ReleaseFiles
from icefire.audit.correspondence import TruthSource
from icefire.audit.parts.driver import PartsAudit, audit_in_parts, check_plan
from icefire.audit.parts.gathered import CELL_BYTES, GatheredTables, fits_one_process
from icefire.audit.parts.histories import described_history
from icefire.audit.parts.histories_driver import audit_history_in_parts
from icefire.audit.parts.tables import LargeTables, check_address, open_large, open_on_cluster, shuffled
from icefire.audit.plan import AuditPlan
from icefire.audit.run import Audit
from icefire.core import seeds
from icefire.core.errors import ParameterError, listing
from icefire.core.registry import EngineName
from icefire.core.types import Progress
from icefire.engines.coding import CodedTables, code_tables
from icefire.engines.memory import available_memory, parse_memory, plan_memory
from icefire.engines.partitioned import PartitionedTables
from icefire.engines.raw_tables import PolarsTable
from icefire.engines.tables import EngineTables
from icefire.io.large_text import text_files
from icefire.io.scanned_files import scanned_files
from icefire.kernels.types import Int

SHARE = 0.8
"""Share of the free memory that an engine takes where no limit is given."""


def fitting_engine(original: Any) -> EngineName:
    """Return the engine for tables of this size: in parts only if one process would not hold them."""
    table = scanned_files(original) or text_files(original)
    if table is None:
        return "local"
    needed = table.cells * CELL_BYTES
    return "partitioned" if needed > SHARE * available_memory() else "local"


def check_options(engine: str, refused: Mapping[str, bool]) -> None:
    """Refuse, before any work, options that the engine cannot follow.

    Raises:
        ParameterError: If one was given.
    """
    given = [option for option, is_given in refused.items() if is_given]
    if given:
        raise ParameterError(
            f"{listing(given)} cannot be combined with the engine {engine}, which takes tables in parts; leave it out, "
            "or audit a random sample of the people with the engine local"
        )


def audit_by_engine(
    sources: tuple[Any, tuple[Any, ...]],
    plan: AuditPlan,
    source: TruthSource,
    options: Mapping[str, Any],
    engine: tuple[EngineName, str | int | None, Any],
    progress: Progress,
) -> Audit:
    """Open both tables with an engine and audit them in parts; in one process besides where they fit into it.

    Args:
        sources: The original, and the release with how it is read.
        plan: What to run, and the limits.
        source: How released rows correspond to original ones.
        options: Keywords of `read`.
        engine: Name of the engine, memory it may use, and folder for its files.
        progress: Called with the name of each stage.
    """
    name, memory_limit, scratch = engine
    limit = int(SHARE * available_memory()) if memory_limit is None else parse_memory(memory_limit)
    files = ReleaseFiles(*sources[1])
    described = described_history(sources[0], options)
    if described is not None:
        return audit_history_in_parts((sources[0], files), described, plan, source, (name, limit, scratch), progress)
    progress("reading")
    session = _session(sources[0], files.source) if name == "spark" else None
    if session is None:
        large = open_large(sources[0], files, options)
    else:
        large = open_on_cluster(session, sources[0], files, options)
    whole = fits_one_process(large, limit)
    if not whole:
        check_plan(plan, name)
    truth = large.find_truth(source)
    in_order = bool((truth.rows[1:] >= truth.rows[:-1]).all())
    coded = code_tables(large.original, large.released, large.schema)
    places, by_place, order = shuffled(truth, large.original.height, seeds.generator(plan.seed, "shuffle"))
    del truth
    progress("buckets")
    tables, settings = _in_buckets(large, coded, places, limit, scratch, session)
    match = "row by row: both files in the same order" if source.aligned else "by a truth given"
    audit = PartsAudit(tables, large, by_place, order, options, name, settings, match, in_order)
    try:
        if whole:
            gathered = GatheredTables(large, sources[0], files, options)
            return gathered.audit(source, plan, audit.runner(plan.seed), settings, progress)
        return audit_in_parts(audit, plan, progress)
    finally:
        tables.close()


def _session(*sources: Any) -> Any:
    from icefire.engines.spark_session import spark_session

    for source in sources:
        check_address(source)
    return spark_session()


def _in_buckets(
    large: LargeTables, coded: CodedTables, places: Int, limit: int, scratch: Any, session: Any
) -> tuple[EngineTables, str]:
    """Put both tables into buckets; returns also how the engine works, in words."""
    known, shown = large.original, large.released
    if isinstance(known, PolarsTable) and isinstance(shown, PolarsTable):
        memory = plan_memory(limit, known.height, shown.height, coded.row_bytes())
        on_disk = PartitionedTables(known, shown, coded, memory, scratch, places)
        return on_disk, f"partitioned, {on_disk.buckets:,} buckets, memory limit {limit / 1e9:.1f} GB"
    from icefire.engines.spark import SparkTables
    from icefire.engines.spark_table import SparkTable

    assert isinstance(known, SparkTable)
    assert isinstance(shown, SparkTable)
    tables = SparkTables(known, shown, coded, places)
    return tables, f"spark {session.version}, {tables.buckets:,} buckets, master {session.conf.get('spark.master')}"
