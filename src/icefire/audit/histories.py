"""Histories for the driver: many rows per person."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from icefire.audit.adapter import Adapter, Findings, ReleaseFiles
from icefire.audit.correspondence import LoadedRelease, TruthSource, as_truth, truth_by_order
from icefire.audit.findings import common as findings
from icefire.audit.findings import histories as history_findings
from icefire.audit.findings import points
from icefire.audit.findings.person_reasons import reasons_in_history
from icefire.audit.findings.recognition import recognised_people
from icefire.audit.findings.usefulness import history_usefulness
from icefire.audit.judge import Claim
from icefire.audit.knowledge.register import RegisterSource
from icefire.audit.name_pairs import read_name_pairs, subjects_of_pairs
from icefire.audit.obstacles import histories as history_obstacles
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.linking import AskedPeriods, ask_linking, several_pseudonyms
from icefire.core import codes, registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError
from icefire.core.history import History, HistoryCase, HistoryComparison
from icefire.core.history.fields import NEEDED
from icefire.core.history.history import positions
from icefire.core.history.publishing import shuffled
from icefire.core.history.views import history_profile, history_view
from icefire.core.knowledge import Knowledge
from icefire.core.profiles import Profile
from icefire.core.reading import Expected
from icefire.core.release import Guess, Release, Truth
from icefire.core.scorecard import Reason, Roles, Table
from icefire.core.types import DataKind, Progress
from icefire.core.views import View
from icefire.io import folder
from icefire.io.format import Format
from icefire.io.histories import NAMES, read
from icefire.io.tables import read_source
from icefire.kernels.types import Int


class HistoryAdapter(Adapter[History, HistoryCase, HistoryComparison]):
    """A history: subjects are people, and a release calls its columns as the original does."""

    kind: ClassVar[DataKind] = "history"
    joint_attack: ClassVar[str] = "link"

    def load(self, files: ReleaseFiles, original: History, *, records_only: bool = False) -> LoadedRelease[History]:
        """Open a released file, a release folder, a frame, a `History` or a `Release`."""
        source = files.source
        truth: Truth | Path | None = None
        recipe: dict[str, Any] = {}
        if isinstance(source, Release):
            released, truth, recipe = source.released, source.truth, source.recipe
        elif isinstance(source, History):
            released = source
        else:
            released = _read(files, original)
            if isinstance(source, str | os.PathLike):
                truth, recipe = folder.truth_of(Path(source)), folder.recipe(Path(source))
        known, shown = _spelled_alike(original, released)
        return LoadedRelease(known, shown, released.frame, original, truth, recipe)

    def check_membership(self) -> None:
        """Refuse: there is no attack on the membership of a history."""
        raise ParameterError(
            "--ask membership is for a table with one row per person, but this is a history; leave it out"
        )

    def check_period(self) -> None:
        """A history may have pseudonyms that change."""

    def read_holdout(self, source: Any, original: History, how: Format | None) -> Dataset:
        """Refuse: nothing is asked about hidden values of a history."""
        raise ParameterError("--holdout is for a table with one row per person, but this is a history; leave it out")

    def truth(self, original: History, release: LoadedRelease[History], source: TruthSource) -> Truth:
        """Take the truth given, match by unchanged names or by order, or take the truth that came with the release."""
        source.check()
        released = release.released
        if source.key is not None:
            return _truth_by_name(original, released, source.key)
        if source.aligned:
            return truth_by_order(original.subjects, released.subjects, "subjects")
        pairs = read_name_pairs(source.truth)
        if pairs is not None:
            return subjects_of_pairs(pairs, original.names, released.names)
        truth = release.truth if source.truth is None else source.truth
        if truth is None:
            raise ParameterError(
                "which released subject is which original one is not known; pass --truth FILE, --aligned, or "
                f"--key={original.fields.subject} if the names are unchanged"
            )
        return as_truth(truth).checked(released.subjects, original.subjects)

    def describe_match(self, release: LoadedRelease[History], source: TruthSource) -> str:
        """Say in words how subjects were matched."""
        if source.key is not None:
            return "by name: the release calls the subjects as the original does"
        if source.aligned:
            return "by order: both files have the same subjects in the same order"
        return "by the truth kept with the release" if source.truth is None else "by a truth file"

    def is_in_original_order(self, truth: Truth) -> bool:
        """Subjects have no order in a file of transactions."""
        return False

    def case(self, original: History, released: History) -> HistoryCase:
        """Make what an attacker receives."""
        return HistoryCase(original, released)

    def compare(self, case: HistoryCase, truth: Truth) -> HistoryComparison:
        """Make what measures and the judge receive."""
        return HistoryComparison(case, truth)

    def shuffle(self, released: History, rng: np.random.Generator) -> tuple[History, Int]:
        """Rename the subjects and shuffle all rows."""
        return shuffled(released, rng)

    def describe(self, data: History) -> Table:
        """Name, rows, digest and subjects of the history."""
        return Table(data.name, data.height, data.digest, data.subjects)

    def roles(self, data: History) -> Roles:
        """Columns of a history have meanings instead of roles; the scorecard's history part tells them."""
        return Roles([], [], [], [], "given")

    def profile(self, name: Profile, data: History) -> Knowledge:
        """Return what a named attacker knows, by the meanings of the columns."""
        return history_profile(name, data)

    def view(
        self, release: LoadedRelease[History], knowledge: Knowledge, rng: np.random.Generator
    ) -> tuple[View[History], History]:
        """Take the columns known of the people known."""
        return history_view(release.original, knowledge, rng), release.released

    def register(
        self, release: LoadedRelease[History], source: RegisterSource, truth: Truth
    ) -> tuple[View[History], History]:
        """Refuse: a register has one row per person."""
        raise ParameterError(
            "--register is for a table with one row per person, but this is a history; name what is known with --knows"
        )

    def shared_columns(self, known: History, released: History) -> tuple[str, ...]:
        """Name the columns of the rows, the name of the subject excepted, then those of the customer tables."""
        subject = known.fields.subject
        names = [column for meaning, column in known.fields.present.items() if released.has(meaning)]
        if known.customers is not None and released.customers is not None:
            names += [column for column in known.customers.columns if column in released.customers.columns]
        return tuple(name for name in names if name != subject)

    def unavailable(self, released: History) -> dict[str, str]:
        """Attacks need the columns they compare in the release, too."""
        reasons = {}
        for entry in registry.entries("attack", "history"):
            lacking = next((need for need in entry.needs if not released.has(need)), None)
            if lacking is not None:
                what = "the table of customers" if lacking == "customers" else f"a {lacking} column"
                reasons[entry.name] = f"needs {what} in the release too"
        return reasons

    def claim(self, comparison: HistoryComparison, plan: AuditPlan) -> Claim | None:
        """The AYA rule compares rows of tables; it does not apply."""
        return None

    def ask_linking(self, comparison: HistoryComparison, plan: AuditPlan) -> AskedPeriods | None:
        """Put the question for neighbouring periods where somebody has several pseudonyms."""
        if not several_pseudonyms(comparison):
            return None
        return ask_linking(comparison, plan, self.unavailable(comparison.released))

    def obstacles(
        self,
        release: LoadedRelease[History],
        comparison: HistoryComparison,
        guesses: Mapping[str, Guess],
        findings: Findings,
        identified_limit: float,
        seed: int,
        known_columns: Collection[str] | None = None,
    ) -> list[Reason]:
        """Look for identifiers, columns without attack, verbatim histories and a false correspondence."""
        return history_obstacles.history_obstacles(comparison, guesses, identified_limit, seed)

    def findings(
        self,
        comparison: HistoryComparison,
        guesses: Mapping[str, Guess],
        plan: AuditPlan,
        published: pl.DataFrame | None,
        progress: Progress,
    ) -> Findings:
        """Find people at risk, who resembles whom, what partial knowledge is worth, and what theory expects."""
        recognised = recognised_people(comparison.truth, guesses, comparison.original.people, self.joint_attack)
        records = findings.records(comparison.truth, guesses, recognised)
        progress("judge: partial knowledge and theory")
        parts = {
            "recognition": recognised.summary() if guesses else None,
            "at_risk": findings.at_risk(
                recognised,
                comparison.truth,
                history_findings.group_size_of_each_subject(comparison.released),
                plan.people,
                partial(reasons_in_history, comparison, guesses),
                (lambda subject: {"name": comparison.original.names[subject]}) if plan.show_data else None,
                comparison.original.names.to_list(),
            ),
            "usefulness": history_usefulness(comparison),
            "learned_columns": history_findings.learned_columns(guesses),
            "history": history_findings.history_part(comparison, seeds.generator(plan.seed, "knowledge")),
            "points": points.points_findings(comparison.released, seeds.generator(plan.seed, "points")),
        }
        return Findings(parts, records)


