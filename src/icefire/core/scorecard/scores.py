"""Scores that the judge gives to answers: shares with intervals, for origin and membership."""

from __future__ import annotations

import msgspec

from icefire.core.display import ShownInNotebooks

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
    advantage: float
    """Largest share of members above a threshold, less that of the outsiders."""
    advantage_by_chance: float
    """Scores that tell nothing reach this advantage in one of twenty audits."""
    roc: list[tuple[float, float]]
    """Outsiders and members above each threshold, as shares, from (0, 0) to (1, 1); at most 201 points."""


class Membership(msgspec.Struct, frozen=True):
    """How well a guess told members from others, and found their rows."""

    members: int
    outsiders: int
    recall: float
    """Members said to be members."""
    recall_ci: tuple[float, float]
    precision: float
    """Members among those said to be."""
    precision_ci: tuple[float, float]
    top_k: float
    """Members whose own row is among the answers."""
    top_k_ci: tuple[float, float]
    first: float
    """Members whose own row is the first answer."""
    balanced_accuracy: float
    balanced_accuracy_ci: tuple[float, float]
    advantage: float
    """Share of members said to be members, less that of the others: 0 for a coin, 1 for certainty."""
    advantage_ci: tuple[float, float]
    danger: float
    """recall · precision · top_k."""
    danger_final: float
    """The same with a hundredth added to each factor."""
    danger_final_ci: tuple[float, float]
    """95 % interval, from draws of the shares it is made of."""
    tpr: float
    """Members recognised at the threshold that at most 1 % of the outsiders reach; equal scores fall together."""
    tpr_ci: tuple[float, float]


class Score(ShownInNotebooks, msgspec.Struct, frozen=True, omit_defaults=True):
    """How well a guess did."""

    rate: float
    hits: int
    targets: int
    answered: int
    ci: tuple[float, float]
    baseline: float
    expected: float | None = None
    """Exact expectation where the answers were drawn at random."""
    recall: float | None = None
    precision: float | None = None
    top_k: float | None = None
    membership: Membership | None = None
    """Everything about members and outsiders, where the truth holds both."""
    scores: MembershipScores | None = None
    """Where the guess holds scores of membership: AUC, members recognised at few false alarms, advantage, ROC curve."""
