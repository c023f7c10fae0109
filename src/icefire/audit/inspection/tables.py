"""Inspect one table: its classes, the privacy models, its columns. No original is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import polars as pl

from icefire import risk
from icefire.audit import selection
from icefire.audit.findings import tables as table_findings
from icefire.audit.kinds import describe_roles
from icefire.audit.plan import AuditPlan
from icefire.audit.provenance import provenance
from icefire.audit.steps import run_measures
from icefire.core import blocks, registry
from icefire.core.dataset import Dataset
from icefire.core.display import ShownInNotebooks
from icefire.core.errors import ParameterError, SchemaError, UndefinedError, listing
from icefire.core.reading import type_name
from icefire.core.registry import Entry
from icefire.core.release import Case, Comparison, Truth
from icefire.core.schema import Column, Kind
from icefire.core.scorecard import FORMAT_VERSION, ClassBin, MeasureResult, Roles, Table
from icefire.core.scorecard.survey_risks import HouseholdRisk, KeyCombination, WeightedRisk
from icefire.core.types import Progress, no_progress
from icefire.models import wildcard
from icefire.risk.households import household_risk
from icefire.risk.key_combinations import Keys, key_combinations
from icefire.risk.known_points import PointsKnowledge
from icefire.risk.survey import weighted_risk, weights_of

ANOTHER_TABLE = {"original", "population", "truth"}
"""A measure that needs one of these compares two tables and has no place here."""


class InspectedTable(msgspec.Struct, frozen=True):
    """Where the numbers come from."""

    version: str
    table: Table
    created: str = ""
    software: dict[str, str] = {}


class Uniqueness(msgspec.Struct, frozen=True):
    """Rows alone in their class, by both readings of a missing quasi-identifier."""

    rows: int
    share: float
    rows_wildcard: int | None
    """Where a missing cell may be any value; None where that takes too long to count."""
    share_wildcard: float | None


class ColumnStatistics(msgspec.Struct, frozen=True):
    """One column: what it is, what is missing, how many values differ, and where its numbers lie."""

    role: str
    kind: str
    type: str
    missing: int
    distinct: int
    min: float | None = None
    mean: float | None = None
    max: float | None = None
    read_as: str = ""
    """By which convention it was read, where that is not plain to see."""


class Inspection(ShownInNotebooks, msgspec.Struct, frozen=True, kw_only=True):
    """All that one table says of itself."""

    format_version: int = FORMAT_VERSION
    provenance: InspectedTable
    roles: Roles
    measures: dict[str, MeasureResult] = {}
    left_out: dict[str, str] = {}
    """Measures that could not run on this table, with the reason."""
    uniqueness: Uniqueness
    class_sizes: list[ClassBin] = []
    keys: list[KeyCombination] = []
    """Classes of the combinations of columns that were listed."""
    weighted: WeightedRisk | None = None
    """Risk in the population, where the rows have weights."""
    household: HouseholdRisk | None = None
    """Risk by household, where a column names households."""
    columns: dict[str, ColumnStatistics] = {}

    def __repr__(self) -> str:
        source, alone = self.provenance.table, self.uniqueness.rows
        return f"<Inspection of {source.name!r}: {source.rows:,} rows, {alone:,} alone in their class>"

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


@dataclass(frozen=True, slots=True)
class InspectionPlan:
    """Which measures to run, and with which parameters."""

    measures: Sequence[str] | None = None
    """Names or codes; default all that need one table only."""
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    points: PointsKnowledge | None = None
    """Histories: the points that are known of each person."""
    keys: Keys = ()
    """Combinations of columns whose classes are counted besides."""

    def entries(self) -> list[Entry]:
        """Look the measures up and check their parameters, before any work is done."""
        if self.measures is None:
            chosen = [entry for entry in registry.entries("measure", "table") if not ANOTHER_TABLE & set(entry.needs)]
        else:
            chosen = [_alone(registry.get("measure", name)) for name in self.measures]
        for entry in chosen:
            entry.bind(self.parameters.get(entry.name, {}))
        names = [entry.name for entry in chosen]
        unused = next((name for name in self.parameters if name not in names), None)
        if unused is not None:
            raise ParameterError(f"a parameter is given for {unused!r}, which does not run here; run: {listing(names)}")
        return chosen


def _alone(entry: Entry) -> Entry:
    if ANOTHER_TABLE & set(entry.needs):
        raise ParameterError(f"measure {entry.name!r} compares a release with its original; use: icefire audit")
    return entry


def inspect_table(data: Dataset, plan: InspectionPlan, progress: Progress = no_progress) -> Inspection:
    """Measure one table."""
    if plan.points is not None:
        raise ParameterError("points are of a history, but this is a table; name --subject and --item, or no points")
    if not data.qi:
        raise SchemaError(
            f"inspect needs at least one qi column; name it with --qi, from: {listing(data.schema.names)}"
        )
    comparison = Comparison(Case(data, data), Truth(np.arange(data.height)))
    left_out: dict[str, str] = {}
    names = [entry.name for entry in plan.entries() if plan.measures is not None or _can_run(entry, data, left_out)]
    measures = run_measures(comparison, AuditPlan(measures=names, parameters=plan.parameters), progress)
    progress("classes and columns")
    source = provenance(data, data, None, "")
    return Inspection(
        provenance=InspectedTable(source.version, source.released, source.created, source.software),
        roles=describe_roles(data),
        measures=measures.by_name,
        left_out=left_out,
        uniqueness=_uniqueness(data),
        class_sizes=table_findings.class_sizes(data),
        keys=key_combinations(data, plan.keys, weights_of(data)),
        **_survey(comparison),
        columns=_described(data),
    )


def _survey(comparison: Comparison) -> dict[str, Any]:
    """Return the risks by weights and by household, as far as columns are named for them."""
    data, threshold = comparison.original, risk.Options().threshold
    labels = blocks.blocks_of_table(data.frame, data.qi).x_labels
    alone = 1 / np.bincount(labels)[labels]
    return {
        "weighted": weighted_risk(comparison, labels, threshold),
        "household": household_risk(comparison, alone, {}, threshold),
    }


def _can_run(entry: Entry, data: Dataset, left_out: dict[str, str]) -> bool:
    try:
        selection.check_needs(entry, data)
    except SchemaError as error:
        left_out[entry.name] = error.message.partition(f"{entry.name!r} ")[2]
    return entry.name not in left_out


def _uniqueness(data: Dataset) -> Uniqueness:
    """Count the rows alone in their class; a class of one row is one row."""
    try:
        own, compatible = wildcard.sizes(data, data.qi)
    except UndefinedError:
        alone = int((blocks.class_sizes(data.frame, data.qi) == 1).sum())
        return Uniqueness(alone, alone / data.height, None, None)
    alone, contradicted = int((own == 1).sum()), int((compatible == 1).sum())
    return Uniqueness(alone, alone / data.height, contradicted, contradicted / data.height)


def _described(data: Dataset) -> dict[str, ColumnStatistics]:
    remarks = {} if data.reading is None else {one.name: one.remark for one in data.reading.columns}
    return {
        column.name: msgspec.structs.replace(
            describe(data.frame[column.name], column), read_as=remarks.get(column.name, "")
        )
        for column in data.schema.columns
    }


def describe(values: pl.Series, column: Column) -> ColumnStatistics:
    """Sum up one column."""
    missing = values.null_count()
    distinct = values.n_unique() - (1 if missing else 0)
    numbers: list[float | None] = [None, None, None]
    if column.kind is Kind.NUMBER and values.dtype.is_numeric() and missing < len(values):
        numbers = [float(value) for value in (values.min(), values.mean(), values.max())]  # type: ignore[arg-type]
    return ColumnStatistics(
        column.role.value,
        column.kind.value,
        type_name(values.dtype),
        missing,
        distinct,
        numbers[0],
        numbers[1],
        numbers[2],
    )
