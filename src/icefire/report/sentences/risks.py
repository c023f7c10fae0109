"""Risk models compared with what the attacks achieved."""

from __future__ import annotations

from icefire.core.formatting import count, counted, number, percent
from icefire.core.scorecard import Scorecard
from icefire.risk import Classes, Identifier, Reached, Risks, SpecialRow, SpecialUniques
from icefire.words import said

RANDOM_ATTACK = "id_rand"
"""The attack that does what the models assume: it draws one at random among those who look alike."""
CLOSE = 0.005
"""A model and an attack that differ by less agree."""
SIZE_WORDS = ("a single one", "two together", "three together")
NOT_PROOF = (
    "The check goes by names and values of the released columns and can miss some. "
    "Finding nothing does not mean that the release meets the safe harbour."
)


def best_attack(risks: Risks) -> tuple[str, Reached] | None:
    """Name the attack that identified most released rows; the first of several."""
    return max(risks.attacks.items(), key=lambda item: item[1].hits, default=None)


def part_of(part: int, whole: int) -> str:
    """Write a count, the whole, and the share."""
    share = f" ({percent(part / whole)})" if whole else ""
    return f"{count(part)} of {count(whole)}{share}"


def rows(many: int) -> str:
    """Count rows."""
    return counted(many, "row")


def match_nobody(classes: Classes) -> str:
    """Count the rows whose class does not occur in the original."""
    return f"{rows(classes.unmatched)} {'matches' if classes.unmatched == 1 else 'match'} nobody"


def threshold(risks: Risks) -> str:
    """Write the threshold."""
    return f"{number(100 * risks.threshold)} %"


def expected_by_lots(card: Scorecard) -> float | None:
    """Share of released rows that a random draw within the class identifies on average; None if it was not tried.

    The attack's own rate may be a share of the original rows; its baseline tells which.
    """
    lots = card.attacks.get(RANDOM_ATTACK)
    if lots is None or lots.expected is None:
        return None
    return lots.expected / (lots.baseline * card.provenance.original.rows)


def reading(card: Scorecard) -> list[str]:
    """Explain the finding from the numbers, then what else the numbers tell; the first may be empty."""
    risks = card.risks
    if risks is None or risks.classes is None:
        return []
    classes = risks.classes
    _, numbers, why = _against_best(card, risks, classes)
    more = (_called_safe(risks, classes), _misled(card, classes), _recoded(classes), _unmatched(risks, classes))
    return [f"{numbers} {why}".strip(), *filter(None, more)]


def finding(card: Scorecard) -> str:
    """Say in one sentence whether models and attacks agree; empty where there is no model."""
    risks = card.risks
    return _against_best(card, risks, risks.classes)[0] if risks and risks.classes else ""


def _against_best(card: Scorecard, risks: Risks, classes: Classes) -> tuple[str, str, str]:
    """Compare the mean prosecutor risk with the best attack: the finding, the numbers, and what explains them."""
    best = best_attack(risks)
    if best is None:
        return "No attack ran, so there is nothing to compare the models with.", "", ""
    name, reached = best
    expected, achieved = classes.prosecutor.mean, reached.hits / risks.rows
    numbers = (
        f"Class sizes lead one to expect {percent(expected)} of the rows identified (mean prosecutor risk); "
        f"{name} identified {percent(achieved)}"
    )
    if achieved > expected + CLOSE:
        times = f", {achieved / expected:.1f} times as many" if achieved >= 1.1 * expected else ""
        knows = f"Its attacker knows {card.attacks[name].knows}. " if name in card.attacks else ""
        only = "The models look at quasi-identifiers only, and no class size protects against what else is known."
        return "The models promise too much here.", f"{numbers}{times}.", knows + only
    if achieved < expected - CLOSE:
        why = (
            "The models take the released quasi-identifiers for true; where they were changed, an attacker is misled. "
            "A better attack may come closer to the models."
        )
        return "The models expect more than the attacks achieved.", f"{numbers}.", why
    return "The models and the best attack agree.", f"{numbers}.", ""


def _called_safe(risks: Risks, classes: Classes) -> str:
    best, rest = best_attack(risks), risks.rows - classes.prosecutor.rows_above
    if best is None or not rest or best[1].hits == best[1].above:
        return ""
    name, reached = best
    return (
        f"Of the {rows(rest)} whose prosecutor risk is not above {threshold(risks)}, "
        f"{name} identified {count(reached.hits - reached.above)} "
        f"({percent((reached.hits - reached.above) / rest)})."
    )


