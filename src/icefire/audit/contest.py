"""What an audit needs of a contest.

Contests stand above audits, so an audit finds one by name, as the registry finds methods, and imports none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from icefire.core.scorecard import MeasureResult, Scorecard
from icefire.core.scorecard.attacks import AttackResult

PACKAGE = "icefire.contests"


@dataclass(frozen=True, slots=True)
class ContestFiles:
    """What a contest that measures and attacks by its own formulas is given."""

    original: Path
    released: Path
    customers: Path | None = None
    """Table with one row per person."""
    known: Sequence[Path] = ()
    """Parts of the original that attackers know."""
    pool: Path | None = None
    """People among whom the members of the release are sought."""
    seed: int = 0
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters by measure or attack, as the user gave them."""


@dataclass(frozen=True, slots=True)
class ContestFindings:
    """What such a contest found; a measure without a value says why in its note."""

    measures: Mapping[str, MeasureResult]
    attacks: Mapping[str, AttackResult]
    original_rows: int
    released_rows: int
    columns: Sequence[str] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Attacks that could not run, with the reason."""


OwnAudit = Callable[[ContestFiles], ContestFindings]


class AuditedContest(Protocol):
    """How a contest reads its original, what it measures, and which figures it adds to the scorecard."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def title(self) -> str:
        """Its title, with the year."""
        ...

    @property
    def reading(self) -> Mapping[str, Any]:
        """Keywords of `icefire.read` for the original."""
        ...

    @property
    def measures(self) -> tuple[str, ...] | None:
        """Measures by name or code; None: all that apply."""
        ...

    @property
    def attacks(self) -> tuple[str, ...] | None:
        """Attacks by name or code; None: all that apply."""
        ...

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """Parameters by measure or attack."""
        ...

    @property
    def own_audit(self) -> OwnAudit | None:
        """Measures and attacks a release by formulas of the contest; None: the registry's measures and attacks do."""
        ...

    def standing(self, card: Scorecard) -> dict[str, float]:
        """Return the contest's own figures for an audited release."""
        ...


def get_contest(name: str) -> AuditedContest:
    """Return the contest of this name or, for the path of a competition's file, the one that it describes.

    Raises:
        UnknownNameError: If there is no such contest.
        InputError: If the file cannot be read.
    """
    contest: AuditedContest = import_module(PACKAGE).get_or_read(name)
    return contest
