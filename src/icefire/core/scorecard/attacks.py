"""What one attack on the origin of rows achieved, part of the scorecard."""

from __future__ import annotations

from typing import Any

import msgspec

from icefire.core.scorecard.scores import Score


class AttackResult(msgspec.Struct, frozen=True):
    """What one attack achieved."""

    code: str
    rate: float
    hits: int
    targets: int
    answered: int
    ci: tuple[float, float]
    baseline: float
    expected: float | None
    aya: float | None
    """Tables: rate that the AYA rule credits to this attack: right, or nearer than the claimed origin."""
    knows: str
    parameters: dict[str, Any]
    seconds: float
    recall: float | None = None
    """Share of the released rows with a known person that were identified: the rate, unless that is of the original."""
    precision: float | None = None
    """Share of the answers given that are right."""
    sampled: bool = False
    """Whether the targets are a random sample of the released rows: limits are compared with the interval."""


def attack_result(
    score: Score, *, code: str, aya: float | None, knows: str, parameters: dict[str, Any], seconds: float
) -> AttackResult:
    """Put a score beside what is known of its attack."""
    return AttackResult(
        code,
        score.rate,
        score.hits,
        score.targets,
        score.answered,
        score.ci,
        score.baseline,
        score.expected,
        aya,
        knows,
        parameters,
        seconds,
        score.hits / score.targets if score.targets else 0.0,
        score.hits / score.answered if score.answered else 0.0,
    )
