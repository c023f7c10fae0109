"""The attacker who knows the recipe: what that is worth, and what could be repeated of it."""

from __future__ import annotations

from icefire.core.formatting import percent
from icefire.core.scorecard import Scorecard

TITLE = "Attacker who knows the recipe"
_SOURCES = {
    "release": "the recipe kept with the release",
    "given": "the recipe {name}",
    "guessed": "likely recipes, since none was named",
}


def line(card: Scorecard) -> str:
    """Say how many people are identified with the recipe and without it; empty where no recipe is known."""
    if card.replay is None:
        return ""
    known = _SOURCES[card.replay.source].format(name=card.replay.recipe).strip()
    attack = card.attacks.get("replay")
    if attack is None:
        return f"replay tried {known} and did not run: it {card.left_out.get('replay', 'was not chosen')}."
    without = card.attacks.get("link")
    compared = "" if without is None else f"; without the recipe {percent(without.rate)}, by link"
    return f"{percent(attack.rate)} identified, by replay with {known}{compared}. {_steps(card)}"


def _steps(card: Scorecard) -> str:
    assert card.replay is not None
    if not card.replay.explained:
        worth = "Repeating its steps explains the release no better than the original alone."
    else:
        worth = f"Repeated: {', '.join(card.replay.repeated)}."
    learned = f" Learned instead: {', '.join(card.replay.learned)}." if card.replay.learned else ""
    return worth + learned
