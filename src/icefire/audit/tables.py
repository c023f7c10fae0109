"""Tables for the driver: one row per person."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from icefire import risk
from icefire.audit.adapter import Adapter, Findings, ReleaseFiles
from icefire.audit.correspondence import LoadedRelease, TruthSource, as_truth, truth_by_order
from icefire.audit.findings import common as findings
from icefire.audit.findings import tables as table_findings
from icefire.audit.findings.person_reasons import reasons_in_table
from icefire.audit.findings.recognition import recognised_people
from icefire.audit.findings.usefulness import table_usefulness
from icefire.audit.judge import Claim
from icefire.audit.knowledge.holdout import read_holdout
from icefire.audit.knowledge.register import RegisterSource, view_of_register
from icefire.audit.knowledge.replay import REPLAY
from icefire.audit.name_pairs import read_name_pairs, rows_of_pairs
from icefire.audit.obstacles import tables as obstacles
from icefire.audit.plan import AuditPlan
from icefire.core import align
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError
from icefire.core.knowledge import Knowledge
from icefire.core.profiles import Profile, profile
from icefire.core.reading import Expected
from icefire.core.release import Case, Comparison, Guess, Release, Truth
from icefire.core.schema import Role
from icefire.core.scorecard import Reason, Roles, Table
from icefire.core.types import DataKind, Progress
from icefire.core.views import View, view, whole_view
from icefire.io import folder
from icefire.io.format import Format
from icefire.io.tables import read_frame, read_source
from icefire.kernels.types import Int

JOINT_ATTACK, SECOND_ATTACK = "link", "link_rest"
JOINT_ATTACK_ROWS = 1_000_000
"""Released rows up to which the rates of the joint attack were measured."""


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """A released table as it was given, and what came with it."""

    frame: pl.DataFrame
    name: str = "released"
    digest: str = ""
    truth: Truth | Path | None = None
    recipe: dict[str, Any] = field(default_factory=dict)


def open_table(files: ReleaseFiles, original: Dataset) -> ReleasedTable:
    """Open a released file, a release folder, a frame or a `Release`; text columns of the original are read as text."""
    source = files.source
    if isinstance(source, Release):
        return ReleasedTable(source.released.frame, truth=source.truth, recipe=source.recipe)
    if not isinstance(source, str | os.PathLike):
        return ReleasedTable(read_frame(source, files.how, Expected(is_release=True)))
    path, how, truth, recipe = Path(source), files.how, None, {}
    if folder.is_release(path):
        truth, recipe = folder.truth_of(path), folder.recipe(path)
        source, how = folder.table(path), None
    read = read_source(source, how, original.expected)
    return ReleasedTable(read.frame, read.name, read.digest, truth, recipe)


class TableAdapter(Adapter[Dataset, Case, Comparison]):
    """A table: rows are people, and a release has the columns of the original."""

    kind: ClassVar[DataKind] = "table"
    joint_attack: ClassVar[str] = JOINT_ATTACK

    def load(self, files: ReleaseFiles, original: Dataset, *, records_only: bool = False) -> LoadedRelease[Dataset]:
        """Open a released file, a release folder, a frame or a `Release`, and align it with the original."""
        opened = open_table(files, original)
        published = opened.frame.rechunk()
        known, shown = align.match(original, published, opened.name, more_rows=records_only)
        released = Dataset(shown.frame, shown.schema, shown.name, opened.digest)
        return LoadedRelease(known, released, published, original, opened.truth, opened.recipe)

    def check_membership(self) -> None:
        """Membership can be asked of every table."""

    def check_period(self) -> None:
        """Refuse: a row of a table has no pseudonyms that change."""
        raise ParameterError("--period is for histories, but this is a table with one row per person; leave it out")

    def read_holdout(self, source: Any, original: Dataset, how: Format | None) -> Dataset:
        """Read a table with the same columns."""
        return read_holdout(source, original, how)

    def truth(self, original: Dataset, release: LoadedRelease[Dataset], source: TruthSource) -> Truth:
        """Take the truth given, match by key or by order, or take the truth that came with the release."""
        source.check()
        if source.key is not None:
            truth = _truth_by_key(original.frame, release.published, source.key)
        elif source.aligned:
            truth = truth_by_order(original.height, release.published.height, "rows")
        elif (pairs := read_name_pairs(source.truth)) is not None:
            truth = rows_of_pairs(pairs, original.frame, release.published)
        elif source.truth is not None:
            truth = as_truth(source.truth)
        elif release.truth is not None:
            truth = as_truth(release.truth)
        else:
            raise ParameterError(
                "how released rows correspond to original ones is not known; "
                "pass --truth FILE, --aligned or --key COLUMN"
            )
        return truth.checked(release.released.height, release.original.height)

    def describe_match(self, release: LoadedRelease[Dataset], source: TruthSource) -> str:
        """Say in words how rows were matched."""
        if source.key is not None:
            return f"by the key column {source.key!r}"
        if source.aligned:
            return "row by row: both files in the same order"
        if source.truth is None and release.truth is not None:
            return "by the truth kept with the release"
        return "by a truth file" if isinstance(source.truth, str | os.PathLike) else "by a truth given"

    def is_in_original_order(self, truth: Truth) -> bool:
        """Tell whether the original rows ascend."""
        return bool((np.diff(truth.rows) >= 0).all())

    def case(self, original: Dataset, released: Dataset) -> Case:
        """Make what an attacker receives."""
        return Case(original, released)

    def shuffled_case(self, case: Case, original: Dataset, shuffled: Dataset) -> Case:
        """Make what an attacker receives; where both cases know the same people, their points are computed once."""
        return case.with_shuffled(shuffled) if case.known is original else Case(original, shuffled)

    def compare(self, case: Case, truth: Truth) -> Comparison:
        """Make what measures and the judge receive."""
        return Comparison(case, truth)

    def shuffle(self, released: Dataset, rng: np.random.Generator) -> tuple[Dataset, Int]:
        """Shuffle the rows."""
        order = rng.permutation(released.height)
        return released.shuffled(order), order

    def describe(self, data: Dataset) -> Table:
        """Name, rows and digest of the table."""
        return Table(data.name, data.height, data.digest)

    def roles(self, data: Dataset) -> Roles:
        """List the columns by role."""
        qi, sa, ids, other = (list(data.schema.before_release(role)) for role in Role)
        return Roles(qi, sa, ids, other, data.schema.origin, [column.name for column in data.schema.not_released])

    def profile(self, name: Profile, data: Dataset) -> Knowledge:
        """Return what a named attacker knows, by the roles of the columns."""
        return profile(name, data)

    def view(
        self, release: LoadedRelease[Dataset], knowledge: Knowledge, rng: np.random.Generator
    ) -> tuple[View[Dataset], Dataset]:
        """Blur the original as it was read, then lay it out like the release."""
        if knowledge.is_everything:
            return whole_view(release.original, release.original.height), release.released
        held = view(release.original_as_read, knowledge, rng)
        known, shown = align.match(held.known, release.published, more_rows=True)
        released = release.released.with_columns(*shown.frame.get_columns())
        return replace(held, known=known), released

    def register(
        self, release: LoadedRelease[Dataset], source: RegisterSource, truth: Truth
    ) -> tuple[View[Dataset], Dataset]:
        """Read a register with the roles of the original."""
        return view_of_register(release, source, truth)

    def shared_columns(self, known: Dataset, released: Dataset) -> tuple[str, ...]:
        """Name the columns of both tables, identifiers excepted."""
        hidden = known.schema.named(Role.ID)
        return tuple(n for n in known.schema.names if n in released.frame.columns and n not in hidden)

    def unavailable(self, released: Dataset) -> dict[str, str]:
        """Attacks that weigh all columns take too long on very large tables."""
        if released.height <= JOINT_ATTACK_ROWS:
            return {}
        reason = (
            f"takes too long above {JOINT_ATTACK_ROWS:,} rows; audit a random sample of the people, among whom more "
            "are recognised than among all"
        )
        return dict.fromkeys((JOINT_ATTACK, REPLAY, SECOND_ATTACK, "t_kernel"), reason)

    def claim(self, comparison: Comparison, plan: AuditPlan) -> Claim | None:
        """Check claimed origins by the distance between rows."""
        return Claim(comparison, plan.aya_scale, plan.aya_columns)

    def obstacles(
        self,
        release: LoadedRelease[Dataset],
        comparison: Comparison,
        guesses: Mapping[str, Guess],
        findings: Findings,
        identified_limit: float,
        seed: int,
        known_columns: Collection[str] | None = None,
    ) -> list[Reason]:
        """Look for identifiers, columns without attack, verbatim rows and a false correspondence."""
        harbour = findings.parts["risks"].safe_harbour
        return obstacles.table_obstacles(release, comparison, guesses, harbour, identified_limit, seed, known_columns)

    def findings(
        self,
        comparison: Comparison,
        guesses: Mapping[str, Guess],
        plan: AuditPlan,
        published: pl.DataFrame | None,
        progress: Progress,
    ) -> Findings:
        """Find people at risk, class sizes, what the risk models say, and which columns give people away."""
        recognised = recognised_people(comparison.truth, guesses, comparison.original.height, self.joint_attack)
        records = findings.records(comparison.truth, guesses, recognised)
        progress("judge: risk models")
        hits = {name: records[name].to_numpy() for name in guesses}
        risks, risk_of_each = risk.assess(comparison, hits, plan.risks, published)
        learned = table_findings.learned_columns(guesses, comparison.original)
        compared = [column.column for column in learned if column.bits > 0] or [*comparison.original.qi]
        parts = {
            "recognition": recognised.summary() if guesses else None,
            "at_risk": findings.at_risk(
                recognised,
                comparison.truth,
                table_findings.class_size_of_each_row(comparison.released),
                plan.people,
                partial(reasons_in_table, comparison, guesses, names=compared),
                partial(table_findings.row_values, comparison.original) if plan.show_data else None,
            ),
            "usefulness": table_usefulness(comparison),
            "class_sizes": table_findings.class_sizes(comparison.released),
            "learned_columns": learned,
            "risks": risks,
        }
        return Findings(parts, records.hstack(risk_of_each))


def _truth_by_key(original: pl.DataFrame, released: pl.DataFrame, key: str) -> Truth:
    for table, frame in (("original", original), ("released", released)):
        align.check_key_column(frame, key, table)
    known, shown = align.comparable_text(original[key], released[key])
    for table, column in (("original", known), ("released", shown)):
        align.check_key_values(column, table, "--key")
    rows = pl.DataFrame({"key": known, "row": np.arange(len(known))})
    matches = pl.DataFrame({"key": shown}).join(rows, on="key", how="left", maintain_order="left")["row"]
    lost = matches.is_null().arg_true()
    if len(lost):
        raise InputError(
            f"--key: {shown[lost[0]]!r} in row {lost[0]} of the release is no {key!r} of the original; "
            "every released key must occur there"
        )
    return Truth(matches.to_numpy().astype(np.int64))
