"""What a game is: which files a team hands in, what is handed out, and how both are checked and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

FireRule = Literal["total", "best_three", "mean", "best_ten"]
AnswerKind = Literal["rows", "always", "marks", "maps"]
ReleaseScoreParts = Callable[[Mapping[str, float | None], float | None], dict[str, float]]
SECURITY = "security"
"""The criterion beside the utilities: the rate of the best attack."""
AYA = "aya"
"""The judge's check of a claimed correspondence."""

ORIGINAL, RELEASED, CUSTOMERS, ORIGINAL_CUSTOMERS = "original.csv", "released.csv", "customers.csv", "people.csv"
CORRESPONDENCE, TRUTH, ANSWERS, TARGETS = "correspondence.csv", "truth.csv", "guess.csv", "targets.csv"
RECIPE = "recipe.toml"


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """What a guess answers: so many questions, each with one of so many rows (counted from 0) or -1."""

    targets: int
    choices: int
    kind: AnswerKind = "rows"
    """rows: a row or -1. always: a row. marks: 0 or 1, with a fixed number of ones. maps: pseudonyms by month."""


@dataclass(frozen=True, slots=True)
class PublishedRelease:
    """What came of a submission: rows that were released, and a hash of them that no order and no name changes."""

    rows: int
    content: str


class Game(Protocol):
    """How a contest is played.

    Measures and attacks go by the code the papers gave them (U1, E1), others by their name. A folder `given` holds
    exactly the files of a task, by the names above.
    """

    @property
    def handed_in(self) -> tuple[str, ...]:
        """Files of a submission; the last one is the secret."""
        ...

    @property
    def optional(self) -> tuple[str, ...]:
        """Files that a submission may have besides; they are for the judge alone."""
        ...

    @property
    def checked(self) -> tuple[str, ...]:
        """Files in the order in which the contest's own check, `icefire check`, takes them."""
        ...

    @property
    def handed_out(self) -> tuple[str, ...]:
        """Files of a release that attackers get."""
        ...

    @property
    def judge_files(self) -> tuple[str, ...]:
        """Files that `publish` writes for the judge alone, such as the truth."""
        ...

    @property
    def measures(self) -> tuple[str, ...]:
        """All measures, in the order they are shown."""
        ...

    @property
    def utilities(self) -> tuple[str, ...]:
        """The measures, errors all, that count in the ranking of releases."""
        ...

    @property
    def attacks(self) -> tuple[str, ...]:
        """The sample attacks, in the order they are shown."""
        ...

    @property
    def summaries(self) -> Mapping[str, str]:
        """What each measure and attack is, in one sentence."""
        ...

    @property
    def fire_rule(self) -> FireRule:
        """What ranks attackers."""
        ...

    @property
    def has_header(self) -> bool:
        """Whether the released table has a header."""
        ...

    @property
    def has_aya(self) -> bool:
        """Whether the judge checks a claimed correspondence by AYA."""
        ...

    @property
    def security_limit(self) -> float:
        """Largest share of people that a sample attack may identify in a release that is ranked; 1 is no limit."""
        ...

    @property
    def aya_limit(self) -> float:
        """Largest share that AYA may reach on a release that is ranked; 1 is no limit."""
        ...

    @property
    def score_parts(self) -> ReleaseScoreParts | None:
        """The contest's own score of a release, from its measures and security; None: criteria are added up."""
        ...

    @property
    def draws(self) -> int:
        """How many samples of the original are drawn for each team, one of which it anonymises; 0 is none."""
        ...

    def draw(self, original: Path, seed: int) -> bytes:
        """Draw such a sample: the numbers of its rows, one in each line."""
        ...

    def count_originals(self, given: Path) -> int:
        """Count the people of the original, from the files everybody has."""
        ...

    def answer_shape(self, rows: int, originals: int) -> AnswerShape:
        """Say what a guess on a release of so many rows must answer."""
        ...

    def original_problems(self, given: Path) -> list[str]:
        """List what is wrong with an organiser's original, with row and column; files may be added to the folder."""
        ...

    def write_unchanged(self, given: Path) -> None:
        """Write the files of a submission that releases the original in the folder as it is."""
        ...

    def submission_problems(self, given: Path) -> list[str]:
        """List what is wrong with a submission, with row and column."""
        ...

    def publish(self, given: Path, out: Path, seed: int) -> PublishedRelease:
        """Write what is handed out, shuffled, and the truth for it."""
        ...

    def judge(self, given: Path, seed: int) -> dict[str, Any]:
        """Measure and attack a published release."""
        ...

    def judge_original(self, given: Path, seed: int) -> dict[str, Any]:
        """Judge the original as if it had been released unchanged."""
        ...

    def fingerprint(self, given: Path, seed: int) -> dict[str, Any]:
        """Recognise the methods that made a published release; no methods where the game has no table."""
        ...

    def guess_problems(self, given: Path, shape: AnswerShape) -> list[str]:
        """List what is wrong with a team's answers; the truth is not needed."""
        ...

    def score_guess(self, given: Path) -> dict[str, Any]:
        """Score a team's answers."""
        ...
