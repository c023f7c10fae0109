"""Problems with a contest's files, and the result of a check."""

from __future__ import annotations

from dataclasses import dataclass

from icefire.core.scorecard import Limit


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file: where it is and what is allowed instead."""

    file: str
    text: str
    row: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        place = [] if self.row is None else [f"row {self.row}"]
        place += [] if self.column is None else [f"column {self.column}"]
        return f"{self.file}: {', '.join(place)}{': ' if place else ''}{self.text}"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The problems of the files or, where there is none, how they compare with the contest's limits."""

    problems: tuple[Problem, ...] = ()
    limits: tuple[Limit, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def within_limits(self) -> bool:
        """Tell whether every limit holds."""
        return all(limit.passed for limit in self.limits)
