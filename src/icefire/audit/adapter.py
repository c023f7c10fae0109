"""What the driver has to know about one kind of data: how it is opened, matched, compared and shuffled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import polars as pl

from icefire.audit.correspondence import LoadedRelease, TruthSource
from icefire.audit.judge import Claim
from icefire.audit.knowledge.register import RegisterSource
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.linking import AskedPeriods
from icefire.core.dataset import Dataset
from icefire.core.knowledge import Knowledge
from icefire.core.profiles import Profile
from icefire.core.release import Guess, Truth
from icefire.core.scorecard import Reason, Roles, Table
from icefire.core.types import DataKind, Progress
from icefire.core.views import View
from icefire.io.format import Format
from icefire.kernels.types import Int

DataT = TypeVar("DataT")
CaseT = TypeVar("CaseT")
ComparisonT = TypeVar("ComparisonT")


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """A release as the user names it, and how its text files are to be read."""

    source: Any
    how: Format | None = None
    customers: Any = None
    customers_how: Format | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What an audit finds beyond measures and rates."""

    parts: dict[str, Any]
    """Parts of the scorecard by field name."""
    records: pl.DataFrame
    """One row per released row or subject: its original, each attack's hit, how many agree. Secret."""


class Adapter(ABC, Generic[DataT, CaseT, ComparisonT]):
    """One kind of data, as the driver sees it."""

    kind: ClassVar[DataKind]
    joint_attack: ClassVar[str] = ""
    """The attack without which no release passes; empty where there is none for this kind of data."""

    @abstractmethod
    def load(self, files: ReleaseFiles, original: DataT, *, records_only: bool = False) -> LoadedRelease[DataT]:
        """Open a release; the truth beside it is not read. `records_only`: the original is only some of the people."""

    @abstractmethod
    def check_membership(self) -> None:
        """Refuse the question of membership where it cannot be asked."""

    @abstractmethod
    def check_period(self) -> None:
        """Refuse a period of changing pseudonyms where there are none."""

    @abstractmethod
    def read_holdout(self, source: Any, original: DataT, how: Format | None) -> Dataset:
        """Read people who are not in the data; refuse where nothing is asked about such."""

    @abstractmethod
    def truth(self, original: DataT, release: LoadedRelease[DataT], source: TruthSource) -> Truth:
        """Find which original each released row or subject comes from, in the one way that was named."""

    @abstractmethod
    def describe_match(self, release: LoadedRelease[DataT], source: TruthSource) -> str:
        """Say in words how released and original rows or subjects were matched."""

    @abstractmethod
    def is_in_original_order(self, truth: Truth) -> bool:
        """Tell whether the released rows stood in the order of the original; they are shuffled before the attacks."""

    @abstractmethod
    def case(self, original: DataT, released: DataT) -> CaseT:
        """Make what an attacker on the origin of rows receives."""

    def shuffled_case(self, case: CaseT, original: DataT, shuffled: DataT) -> CaseT:
        """Make what an attacker receives who sees the release of a case in another order."""
        return self.case(original, shuffled)

    @abstractmethod
    def compare(self, case: CaseT, truth: Truth) -> ComparisonT:
        """Make what measures and the judge receive."""

    @abstractmethod
    def shuffle(self, released: DataT, rng: np.random.Generator) -> tuple[DataT, Int]:
        """Return the release as a stranger sees it; its row or subject j was number order[j]."""

    @abstractmethod
    def describe(self, data: DataT) -> Table:
        """Name and size of the data, for the scorecard."""

    @abstractmethod
    def roles(self, data: DataT) -> Roles:
        """The columns by role."""

    @abstractmethod
    def profile(self, name: Profile, data: DataT) -> Knowledge:
        """Return what a named attacker knows of such data."""

    @abstractmethod
    def view(
        self, release: LoadedRelease[DataT], knowledge: Knowledge, rng: np.random.Generator
    ) -> tuple[View[DataT], DataT]:
        """Make what an attacker with some knowledge holds, and the release with values that compare with it."""

    @abstractmethod
    def register(
        self, release: LoadedRelease[DataT], source: RegisterSource, truth: Truth
    ) -> tuple[View[DataT], DataT]:
        """Read a register, and return its people, and the release with values that compare with theirs."""

    @abstractmethod
    def shared_columns(self, known: DataT, released: DataT) -> tuple[str, ...]:
        """Name the columns known that are in the release and that attacks compare."""

    @abstractmethod
    def unavailable(self, released: DataT) -> dict[str, str]:
        """Name the attacks that need something of the release that is not there, with the reason."""

    @abstractmethod
    def claim(self, comparison: ComparisonT, plan: AuditPlan) -> Claim | None:
        """Return the claimed correspondence as the AYA rule checks it; None where the rule does not apply."""

    def ask_linking(self, comparison: ComparisonT, plan: AuditPlan) -> AskedPeriods | None:
        """Put the question which pseudonyms are one person; None where everybody has one, as in tables."""
        return None

    @abstractmethod
    def obstacles(
        self,
        release: LoadedRelease[DataT],
        comparison: ComparisonT,
        guesses: Mapping[str, Guess],
        findings: Findings,
        identified_limit: float,
        seed: int,
        known_columns: Collection[str] | None = None,
    ) -> list[Reason]:
        """Find what stands in the way of the release whatever the limits say.

        `known_columns` are those that some attacker knows; None for all.
        """

    @abstractmethod
    def findings(
        self,
        comparison: ComparisonT,
        guesses: Mapping[str, Guess],
        plan: AuditPlan,
        published: pl.DataFrame | None,
        progress: Progress,
    ) -> Findings:
        """Find out who is at risk and why."""
