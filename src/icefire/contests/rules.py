"""What a contest is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from icefire.audit.verdict import Gate
from icefire.core.errors import ParameterError
from icefire.core.scorecard import Limit, Scorecard


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
class Checked:
    """What was found: problems with the files or, where there is none, the contest's limits."""

    problems: tuple[Problem, ...] = ()
    limits: tuple[Limit, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def within(self) -> bool:
        """Tell whether every limit holds."""
        return all(limit.passed for limit in self.limits)


@dataclass(frozen=True, slots=True)
class Rules:
    """A contest: how its files are read and checked, what is measured, and what may not be exceeded."""

    name: str
    title: str
    files: tuple[str, ...]
    """What `check` takes, in order."""
    check: Callable[[Sequence[Path]], list[Problem]]
    reading: Mapping[str, Any]
    """Keywords of `icefire.read` for the original."""
    judge: Callable[[Sequence[Path]], Checked] = lambda _: Checked()
    """Files without a problem against the contest's limits."""
    measures: tuple[str, ...] | None = None
    attacks: tuple[str, ...] | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    utilities: tuple[str, ...] = ()
    """Measures, all errors, that count in the ranking of releases beside their security."""
    limits: tuple[Gate, ...] = ()
    fire_rule: Literal["total", "best_three"] = "total"
    """What ranks attackers: all records identified, or the mean success on their three best releases."""
    optional: int = 0
    """How many of the last files may be left out."""
    standing: Callable[[Scorecard], dict[str, float]] = lambda _: {}
    """The contest's own figures, from a scorecard."""

    def checked(self, paths: Sequence[Path]) -> Checked:
        """Check the files of a submission; every problem is listed. Limits are looked at only if there is none."""
        least = len(self.files) - self.optional
        if not least <= len(paths) <= len(self.files):
            raise ParameterError(
                f"{self.name} takes {' '.join(self.files)}"
                f"{f' (the last {self.optional} optional)' if self.optional else ''}; {len(paths)} files were given"
            )
        problems = self.check(paths)
        return Checked(tuple(problems)) if problems else self.judge(paths)
