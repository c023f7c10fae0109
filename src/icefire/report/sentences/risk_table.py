"""The table of risk models: each with the attack that comes nearest to what it describes."""

from __future__ import annotations

from dataclasses import dataclass

from icefire.core.formatting import count, counted, percent
from icefire.core.scorecard import Scorecard
from icefire.report.sentences.risks import (
    RANDOM_ATTACK,
    at_most,
    best_attack,
    expected_by_lots,
    match_nobody,
    part_of,
    threshold,
)
from icefire.risk import Classes, Population, Risks, SpecialUniques

NO_ATTACK = "no attack ran"


@dataclass(frozen=True, slots=True)
class RiskRow:
    """One model, what it assumes, what it says, and what the attacks achieved."""

    model: str
    assumes: str
    says: str
    achieved: str


def risk_rows(card: Scorecard) -> list[RiskRow]:
    """Draw up the table; without quasi-identifiers there is none."""
    risks = card.risks
    if risks is None or risks.classes is None:
        return []
    classes = risks.classes
    listed = [
        _prosecutor(risks, classes),
        _above(risks, classes),
        _journalist(card, risks, classes),
        _marketer(card, risks, classes),
        _unique(risks, classes),
    ]
    listed += [_population(classes.population)] if classes.population else []
    return listed + ([_special(risks, risks.special)] if risks.special else [])


def _prosecutor(risks: Risks, classes: Classes) -> RiskRow:
    best = best_attack(risks)
    return RiskRow(
        "Prosecutor risk",
        "The attacker knows that the person is in the release, and draws lots within the class.",
        f"highest {percent(classes.prosecutor.highest)}, mean {percent(classes.prosecutor.mean)}",
        f"{best[0]} identified {part_of(best[1].hits, risks.rows)}" if best else NO_ATTACK,
    )


def _above(risks: Risks, classes: Classes) -> RiskRow:
    return RiskRow(
        f"Prosecutor risk above {threshold(risks)}",
        "Rows in classes too small for the threshold chosen.",
        part_of(classes.prosecutor.rows_above, risks.rows),
        _split(risks, "above", classes.prosecutor.rows_above),
    )


def _journalist(card: Scorecard, risks: Risks, classes: Classes) -> RiskRow:
    lots = card.attacks.get(RANDOM_ATTACK)
    return RiskRow(
        "Journalist risk",
        "The attacker looks people up in the original, and draws lots within the class there.",
        f"highest {percent(classes.journalist.highest)}, mean {percent(classes.journalist.mean)}; "
        f"{part_of(classes.journalist.rows_above, risks.rows)} above {threshold(risks)}; "
        f"{match_nobody(classes)}",
        f"{RANDOM_ATTACK} found somebody of the same class for {part_of(lots.answered, lots.targets)}"
        if lots
        else NO_ATTACK,
    )


def _marketer(card: Scorecard, risks: Risks, classes: Classes) -> RiskRow:
    mean, reached = expected_by_lots(card), risks.attacks.get(RANDOM_ATTACK)
    averaged = "" if mean is None else f"{percent(mean)} on average, "
    drawn = f"{averaged}{percent(reached.hits / risks.rows)} in this draw" if reached else ""
    return RiskRow(
        "Marketer risk",
        "The attacker matches every row with somebody of its class in the original.",
        f"{percent(classes.marketer)} identified",
        f"{RANDOM_ATTACK}, which does just that: {drawn}" if reached else NO_ATTACK,
    )


def _unique(risks: Risks, classes: Classes) -> RiskRow:
    both = f"; {count(classes.unique_in_original)} of them unique in the original, too" if classes.unique else ""
    return RiskRow(
        "Unique in the release",
        "A row alone in its class can be singled out.",
        f"{part_of(classes.unique, risks.rows)}{both}",
        _split(risks, "unique", classes.unique),
    )


def _population(population: Population) -> RiskRow:
    return RiskRow(
        f"Unique in a population of {count(population.size)}",
        f"The release is a random sample of it; estimated by {population.model.capitalize()}'s model.",
        f"about {counted(round(population.uniques), 'person', 'people')}, and {percent(population.share)} of the rows "
        f"unique in the release; if a single person matches such a row, it is the right one in "
        f"{percent(population.correct_match)} of cases",
        "cannot be attacked: the population is not at hand",
    )


def _special(risks: Risks, uniques: SpecialUniques) -> RiskRow:
    return RiskRow(
        "Special uniques",
        f"A row alone by {at_most(uniques)} stands out most.",
        part_of(uniques.rows, risks.rows),
        _split(risks, "special", uniques.rows),
    )


def _split(risks: Risks, group: str, size: int) -> str:
    """What the best attack achieved within a group of rows, and among the others."""
    best = best_attack(risks)
    if best is None:
        return NO_ATTACK
    name, reached = best
    if not size:
        return f"{name} identified {part_of(reached.hits, risks.rows)} all the same"
    inside, others = int(getattr(reached, group)), risks.rows - size
    text = f"{name} identified {_among(inside, 'these', size)}"
    return f"{text} and {_among(reached.hits - inside, 'the other', others)}" if others else text


def _among(part: int, which: str, whole: int) -> str:
    return f"{count(part)} of {which} {count(whole)} ({percent(part / whole)})"
