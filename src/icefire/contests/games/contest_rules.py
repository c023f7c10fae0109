"""The rules that every game takes from its contest and from the organiser."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from pathlib import Path

from icefire.contests.common.contest import Contest
from icefire.contests.common.game import AYA, SECURITY, FireRule

WORST = 1.0
"""What a utility without a value counts in a score; a release that lacks one is refused: shown, but not ranked."""


class ContestRules(ABC):
    """A contest, the organiser's limits on security, and which files are taken.

    Args:
        contest: What is played.
        organisers_limits: Limits by measure, and on security and AYA.
    """

    optional: tuple[str, ...] = ()
    """Files that a submission may have besides, for the judge alone."""
    draws = 0
    """How many samples of the original are drawn for each team."""
    has_aya = False
    """Whether the judge checks a claimed correspondence by AYA."""
    checked: tuple[str, ...]
    """Files in the order in which the contest's own check takes them."""

    def __init__(self, contest: Contest, organisers_limits: Mapping[str, float]) -> None:
        self.contest = contest
        self.security_limit = organisers_limits.get(SECURITY, contest.security_limit)
        self.aya_limit = organisers_limits.get(AYA, contest.aya_limit)

    def draw(self, original: Path, seed: int) -> bytes:
        """Draw no sample: a team anonymises the whole original."""
        raise NotImplementedError

    @property
    def has_header(self) -> bool:
        """Whether the released table has a header."""
        return bool(self.contest.reading["how"].has_header)

    @property
    def fire_rule(self) -> FireRule:
        """What ranks attackers."""
        return self.contest.fire_rule
