"""The risk of released people of whom a few points are known, against the number of points."""

from __future__ import annotations

import math

import numpy as np

from icefire.audit.judge import Z_95, wilson
from icefire.core.errors import SchemaError
from icefire.core.history import History
from icefire.core.scorecard.points import PointsFindings, PointsRisk
from icefire.kernels.types import Bool, Float
from icefire.risk.known_points import KnownPoints, PeopleAtRisk, PointsKnowledge

MOST_POINTS = 5
KNOWLEDGE = (
    PointsKnowledge("items", MOST_POINTS),
    PointsKnowledge("counts", MOST_POINTS),
    PointsKnowledge("time", MOST_POINTS, precision="day"),
    PointsKnowledge("order", MOST_POINTS),
)
"""The kinds of the curve; each with 1 to MOST_POINTS points."""
SETS = 20
"""Random sets of points per person."""
PAIR_EFFORT, EFFORT = 2_000_000, 300_000
"""Steps of the search of one person, for two points and for more; beyond, the interval holds the bound."""
LOOK_UP = 30
"""Steps to look the points of a set up in somebody's history."""
MOST_PEOPLE, FEWEST_PEOPLE = 1_000, 100
MOST_STEPS = 400_000_000
"""Of more people so many are drawn that all searches for two points take about so many steps."""


def points_findings(released: History, rng: np.random.Generator) -> PointsFindings:
    """Compute the curves on the release alone, for everybody or for a sample.

    Args:
        released: The released history.
        rng: Draws the sample and the sets of points.
    """
    people = np.unique(released.codes)
    asked = np.sort(rng.permutation(people)[: _number_of_people(released)])
    seed = int(rng.integers(1 << 62))
    curve: list[PointsRisk] = []
    left_out: dict[str, str] = {}
    for known in KNOWLEDGE:
        try:
            points = KnownPoints(released, known)
        except SchemaError:
            left_out[known.kind] = "needs a date column in the release"
            continue
        for k in range(1, MOST_POINTS + 1):
            effort = EFFORT if k > 2 else PAIR_EFFORT
            at_risk = points.risk_of_people(asked, k, seed=seed, sets=SETS, effort=effort)
            curve.append(_summed_up(known, k, at_risk, len(people)))
    return PointsFindings(len(people), len(asked), SETS, curve, left_out)


def _number_of_people(released: History) -> int:
    """How many people can be asked about: the more others share their goods, the fewer."""
    baskets = released.baskets
    held = baskets.buyers[baskets.items]
    steps = min(float(held.mean()) * float(baskets.sizes.mean()) ** 2, PAIR_EFFORT)
    steps += SETS * LOOK_UP * float(held.mean())
    return int(np.clip(MOST_STEPS / steps, FEWEST_PEOPLE, MOST_PEOPLE))


def _summed_up(known: PointsKnowledge, k: int, at_risk: PeopleAtRisk, people: int) -> PointsRisk:
    asked = len(at_risk.risk)
    single, perhaps = at_risk.risk == 1.0, at_risk.bound == 1.0
    return PointsRisk(
        kind=known.kind,
        k=k,
        setting=known.setting,
        mean=float(at_risk.mean.mean()),
        mean_ci=_interval(at_risk.mean, at_risk.mean, at_risk.mean_variance, people),
        worst=float(at_risk.risk.mean()),
        worst_ci=_interval(at_risk.risk, at_risk.bound, np.zeros(asked), people),
        singled_out=float(single.mean()),
        singled_out_ci=_share_interval(single, perhaps, people),
        unfinished=int((~at_risk.complete).sum()),
        short=at_risk.short,
    )


def _interval(low: Float, high: Float, variance: Float, people: int) -> tuple[float, float]:
    """95 % interval of the mean over all people, from people drawn and values that lie between two bounds."""
    asked = len(low)
    within = float(variance.sum()) / asked**2
    ends = []
    for values, sign in ((low, -1), (high, 1)):
        between = float(values.var(ddof=1)) / asked * (1 - asked / people) if 1 < asked < people else 0.0
        ends.append(float(values.mean()) + sign * Z_95 * math.sqrt(within + between))
    return max(0.0, ends[0]), min(1.0, ends[1])


def _share_interval(low: Bool, high: Bool, people: int) -> tuple[float, float]:
    asked = len(low)
    if asked == people:
        return float(low.mean()), float(high.mean())
    return wilson(int(low.sum()), asked)[0], wilson(int(high.sum()), asked)[1]
