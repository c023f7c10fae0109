"""What the risk models say, held against what the attacks achieved, in sentences; shared by terminal and page."""

from __future__ import annotations

from icefire.core import formatting
from icefire.core.scorecard import Scorecard
from icefire.risk import Classes, Identifier, Reached, Risks, SpecialRow, SpecialUniques

LOTS = "id_rand"
"""The attack that does what the models assume: it draws lots among those who look alike."""
CLOSE = 0.005
"""A model and an attack that differ by less agree."""
SIZES = ("a single one", "two together", "three together")
NOT_PROOF = (
    "The check goes by names and values of the released columns and can miss some. "
    "Finding nothing does not mean that the release meets the safe harbour."
)


def best(risks: Risks) -> tuple[str, Reached] | None:
    """Name the attack that identified most released rows; the first of several."""
    return max(risks.attacks.items(), key=lambda item: item[1].hits, default=None)


def of(part: int, whole: int) -> str:
    """Write a count, the whole, and the share."""
    share = f" ({formatting.percent(part / whole)})" if whole else ""
    return f"{formatting.count(part)} of {formatting.count(whole)}{share}"


def rows(count: int) -> str:
    """Count rows."""
    return "1 row" if count == 1 else f"{formatting.count(count)} rows"


def over(risks: Risks) -> str:
    """Write the threshold."""
    return f"{formatting.number(100 * risks.threshold)} %"


def drawing_lots(card: Scorecard) -> float | None:
    """Share of released rows that drawing lots within the class identifies on average; None if it was not tried.

    The attack's own rate may be a share of the original rows; its baseline tells which.
    """
    lots = card.attacks.get(LOTS)
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
    found = best(risks)
    if found is None:
        return "No attack ran, so there is nothing to compare the models with.", "", ""
    name, reached = found
    expected, achieved = classes.prosecutor.mean, reached.hits / risks.rows
    numbers = (
        f"Class sizes lead one to expect {formatting.percent(expected)} of the rows identified (mean prosecutor risk); "
        f"{name} identified {formatting.percent(achieved)}"
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
    found, rest = best(risks), risks.rows - classes.prosecutor.rows_above
    if found is None or not rest or found[1].hits == found[1].above:
        return ""
    name, reached = found
    return (
        f"Of the {rows(rest)} whose prosecutor risk is not above {over(risks)}, "
        f"{name} identified {formatting.count(reached.hits - reached.above)} "
        f"({formatting.percent((reached.hits - reached.above) / rest)})."
    )


def _misled(card: Scorecard, classes: Classes) -> str:
    achieved = drawing_lots(card)
    if classes.recoded or achieved is None or achieved > classes.marketer - CLOSE:
        return ""
    return (
        f"Marketer risk expects {formatting.percent(classes.marketer)}, but drawing lots within the same class of the "
        f"original identifies {formatting.percent(achieved)} on average: many released quasi-identifiers "
        "lead to people "
        "the row does not come from."
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
    found = best(risks)
    though = f"; {found[0]} identified {formatting.count(found[1].unmatched)} of them all the same" if found else ""
    return (
        f"The quasi-identifiers of {of(classes.unmatched, risks.rows)} released rows occur nowhere in the original. "
        f"Journalist and marketer risk count these rows as not found{though}."
    )


def at_most(found: SpecialUniques) -> str:
    """Say how many columns were tried together."""
    if found.max_size == 1:
        return "a single quasi-identifier"
    return f"at most {found.max_size} quasi-identifiers together"


def special(risks: Risks, found: SpecialUniques) -> str:
    """Sum up who is alone by few columns."""
    if not found.rows:
        return f"No released row is alone by {at_most(found)}."
    named = [
        f"{formatting.count(many)} by {SIZES[place] if place < len(SIZES) else f'{place + 1} together'}"
        for place, many in enumerate(found.rows_by_size)
    ]
    return (
        f"{of(found.rows, risks.rows)} released rows are alone by {at_most(found)}: {', '.join(named)}. "
        "They stand out to anybody who knows these few things; generalising the columns concerned helps most."
    )


def cut_short(found: SpecialUniques) -> str:
    """Say where a table was too large for the sets asked for."""
    if found.max_size >= found.asked_size:
        return ""
    return f"The table is too large to try combinations of {found.asked_size}."


def sets(row: SpecialRow) -> str:
    """Name the sets of columns that give a row away, and how many more there are."""
    named, more = "; ".join(" + ".join(columns) for columns in row.sets), sum(row.by_size) - len(row.sets)
    return f"{named}; and {formatting.count(more)} more" if more > 0 else named


def harbour(risks: Risks) -> str:
    """Sum up the column check."""
    found, looked = risks.safe_harbour.found, formatting.count(risks.safe_harbour.columns)
    if not found:
        return f"None of the {looked} released columns looks like one of the 18 HIPAA identifiers."
    verb = "columns looks" if len(found) == 1 else "columns look"
    return f"{formatting.count(len(found))} of {looked} released {verb} like one of the 18 HIPAA identifiers."


def looks_like(found: Identifier) -> str:
    """Name a kind of identifier with its paragraph."""
    return f"{found.what} ({found.paragraph})"


def lines(card: Scorecard) -> dict[str, str]:
    """Say it all in a few lines, by title; nothing where no model ran."""
    risks = card.risks
    if risks is None:
        return {}
    told = {}
    if risks.classes:
        told["Risk models"] = _numbers(risks, risks.classes)
        told["Models and attacks"] = " ".join(_against_best(card, risks, risks.classes)[:2]).strip()
    if risks.special:
        told["Special uniques"] = special(risks, risks.special)
    named = ", ".join(f"{found.column}: {looks_like(found)}" for found in risks.safe_harbour.found)
    return told | {"Safe harbour": f"{harbour(risks)} {named}".strip()}


def _numbers(risks: Risks, found: Classes) -> str:
    above = of(found.prosecutor.rows_above, risks.rows)
    return (
        f"prosecutor risk at most {formatting.percent(found.prosecutor.highest)}, mean "
        f"{formatting.percent(found.prosecutor.mean)}, above {over(risks)} in {above} rows; journalist risk at most "
        f"{formatting.percent(found.journalist.highest)}; marketer risk {formatting.percent(found.marketer)}"
    )
