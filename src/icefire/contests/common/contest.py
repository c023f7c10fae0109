"""What a contest declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from icefire.audit.contest import OwnAudit
from icefire.audit.limits import Gate
from icefire.contests.common.game import FireRule, Game
from icefire.contests.common.problem import CheckResult, Problem
from icefire.contests.common.sample_files import SampleFiles
from icefire.core.errors import ParameterError
from icefire.core.scorecard import Scorecard
from icefire.core.types import DataKind

ScoreParts = Callable[[Mapping[str, float], float], dict[str, float]]
Figures = Callable[[Mapping[str, float | None], float], dict[str, float]]


@dataclass(frozen=True, slots=True)
class Contest:
    """A contest: how its files are read and checked, what is measured, and what may not be exceeded."""

    name: str
    title: str
    files: tuple[str, ...]
    """What `icefire check` takes, in order."""
    find_problems: Callable[[Sequence[Path]], list[Problem]]
    """List what is wrong with the files."""
    reading: Mapping[str, Any]
    """Keywords of `icefire.read` for the original."""
    game: Callable[[Contest, Mapping[str, float]], Game]
    """How it is played in the arena, with an organiser's limits by measure."""
    sample: SampleFiles
    """Synthetic data that stand for the contest's own."""
    optional: int = 0
    """How many of the last files may be left out."""
    measure_limits: Callable[[Sequence[Path]], CheckResult] = lambda _: CheckResult()
    """Compare files without a problem with the contest's limits."""
    measures: tuple[str, ...] | None = None
    """Measures by name or code; None: all that apply to such data."""
    attacks: tuple[str, ...] | None = None
    """Sample attacks by name or code; None: all that apply to such data."""
    joint_attacks: bool = True
    """Whether the judge of the arena also runs the joint attacks on such data, beside `attacks`."""
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters by measure or attack."""
    utilities: tuple[str, ...] = ()
    """Measures, all errors, that count in the ranking of releases beside their security."""
    limits: tuple[Gate, ...] = ()
    """Worst values of measures that a submission may have."""
    security_limit: float = 1.0
    """Largest share of people that a sample attack may identify in a release that the arena ranks; 1 is no limit."""
    aya_limit: float = 1.0
    """Largest share that AYA may reach on a release that is ranked in the arena; 1 is no limit."""
    fire_rule: FireRule = "total"
    """What ranks attackers: all records identified, or the mean success on their three best releases."""
    score_parts: ScoreParts | None = None
    """The contest's own score of a release, from its utilities and its security: lower is better, in parts that add up
    to it, by utility and "security". None: the arena makes utilities and security comparable and adds them up."""
    own_audit: OwnAudit | None = None
    """Measures and attacks a release by formulas of the contest, where the registry has none for such data; `measures`
    and `attacks` then are names of the contest's own."""
    summaries: Mapping[str, str] = field(default_factory=dict)
    """What each measure and attack of the contest's own is, in one sentence."""
    figures: Figures = lambda values, security: {}
    """The contest's own figures, from the values of all measures and the security, which is the rate of the best
    attack."""

    @property
    def data(self) -> DataKind:
        """What the original is, in the registry's words."""
        return "history" if "subject" in self.reading else "table"

    def play(self, organisers_limits: Mapping[str, float] | None = None, *, joint_attacks: bool = True) -> Game:
        """Return how the contest is played.

        Args:
            organisers_limits: Limits that replace or add to the contest's own, by measure.
            joint_attacks: Whether the organiser wants the joint attacks among the sample attacks.

        Returns:
            The game.
        """
        played = replace(self, joint_attacks=self.joint_attacks and joint_attacks)
        return self.game(played, organisers_limits or {})

    def write_sample(self, table: Path, customers: Path, rows: int | None = None, seed: int | None = None) -> None:
        """Write synthetic originals: the table and, of a history, its customers."""
        self.sample.write(table, self.reading["how"], rows, seed)
        if self.data == "history":
            self.sample.write_customers(customers, self.reading["customers_how"], rows, seed)

    def check(self, paths: Sequence[Path]) -> CheckResult:
        """Check the files of a submission; limits are compared only where no file has a problem.

        Raises:
            ParameterError: If there are more or fewer files than the contest takes.
        """
        least = len(self.files) - self.optional
        if not least <= len(paths) <= len(self.files):
            raise ParameterError(
                f"{self.name} takes {' '.join(self.files)}"
                f"{f' (the last {self.optional} optional)' if self.optional else ''}; {len(paths)} files were given"
            )
        problems = self.find_problems(paths)
        return CheckResult(tuple(problems)) if problems else self.measure_limits(paths)

    def standing(self, card: Scorecard) -> dict[str, float]:
        """Return the contest's own figures for an audited release; none where no attack ran."""
        rates = [attack.rate for attack in card.attacks.values()]
        if not rates:
            return {}
        security = max([*rates, *([card.aya.rate] if card.aya else [])])
        return self.figures({name: result.value for name, result in card.measures.items()}, security)
