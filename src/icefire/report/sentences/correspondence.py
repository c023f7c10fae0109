"""The claimed origin of every released row, and whether it is believable (the AYA check)."""

from __future__ import annotations

from icefire.core.formatting import count, counted, percent
from icefire.core.scorecard import Aya, Scorecard

SHUFFLED = (
    "The released file stands in the original's order. Rows were shuffled before the attacks; shuffle them before you "
    "publish, too."
)


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
            f"{aya.wraps} stays at {percent(aya.rate)} ({counted(aya.hits, 'row')})."
        )
    instead = f" instead of {percent(plain.rate)}" if plain else ""
    return (
        "If an answer nearer than the claimed origin counted as right, "
        f"{aya.wraps} would reach {percent(aya.rate)}{instead} ({counted(aya.hits, 'row')})."
    )


def is_contradicted(card: Scorecard) -> bool:
    """Tell whether the claimed correspondence contradicts rows whose origin is plain."""
    return any(reason.code == "correspondence" for reason in card.verdict.reasons)


def warning(card: Scorecard) -> str:
    """Say what a contradicted correspondence means and what to do; empty otherwise."""
    if not is_contradicted(card):
        return ""
    return (
        "Rows whose origin is plain belong to other people than claimed, so the rates above say nothing about the "
        "release. Check how rows were matched (the truth file, --aligned or --key) and audit again."
    )


def reading(card: Scorecard) -> str:
    """Say how to read the AYA check where nothing contradicts the correspondence."""
    return (
        "Nothing contradicts the claimed correspondence. Noise, averaging and swapping move rows away from their "
        "origin, so other rows may be nearer in an honest release."
    )
