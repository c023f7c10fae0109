"""What games of contests with measures and attacks of their own have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from icefire.audit.limits import Gate
from icefire.contests.common.contest import Contest
from icefire.contests.common.game import (
    ORIGINAL,
    ORIGINAL_CUSTOMERS,
    RELEASED,
    TRUTH,
    ReleaseScoreParts,
)
from icefire.contests.games import limits
from icefire.contests.games.contest_rules import WORST, ContestRules
from icefire.core.scorecard import MeasureResult
from icefire.core.scorecard.attacks import AttackResult

WHOLE = "whole.csv"
"""The release as it was handed in, for the judge."""


class OwnFormulasGame(ContestRules):
    """A contest and the organiser's limits; measures and attacks go by the contest's own names."""

    handed_in: tuple[str, ...] = (RELEASED,)
    handed_out: tuple[str, ...] = (RELEASED,)
    judge_files: tuple[str, ...] = (TRUTH, WHOLE)
    checked: tuple[str, ...] = (ORIGINAL, RELEASED)

    def __init__(self, contest: Contest, organisers_limits: Mapping[str, float]) -> None:
        super().__init__(contest, organisers_limits)
        self._limits = limits.of_measures(organisers_limits)

    @property
    def measures(self) -> tuple[str, ...]:
        """All measures, in the order they are shown."""
        return self.contest.measures or ()

    @property
    def utilities(self) -> tuple[str, ...]:
        """The measures that count in the ranking of releases."""
        return self.contest.utilities

    @property
    def attacks(self) -> tuple[str, ...]:
        """The sample attacks, in the order they are shown."""
        return self.contest.attacks or ()

    @property
    def summaries(self) -> Mapping[str, str]:
        """What each measure and attack is, in one sentence."""
        return self.contest.summaries

    @property
    def score_parts(self) -> ReleaseScoreParts | None:
        """The contest's own score of a release in parts that add up to it."""
        return self._score_parts

    def _score_parts(self, values: Mapping[str, float | None], security: float | None) -> dict[str, float]:
        assert self.contest.score_parts is not None
        known = {name: WORST if (value := values.get(name)) is None else value for name in self.utilities}
        return {**dict.fromkeys(self.utilities, 0.0), **self.contest.score_parts(known, security or 0.0)}

    def report(self, measures: Mapping[str, MeasureResult], attacks: Mapping[str, AttackResult]) -> dict[str, Any]:
        """Write the results down."""
        gates = [
            Gate(name, limit, "max" if measures[name].better == "lower" else "min")
            for name, limit in self._limits.items()
        ]
        return {
            "measures": {name: {"value": one.value, "note": one.note} for name, one in measures.items()},
            "attacks": {
                name: {"hits": one.hits, "targets": one.targets, "rate": one.rate} for name, one in attacks.items()
            },
            "aya": None,
            "broken": limits.broken(measures, gates, self.utilities),
        }

    def fingerprint(self, given: Path, seed: int) -> dict[str, Any]:
        """Recognise the methods that made a release: none here."""
        return {"methods": [], "note": f"methods are not recognised in releases of {self.contest.name}"}

    @abstractmethod
    def write_unchanged(self, given: Path) -> None:
        """Write the files of a submission that releases the original in the folder as it is."""

    @abstractmethod
    def unreadable(self, given: Path) -> list[str]:
        """Say which handed-in files are no plain text, or larger than the game allows."""

    def original_problems(self, given: Path) -> list[str]:
        """Check the original as if it were released as it is; what concerns the release alone is left out."""
        self.write_unchanged(given)
        problems = self.contest.find_problems([given / name for name in self.checked])
        return [str(problem) for problem in problems if problem.file in (ORIGINAL, ORIGINAL_CUSTOMERS)]

    def submission_problems(self, given: Path) -> list[str]:
        """Check the files of a submission as the contest does."""
        unreadable = self.unreadable(given)
        if unreadable:
            return unreadable
        return [str(problem) for problem in self.contest.find_problems([given / name for name in self.checked])]
