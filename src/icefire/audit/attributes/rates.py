"""Rates of guesses about hidden values: success, control, advantage with its interval, and who is certain."""

from __future__ import annotations

import math

import numpy as np

from icefire.audit.judge import wilson
from icefire.kernels.types import Bool, Float

DRAWS = 2_000
"""Draws of the shares that an interval of the advantage is made of."""
LEAST_CONTROLS = 30
"""Fewer people outside are too few to say that nothing is left to learn because all of them were guessed right."""
CHANCE = 0.01
"""Right claims that chance explains with at least this probability are not knowledge."""


def advantage(success: float, baseline: float) -> float:
    """Return (success - baseline) / (1 - baseline); 0 where nothing is left to learn."""
    return 0.0 if baseline >= 1 else (success - baseline) / (1 - baseline)


def advantage_interval(right: Bool, control: Bool, prior: Bool, paired: bool) -> tuple[float, float]:
    """Return a 95 % interval of the advantage: shares drawn as often as the answers make them likely.

    Args:
        right: Whose value was guessed right, of the people in the data.
        control: The same without the person's own row (paired), or of people outside.
        prior: Of the people in the data, whose value the prior's guess is right for; of nobody, if the advantage is
            to be over the control alone.
        paired: Whether the control is about the same people.

    Returns:
        The quantiles 0.025 and 0.975 of the advantage, where the combinations of right and wrong are drawn from a
        Dirichlet distribution with one added person in all; seeded. Where the control is always right, nothing is left
        to learn, and both are the value, unless so few people outside were asked that it may be chance.
    """
    value = advantage(float(right.mean()), max(float(control.mean()), float(prior.mean())))
    if prior.all() or (control.all() and (paired or len(control) >= LEAST_CONTROLS)):
        return value, value
    rng = np.random.default_rng(0)
    if paired:
        success, controls, priors = _draw_shares(rng, [right, control, prior])
    else:
        success, priors = _draw_shares(rng, [right, prior])
        (controls,) = _draw_shares(rng, [control])
    baseline = np.minimum(np.maximum(controls, priors), 1 - 1e-12)
    low, high = np.quantile((success - baseline) / (1 - baseline), (0.025, 0.975))
    return min(max(-1.0, float(low)), value), min(1.0, max(float(high), value))


def _draw_shares(rng: np.random.Generator, events: list[Bool]) -> list[Float]:
    """Draw the shares of events of one group of people, from how often their combinations occur."""
    cell = sum(event.astype(np.int64) << place for place, event in enumerate(events))
    cells = 1 << len(events)
    counts = np.bincount(np.asarray(cell), minlength=cells)
    # Combinations that cannot occur together get no weight beyond a trace.
    drawn = rng.standard_gamma(counts + 1 / cells, (DRAWS, cells))
    drawn /= drawn.sum(axis=1, keepdims=True)
    return [drawn[:, [c for c in range(cells) if c >> place & 1]].sum(axis=1) for place in range(len(events))]


def known_for_certain(claimed: Bool, right: Bool, own_row: Bool, prior_share: Float, tau: float) -> float:
    """Return how many of the claims of certainty are knowledge rather than chance.

    A claim says that the rows covering a person have one value. In a truthful release it is right wherever the
    person's own row is among them. Where values were changed, some claims are wrong, and as many in proportion are
    right by chance: these are taken off, and all are if chance explains the right ones altogether. Claims by rows that
    do not include the person's own count only if they can be relied on: if the share tau of them is right.

    Args:
        claimed: About whom a claim is made.
        right: Whose claim is right.
        own_row: Whose own row is among the covering ones.
        prior_share: Of the value claimed, its share in the release.
        tau: The share that counts as certain.
    """
    total = 0.0
    for own in (True, False):
        group = claimed & (own_row == own)
        hits, misses = int((right & group).sum()), int((~right & group).sum())
        if hits == 0:
            continue
        chance = float(prior_share[group].mean())
        if own and misses == 0:
            total += hits
        elif binomial_tail(hits, hits + misses, chance) < CHANCE:
            if own:
                total += max(0.0, hits - misses * chance / max(1e-12, 1 - chance))
            elif hits >= tau * (hits + misses):
                total += hits
    return total


def beyond_outsiders(known: float, interval: tuple[float, float], outsiders: Bool) -> tuple[float, tuple[float, float]]:
    """Return a share, with its interval, beyond what holds for people outside too.

    Args:
        known: Share of the people in the data.
        interval: Its 95 % interval.
        outsiders: For which people outside it holds.

    Returns:
        (known - outside) / (1 - outside), at least 0. The upper end takes the lower end of the share outside, the lower
        end the upper one, so the interval is rather too wide. All of many people outside leave nothing to learn.
    """
    outside = float(outsiders.mean())
    few, many = wilson(int(outsiders.sum()), len(outsiders))
    if outside == 1 and len(outsiders) >= LEAST_CONTROLS:
        few = 1.0
    low, high = max(0.0, advantage(interval[0], many)), max(0.0, advantage(interval[1], few))
    value = max(0.0, advantage(known, outside))
    return value, (min(low, value), max(high, value))


def binomial_tail(hits: int, trials: int, chance: float) -> float:
    """Return the probability of at least so many hits by chance."""
    if chance <= 0 or chance >= 1:
        return float(chance >= 1 or hits == 0)
    k = np.arange(hits, trials + 1)
    log_factorial = np.append(0.0, np.cumsum(np.log(np.arange(1, trials + 1))))
    terms = log_factorial[trials] - log_factorial[k] - log_factorial[trials - k]
    terms += k * math.log(chance) + (trials - k) * math.log1p(-chance)
    return float(min(1.0, np.exp(terms).sum()))
