"""Membership: how well scores tell members from outsiders, per attack, and for rare people apart."""

from __future__ import annotations

from typing import Any

import msgspec

from icefire.core.scorecard.scores import Interval, Membership, MembershipScores

__all__ = ["Interval", "MembershipFindings", "MembershipResult", "MembershipScores"]


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
