"""Scores of membership: ROC curve, AUC, members recognised at few false alarms, and the advantage.

The higher a score, the likelier a member. Thresholds lie between distinct scores only: equal scores fall together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from icefire.audit import judge
from icefire.core.errors import InputError
from icefire.core.release import NO_ANSWER, Guess, Truth
from icefire.core.scorecard.membership import Interval, MembershipScores
from icefire.kernels.types import Bool, Float, Int

FALSE_ALARMS = ("0.01", "0.001")
"""Shares of outsiders taken for members at which the members recognised are counted."""
CHANCE = 0.05
"""Scores that tell nothing exceed the stated advantage in this share of audits."""
MOST_POINTS = 201


@dataclass(frozen=True, slots=True)
class Roc:
    """Outsiders and members whose score lies above each threshold, from none to all."""

    outsiders: Int
    members: Int

    @property
    def false_alarms(self) -> Float:
        """Shares of the outsiders."""
        shares: Float = self.outsiders / self.outsiders[-1]
        return shares

    @property
    def recognised(self) -> Float:
        """Shares of the members."""
        shares: Float = self.members / self.members[-1]
        return shares

    def members_at(self, share: float) -> int:
        """Count the members above the lowest threshold that at most this share of the outsiders lies above."""
        outsiders = int(share * int(self.outsiders[-1]) + 1e-9)
        return int(self.members[np.searchsorted(self.outsiders, outsiders, side="right") - 1])

    def points(self) -> list[tuple[float, float]]:
        """Return the curve, thinned evenly where it has very many points."""
        count = len(self.members)
        kept = np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).round().astype(np.int64))
        return [
            (round(float(x), 6), round(float(y), 6))
            for x, y in zip(self.false_alarms[kept], self.recognised[kept], strict=True)
        ]


def membership_scores(scores: Float, inside: Bool) -> MembershipScores:
    """Judge scores of members and outsiders.

    Args:
        scores: Of each target any finite number, the higher the likelier a member.
        inside: Who is a member.

    Returns:
        AUC, members recognised at few false alarms, advantage, and the curve.

    Raises:
        InputError: If members or outsiders are missing, or a score is not finite.
    """
    if not inside.any() or inside.all():
        raise InputError("membership is asked of members and outsiders; there must be some of both")
    if not np.isfinite(scores).all():
        raise InputError("scores of membership must be finite numbers; give one for each target")
    curve = roc(scores, inside)
    members, outsiders = int(inside.sum()), int((~inside).sum())
    auc, auc_ci = auc_with_interval(scores, inside)
    recognised = {share: curve.members_at(float(share)) for share in FALSE_ALARMS}
    return MembershipScores(
        members=members,
        outsiders=outsiders,
        auc=auc,
        auc_ci=auc_ci,
        tpr_at_fpr={share: count / members for share, count in recognised.items()},
        tpr_at_fpr_ci={share: judge.wilson(count, members) for share, count in recognised.items()},
        advantage=float((curve.recognised - curve.false_alarms).max()),
        advantage_by_chance=advantage_by_chance(members, outsiders),
        roc=curve.points(),
    )


def scores_of_answers(guess: Guess) -> Float:
    """Return the scores of an answer; a target that was given a row scores 1, one that was given none 0."""
    return (guess.first != NO_ANSWER).astype(np.float64) if guess.scores is None else guess.scores


def answers_judged(truth: Truth, guess: Guess, some: Bool | None = None) -> MembershipScores | None:
    """Judge the answers about all targets, or about some; None where these are all members, or all outsiders."""
    inside, scores = truth.rows != NO_ANSWER, scores_of_answers(guess)
    if some is not None:
        inside, scores = inside[some], scores[some]
    return membership_scores(scores, inside) if inside.any() and not inside.all() else None


def roc(scores: Float, inside: Bool) -> Roc:
    """Count outsiders and members above every threshold between distinct scores, the highest threshold first."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    members = np.cumsum(inside[order])[ends]
    return Roc(np.append(0, ends + 1 - members), np.append(0, members))


def auc_with_interval(scores: Float, inside: Bool) -> tuple[float, Interval]:
    """Return the chance that a member scores higher than an outsider (ties count half) and its 95 % interval.

    The interval is DeLong's. Where members and outsiders are separated without exception, his variance is 0; the
    interval is then Wilson's for as many trials as there are members or outsiders, whichever are fewer.
    """
    above = placements(scores[inside], scores[~inside])
    below = 1.0 - placements(scores[~inside], scores[inside])
    auc = float(above.mean())
    fewer = min(len(above), len(below))
    if auc in (0.0, 1.0):
        return auc, judge.wilson(auc * fewer, fewer)
    if fewer < 2:
        return auc, (0.0, 1.0)
    half = judge.Z_95 * math.sqrt(above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below))
    return auc, (max(0.0, auc - half), min(1.0, auc + half))


def placements(scores: Float, others: Float) -> Float:
    """Return for each score the share of the others that lie below it; equal ones count half."""
    ordered = np.sort(others)
    twice = np.searchsorted(ordered, scores, side="left") + np.searchsorted(ordered, scores, side="right")
    shares: Float = twice / (2.0 * len(others))
    return shares


def advantage_by_chance(members: int, outsiders: int) -> float:
    """Return the advantage that scores which tell nothing exceed in one of twenty audits (Kolmogorov and Smirnov)."""
    pairs = members * outsiders / (members + outsiders)
    return min(1.0, math.sqrt(-math.log(CHANCE) / (2.0 * pairs)))