def _misled(card: Scorecard, classes: Classes) -> str:
    achieved = expected_by_lots(card)
    if classes.recoded or achieved is None or achieved > classes.marketer - CLOSE:
        return ""
    return (
        f"Marketer risk expects {percent(classes.marketer)}, but drawing lots within the same class of the "
        f"original identifies {percent(achieved)} on average: many released quasi-identifiers "
        "lead to people the row does not come from."
    )


def _recoded(classes: Classes) -> str:
    if not classes.recoded:
        return ""
    return (
        "The release writes some quasi-identifiers differently, each value always in the same way: "
        f"{', '.join(classes.recoded)}. For the models the original was recoded alike, as an attacker who knows "
        "the rule would do. Of the attacks only cover reads such values; the others compare them as they stand and "
        "find less than is possible."
    )


def _unmatched(risks: Risks, classes: Classes) -> str:
    if not classes.unmatched:
        return ""
    best = best_attack(risks)
    though = f"; {best[0]} identified {count(best[1].unmatched)} of them all the same" if best else ""
    return (
        f"The quasi-identifiers of {part_of(classes.unmatched, risks.rows)} released rows occur nowhere in the "
        f"original. Journalist and marketer risk count these rows as not found{though}."
    )


def at_most(uniques: SpecialUniques) -> str:
    """Say how many columns were tried together."""
    if uniques.max_size == 1:
        return "a single quasi-identifier"
    return f"at most {uniques.max_size} quasi-identifiers together"


def special_uniques(risks: Risks, uniques: SpecialUniques) -> str:
    """Sum up who is alone by few columns."""
    if not uniques.rows:
        return f"No released row is alone by {at_most(uniques)}."
    named = [
        f"{count(many)} by {SIZE_WORDS[place] if place < len(SIZE_WORDS) else f'{place + 1} together'}"
        for place, many in enumerate(uniques.rows_by_size)
    ]
    return (
        f"{part_of(uniques.rows, risks.rows)} released rows {'is' if uniques.rows == 1 else 'are'} alone by "
        f"{at_most(uniques)}: {', '.join(named)}. "
        "They stand out to anybody who knows these few things; generalising the columns concerned helps most."
    )


def cut_short(uniques: SpecialUniques) -> str:
    """Say where a table was too large for the sets asked for."""
    if uniques.max_size >= uniques.asked_size:
        return ""
    return f"The table is too large to try combinations of {uniques.asked_size}."


def column_sets(row: SpecialRow) -> str:
    """Name the sets of columns that give a row away, and how many more there are."""
    named, more = "; ".join(" + ".join(columns) for columns in row.sets), sum(row.by_size) - len(row.sets)
    return f"{named}; and {count(more)} more" if more > 0 else named


def safe_harbour(risks: Risks) -> str:
    """Sum up the column check."""
    identifiers, checked = risks.safe_harbour.found, count(risks.safe_harbour.columns)
    if not identifiers:
        return f"None of the {checked} released columns looks like one of the 18 HIPAA identifiers."
    verb = "columns looks" if len(identifiers) == 1 else "columns look"
    return f"{count(len(identifiers))} of {checked} released {verb} like one of the 18 HIPAA identifiers."


def looks_like(identifier: Identifier) -> str:
    """Name a kind of identifier with its paragraph."""
    return f"{said(identifier.what)} ({identifier.paragraph})"


def lines(card: Scorecard) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal; nothing where no model ran."""
    risks = card.risks
    if risks is None:
        return {}
    sentences = {}
    if risks.classes:
        sentences["Risk models"] = _numbers(risks, risks.classes)
        sentences["Models and attacks"] = " ".join(_against_best(card, risks, risks.classes)[:2]).strip()
    if risks.special:
        sentences["Special uniques"] = special_uniques(risks, risks.special)
    named = ", ".join(f"{column.column}: {looks_like(column)}" for column in risks.safe_harbour.found)
    return sentences | {"Safe harbour": f"{safe_harbour(risks)} {named}".strip()}


def _numbers(risks: Risks, classes: Classes) -> str:
    above = part_of(classes.prosecutor.rows_above, risks.rows)
    unmatched = f"; {match_nobody(classes)} in the original" if classes.unmatched else ""
    return (
        f"prosecutor risk at most {percent(classes.prosecutor.highest)}, mean "
        f"{percent(classes.prosecutor.mean)}, above {threshold(risks)} in {above} rows; journalist risk at most "
        f"{percent(classes.journalist.highest)}; marketer risk {percent(classes.marketer)}{unmatched}"
    )
