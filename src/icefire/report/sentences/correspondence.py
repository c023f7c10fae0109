"""The claimed origin of every released row, and whether it is believable (the AYA check)."""

from __future__ import annotations

from icefire.core.formatting import count, percent
from icefire.core.scorecard import Aya, Scorecard

# Where nearly all claimed origins are too far and hardly anybody is found, the claim itself is in doubt.
NEARLY_ALL = 0.9
HALF = 0.5
HARDLY_ANY = 0.1
SHUFFLED = "The released file stood in the original's order; rows were shuffled before the attacks."


def farther(card: Scorecard, aya: Aya) -> str:
    """Say how many claimed origins are not the nearest."""
    share = f" ({percent(aya.farther / aya.checked)})" if aya.checked else ""
    drawn = "a sample of " if aya.checked < card.provenance.released.rows else ""
    return (
        f"For {count(aya.farther)} of {drawn}{count(aya.checked)} released rows{share} "
        "the claimed origin is not the nearest original row."
    )


def credited(card: Scorecard, aya: Aya) -> str:
    """Say what AYA credits to the attack it helps most."""
    plain = card.attacks.get(aya.wraps)
    if plain and plain.rate == aya.rate:
        return (
            "Counting an answer nearer than the claimed origin as right changes nothing: "
            f"{aya.wraps} stays at {percent(aya.rate)} ({count(aya.hits)} rows)."
        )
    instead = f" instead of {percent(plain.rate)}" if plain else ""
    return (
        "If an answer nearer than the claimed origin counted as right, "
        f"{aya.wraps} would reach {percent(aya.rate)}{instead} ({count(aya.hits)} rows)."
    )


def _farther_share(card: Scorecard) -> float:
    return card.aya.farther / card.aya.checked if card.aya and card.aya.checked else 0.0


def warning(card: Scorecard) -> str:
    """Warn where the claimed correspondence does not look true; empty otherwise."""
    best = max((attack.rate for attack in card.attacks.values()), default=1.0)
    if _farther_share(card) < NEARLY_ALL or best > HARDLY_ANY:
        return ""
    recipe = " The recipe as run tells whether its steps can explain this." if card.recipe else ""
    return (
        "Nearly every released row lies nearer to somebody else than to its claimed origin, and the attacks identify "
        "hardly anybody. Either the values were changed beyond recognition, as swapping and averaging do, or the "
        "claimed correspondence may be false; then the low rates say nothing. Check how rows were matched." + recipe
    )


def reading(card: Scorecard) -> str:
    """Say how to read the AYA check where it gives no reason to warn."""
    if _farther_share(card) >= HALF:
        return (
            "Noise, averaging and swapping move rows away from their origin, so this can be honest; "
            "a false correspondence has the same effect."
        )
    return "Most claimed origins are the nearest row or tie with it, as in an honest correspondence."
