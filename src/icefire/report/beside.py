"""The table of risk models: each beside the attack that comes nearest to what it describes."""

from __future__ import annotations

from dataclasses import dataclass

from icefire.core import formatting
from icefire.core.scorecard import Scorecard
from icefire.report import risk_words
from icefire.report.risk_words import LOTS, of, over, rows
from icefire.risk import Classes, Population, Risks, SpecialUniques

NOTHING = "no attack ran"


@dataclass(frozen=True, slots=True)
class Beside:
    """One model, what it assumes, what it says, and what the attacks achieved."""

    model: str
    assumes: str
    says: str
    achieved: str


def lines(card: Scorecard) -> list[Beside]:
    """Draw up the table; without quasi-identifiers there is none."""
    risks = card.risks
    if risks is None or risks.classes is None:
        return []
    found = risks.classes
    listed = [
        _prosecutor(risks, found),
        _above(risks, found),
        _journalist(card, risks, found),
        _marketer(card, risks, found),
        _unique(risks, found),
    ]
    listed += [_population(found.population)] if found.population else []
    return listed + ([_special(risks, risks.special)] if risks.special else [])


def _prosecutor(risks: Risks, found: Classes) -> Beside:
    best = risk_words.best(risks)
    return Beside(
        "Prosecutor risk",
        "The attacker knows that the person is in the release, and draws lots within the class.",
        f"highest {formatting.percent(found.prosecutor.highest)}, mean {formatting.percent(found.prosecutor.mean)}",
        f"{best[0]} identified {of(best[1].hits, risks.rows)}" if best else NOTHING,
    )


def _above(risks: Risks, found: Classes) -> Beside:
    return Beside(
        f"Prosecutor risk above {over(risks)}",
        "Rows in classes too small for the threshold chosen.",
        of(found.prosecutor.rows_above, risks.rows),
        _split(risks, "above", found.prosecutor.rows_above),
    )


def _journalist(card: Scorecard, risks: Risks, found: Classes) -> Beside:
    lots = card.attacks.get(LOTS)
    return Beside(
        "Journalist risk",
        "The attacker looks people up in the original, and draws lots within the class there.",
        f"highest {formatting.percent(found.journalist.highest)}, mean {formatting.percent(found.journalist.mean)}; "
        f"{of(found.journalist.rows_above, risks.rows)} above {over(risks)}; {rows(found.unmatched)} match nobody",
        f"{LOTS} found somebody of the same class for {of(lots.answered, lots.targets)}" if lots else NOTHING,
    )


def _marketer(card: Scorecard, risks: Risks, found: Classes) -> Beside:
    mean, reached = risk_words.drawing_lots(card), risks.attacks.get(LOTS)
    averaged = "" if mean is None else f"{formatting.percent(mean)} on average, "
    drawn = f"{averaged}{formatting.percent(reached.hits / risks.rows)} in this draw" if reached else ""
    return Beside(
        "Marketer risk",
        "The attacker matches every row with somebody of its class in the original.",
        f"{formatting.percent(found.marketer)} identified",
        f"{LOTS}, which does just that: {drawn}" if reached else NOTHING,
    )


def _unique(risks: Risks, found: Classes) -> Beside:
    both = f"; {formatting.count(found.unique_in_original)} of them unique in the original, too" if found.unique else ""
    return Beside(
        "Unique in the release",
        "A row alone in its class can be singled out.",
        f"{of(found.unique, risks.rows)}{both}",
        _split(risks, "unique", found.unique),
    )


def _population(found: Population) -> Beside:
    return Beside(
        f"Unique in a population of {formatting.count(found.size)}",
        f"The release is a random sample of it; estimated by {found.model.capitalize()}'s model.",
        f"about {formatting.count(round(found.uniques))} people, and {formatting.percent(found.share)} of the rows "
        "unique in "
        f"the release; if a single person matches such a row, it is the right one in "
        f"{formatting.percent(found.correct_match)} of cases",
        "cannot be attacked: the population is not at hand",
    )


def _special(risks: Risks, found: SpecialUniques) -> Beside:
    return Beside(
        "Special uniques",
        f"A row alone by {risk_words.at_most(found)} stands out most.",
        of(found.rows, risks.rows),
        _split(risks, "special", found.rows),
    )


def _split(risks: Risks, group: str, size: int) -> str:
    """What the best attack achieved within a group of rows, and among the others."""
    best = risk_words.best(risks)
    if best is None:
        return NOTHING
    name, reached = best
    if not size:
        return f"{name} identified {of(reached.hits, risks.rows)} all the same"
    inside, others = int(getattr(reached, group)), risks.rows - size
    text = f"{name} identified {_among(inside, 'these', size)}"
    return f"{text} and {_among(reached.hits - inside, 'the other', others)}" if others else text


def _among(part: int, which: str, whole: int) -> str:
    return f"{formatting.count(part)} of {which} {formatting.count(whole)} ({formatting.percent(part / whole)})"
