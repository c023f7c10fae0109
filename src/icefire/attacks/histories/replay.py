"""The attack `replay` on histories: the attacker knows the recipe, but not its seed."""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

from icefire.attacks.answers import no_answers
from icefire.attacks.histories.link.attack import link
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess


@attack(
    "replay",
    data="history",
    knows="the recipe of the release but not its seed, and all rows of everybody",
)
def replay(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Repeat the steps of the recipe that draw nothing on the own copy of the original, then link the copy.

    The attacker knows how the release was made, not the seed: goods, dates, numbers and prices are coarsened, rows
    merged and pseudonyms changed as in the release. The joint attack `link` learns what the other steps did. Of several
    copies, and of the original itself, the one whose answers are surest is taken. Success is naming the right customer.

    Args:
        case: What the attacker holds: the original history, the released one, and copies of the original after the
            steps that can be repeated.
        rng: Generator handed to `link`.

    Returns:
        One original customer per released one with its probability, and notes: the steps that were repeated, and
        whether they helped. No answer where nothing is known of the recipe.
    """
    if not case.replayed:
        return changed(no_answers(case.targets), probability=np.zeros(case.targets))
    plain = link(HistoryCase(case.known, case.released), rng=rng)
    best = plain
    steps: tuple[str, ...] = ()
    for copy in reversed(case.replayed):
        guess = link(HistoryCase(copy.data, case.released), rng=rng)
        if _surety(guess) >= _surety(best):
            best = changed(guess, rows=np.append(copy.rows, NO_ANSWER)[guess.first])
            steps = copy.steps
    return changed(best, notes={**best.notes, "steps": list(steps), "explained": bool(steps)})


def _surety(guess: Guess) -> float:
    """Return the mean probability that the answers are right."""
    assert guess.probability is not None
    return float(guess.probability.mean())
