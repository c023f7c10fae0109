"""What the scorecard says, in sentences for a reader who is not a statistician; shared by terminal and page."""

from __future__ import annotations

from typing import Any

from icefire.audit.verdict import AYA, REID, is_share
from icefire.core import formatting
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.release import Release
from icefire.core.scorecard import AttackResult, Aya, Limit, MeasureResult, Scorecard

# Where nearly all claimed origins are too far and hardly anybody is found, the claim itself is in doubt.
NEARLY_ALL = 0.9
HALF = 0.5
HARDLY_ANY = 0.1
SHUFFLED = "The released file stood in the original's order; rows were shuffled before the attacks."


def ranked(card: Scorecard) -> list[tuple[str, AttackResult]]:
    """Order the attacks, the one that identified most people first."""
    return sorted(card.attacks.items(), key=lambda item: -item[1].rate)


def inferred(source: str) -> bool:
    """Tell whether the roles are a guess."""
    return source == "inferred"


def role_source(source: str) -> str:
    """Say where the roles of the columns come from."""
    if inferred(source):
        return "The roles were inferred from the values: a guess. Check them before relying on any number here."
    if source == "given":
        return "The roles were named by whoever ran the audit."
    return f"The roles were read from {source}."


def matched(correspondence: str) -> str:
    """Say how released rows were matched to original ones."""
    known = {
        "truth": "by a truth file",
        "aligned": "row by row: both files in the same order",
        "key": "by a key column in both files",
        "made": "by the recipe that made the release",
    }
    return known.get(correspondence, correspondence) or "not recorded"


def direction(measure: MeasureResult) -> str:
    """Say which way is better."""
    return f"{measure.better} is better"


def limit_name(card: Scorecard, limit: Limit) -> str:
    """Say what a limit is about; empty for a measure, which explains itself."""
    if limit.name == REID:
        return "Re-identification rate of the most successful attack."
    if limit.name == AYA:
        return "Rate that the AYA check credits."
    return "Re-identification rate of this attack." if limit.name in card.attacks else ""


def limit_numbers(card: Scorecard, limit: Limit) -> tuple[str, str]:
    """Write the value found and the limit, rates in percent."""
    value, bound = formatting.beside(limit.value, limit.limit, is_share(card, limit.name))
    return value, f"{'at most' if limit.kind == 'max' else 'at least'} {bound}"


def limit_result(limit: Limit) -> str:
    """Say whether a limit holds."""
    if limit.value is None:
        return "not known, counts as failed"
    return "passed" if limit.passed else "failed"


def status(passed: bool | None) -> str:
    """Name the outcome in one word or two."""
    return {True: "Passed", False: "Failed", None: "No limit set"}[passed]


def farther(card: Scorecard, aya: Aya) -> str:
    """Say how many claimed origins are not the nearest."""
    share = f" ({formatting.percent(aya.farther / aya.checked)})" if aya.checked else ""
    drawn = "a sample of " if aya.checked < card.provenance.released.rows else ""
    return (
        f"For {formatting.count(aya.farther)} of {drawn}{formatting.count(aya.checked)} released rows{share} "
        "the claimed origin is not the nearest original row."
    )


def credited(card: Scorecard, aya: Aya) -> str:
    """Say what AYA credits to the attack it helps most."""
    plain = card.attacks.get(aya.wraps)
    if plain and plain.rate == aya.rate:
        return (
            "Counting an answer nearer than the claimed origin as right changes nothing: "
            f"{aya.wraps} stays at {formatting.percent(aya.rate)} ({formatting.count(aya.hits)} rows)."
        )
    instead = f" instead of {formatting.percent(plain.rate)}" if plain else ""
    return (
        "If an answer nearer than the claimed origin counted as right, "
        f"{aya.wraps} would reach {formatting.percent(aya.rate)}{instead} ({formatting.count(aya.hits)} rows)."
    )


def _farther_share(card: Scorecard) -> float:
    return card.aya.farther / card.aya.checked if card.aya and card.aya.checked else 0.0


def aya_warning(card: Scorecard) -> str:
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


def aya_reading(card: Scorecard) -> str:
    """Say how to read the AYA check where it gives no reason to warn."""
    if _farther_share(card) >= HALF:
        return (
            "Noise, averaging and swapping move rows away from their origin, so this can be honest; "
            "a false correspondence has the same effect."
        )
    return "Most claimed origins are the nearest row or tie with it, as in an honest correspondence."


def agreed(card: Scorecard) -> str:
    """Sum up how many rows at least one attack identified."""
    total = sum(card.agreement)
    found = total - card.agreement[0] if card.agreement else 0
    share = f" ({formatting.percent(found / total)})" if total else ""
    return (
        f"{formatting.count(found)} of {formatting.count(total)} released {unit(card)}{share} are "
        "identified by at least one "
        "attack."
    )


def alone(card: Scorecard) -> str:
    """Sum up how many released rows stand alone in their class."""
    rows = sum(group.rows for group in card.class_sizes)
    single = sum(group.rows for group in card.class_sizes if group.low == group.high == 1)
    if not single:
        return "No released row is alone in its class."
    share = f" ({formatting.percent(single / rows)})" if rows else ""
    return (
        f"{formatting.count(single)} of {formatting.count(rows)} released rows{share} are alone in their class: "
        "nobody else in the release has the same quasi-identifiers."
    )


def unit(card: Scorecard, many: bool = True) -> str:
    """Name what an attack identifies: rows of a table, customers of a history."""
    word = "row" if card.history is None else "customer"
    return word + "s" if many else word


def released_words(original: Dataset | History, release: Release[Any]) -> str:
    """Say how much of the original was released."""
    released = release.released
    if isinstance(original, History) and isinstance(released, History):
        added = f" ({original.height:,} in the original)" if released.height != original.height else ""
        return f"{released.subjects:,} of {original.subjects:,} customers, {released.height:,} rows{added} released"
    return f"{released.height:,} of {original.height:,} rows released"


def settings(card: Scorecard) -> dict[str, dict[str, Any]]:
    """Collect the parameters of every attack and measure that takes some."""
    every = {name: result.parameters for name, result in card.attacks.items()}
    every |= {name: result.parameters for name, result in card.measures.items()}
    return {name: parameters for name, parameters in every.items() if parameters}


def contribution(gain: float) -> str:
    """Say what knowing a column does for the attacker."""
    if abs(gain) < formatting.NOISE:
        return "makes no difference"
    return "helps the attacker" if gain > 0 else "misleads the attacker"