def _names(original: History) -> list[str]:
    """Name the columns whose values are names, whatever they look like."""
    return [column for meaning, column in original.fields.present.items() if meaning in NAMES]


def _read(files: ReleaseFiles, original: History) -> History:
    """Read the transactions and customers of a release; a release folder says itself how it was written."""
    source, how, customers, customers_how = files.source, files.how, files.customers, files.customers_how
    if isinstance(source, str | os.PathLike):
        given = Path(source)
        if folder.is_release(given):
            source, how, customers_how = folder.table(given), None, None
            customers = customers or folder.customers(given)
    read_table = read_source(source, how, Expected(_names(original), is_release=True))
    frame = read_table.frame
    there = [name for name in frame.columns if frame[name].null_count() < frame.height]
    # A release may lack columns of the original, or hold nothing in them.
    meanings = {
        meaning: name for meaning, name in original.fields.present.items() if meaning in NEEDED or name in there
    }
    released = read(frame, meanings, customers=customers, customers_how=customers_how, date_order=original.date_order)
    if not isinstance(source, str | os.PathLike):
        return released
    return replace(released, name=read_table.name, digest=read_table.digest)


def _spelled_alike(original: History, released: History) -> tuple[History, History]:
    """Return both histories with the same spelling of items: a release may have lost leading zeros."""
    known, shown = original.frame[original.fields.item], released.frame[released.fields.item]
    left, right = codes.same_spelling(known, shown)
    if left is known:
        return original, released
    return original.with_frame(original.frame.with_columns(left)), released.with_frame(
        released.frame.with_columns(right)
    )


def _truth_by_name(original: History, released: History, key: str) -> Truth:
    if key != original.fields.subject:
        raise ParameterError(f"--key is {key!r}; in a history it can only be the subject, {original.fields.subject!r}")
    matches = positions(released.names, original.names)
    lost = np.flatnonzero(matches < 0)
    if len(lost):
        raise InputError(f"--key: {released.names[int(lost[0])]!r} of the release is no subject of the original")
    return Truth(matches)
