"""What an audit needs of a contest.

Contests stand above audits, so an audit finds one by name, as the registry finds methods, and imports none.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from icefire.core.scorecard import Scorecard

PACKAGE = "icefire.contests"


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

    def standing(self, card: Scorecard) -> dict[str, float]:
        """Return the contest's own figures for an audited release."""
        ...


def get_contest(name: str) -> AuditedContest:
    """Return the contest of this name.

    Raises:
        UnknownNameError: If there is no such contest.
    """
    contest: AuditedContest = import_module(PACKAGE).get(name)
    return contest
