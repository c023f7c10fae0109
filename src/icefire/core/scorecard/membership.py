"""Membership: how well scores tell members from outsiders, per attack, and for rare people apart."""

from __future__ import annotations

from typing import Any

import msgspec

from icefire.core.scorecard.scores import Membership

Interval = tuple[float, float]


class MembershipScores(msgspec.Struct, frozen=True, kw_only=True):
    """How well scores tell members from outsiders; a yes or no is a score of 1 or 0."""

    members: int
    outsiders: int
    auc: float
    """Chance that a member scores higher than an outsider; of equal scores half count."""
    auc_ci: Interval
    """95 % interval by DeLong."""
    tpr_at_fpr: dict[str, float]
    """Members recognised where at most this share of the outsiders is taken for members; equal scores fall together."""
    tpr_at_fpr_ci: dict[str, Interval]
    """95 % intervals by Wilson, on the members."""
    recognised: float
    """What a limit is compared with where everybody was asked about: members above the score that 1 % of all outsiders
    exceed, as estimated from those asked about (it lies between the scores of two of them)."""
    advantage: float
    """Largest share of members above a threshold, less that of the outsiders."""
    advantage_by_chance: float
    """Scores that tell nothing reach this advantage in one of twenty audits."""
    roc: list[tuple[float, float]]
    """Outsiders and members above each threshold, as shares, from (0, 0) to (1, 1); at most 201 points."""


class MembershipResult(MembershipScores, frozen=True, kw_only=True):
    """What one attack achieved that was asked who is in the release."""

    rare: MembershipScores | None = None
    """The same among rare people: the tenth of the original that is farthest from its fifth neighbour."""
    score: Membership | None = None
    """Recall, precision and top-k of the answers; None for an attack that names no rows."""
    knows: str
    parameters: dict[str, Any]
    seconds: float


class MembershipFindings(msgspec.Struct, frozen=True):
    """Records that were asked about, and how every attack did."""

    members: int
    outsiders: int
    attacks: dict[str, MembershipResult]
    left_out: dict[str, str] = {}
    """Membership attacks that could not run on these data, with the reason."""
    attacker: str = "maximum"
    """Who attacks."""
    words: str = ""
    """What is known, completing "an attacker who knows …"."""
    complete: bool = False
    """Whether everybody whom the release was made from was asked about."""
