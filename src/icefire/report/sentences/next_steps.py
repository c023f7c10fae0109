"""What to do next: for every reason why a release does not pass, the step of a recipe or the option that may help."""

from __future__ import annotations

import math
from collections.abc import Iterator

from icefire.audit.limits import (
    ATTRIBUTE,
    ATTRIBUTE_ADVANTAGE,
    ATTRIBUTE_CERTAIN,
    DANGER,
    LINKING_RECALL,
    MEMBERSHIP_TPR,
    REID,
)
from icefire.core.formatting import bits, percent, spoken_list
from icefire.core.scorecard import LearnedColumn, Reason, Scorecard
from icefire.core.scorecard.attributes import AttributeColumn
from icefire.report.sentences import roles, safer_release
from icefire.words import t

COLUMNS_NAMED = 3
TELLING = 0.5
"""A column is worth naming if it gives away at least so many bits."""
USUAL_LIMIT = 0.09
MARGIN = 1.8
"""Classes are so many times as large as a draw within them needs to stay below the limit: attacks do better than that.

In classes of 1.8 / 0.09 = 20 with values exchanged inside, the best attack identified 3 to 4 % on three tables of 300
people; in classes of 12 it identified 6 to 10 %."""


def next_steps(card: Scorecard) -> list[str]:
    """List what to do, the most pressing first; names in back quotes are methods and commands."""
    if card.verdict.passed is None:
        return []
    steps = [t("next_steps.roles")] if card.history is None and roles.inferred(card.roles.source) else []
    if card.verdict.passed:
        return [*steps, t("next_steps.release"), *_room(card)]
    for reason in card.verdict.reasons:
        steps += _for_reason(card, reason)
    return [*dict.fromkeys(steps), t("next_steps.again")]


def commands(card: Scorecard) -> list[str]:
    """Return the commands that make a safer release and audit it, where classes of people who look alike help."""
    helped = card.verdict.passed is False and any(_asks_for_classes(card, reason) for reason in card.verdict.reasons)
    return safer_release.commands(card, _class_size(card)) if helped else []


def _asks_for_classes(card: Scorecard, reason: Reason) -> bool:
    if card.synthetic is not None or (card.history is None and not card.roles.qi):
        return False
    name = reason.evidence.get("name")
    about_limit = name == REID or name in card.attacks or name in (ATTRIBUTE_ADVANTAGE, ATTRIBUTE_CERTAIN, "k_min")
    return reason.code == "verbatim" or (reason.code == "limit" and about_limit)


def _for_reason(card: Scorecard, reason: Reason) -> list[str]:
    if reason.code == "verbatim" and card.synthetic is not None:
        return [t("next_steps.synthetic")]
    if reason.code == "verbatim":
        return list(_against_identification(card))
    if reason.code == "correspondence":
        return [t("next_steps.correspondence")]
    if reason.code == "identifier" and card.history is not None:
        return [t("next_steps.identifier_history", column=str(reason.evidence.get("column", "")))]
    if reason.code == "identifier":
        return [t("next_steps.identifier", column=str(reason.evidence.get("column", "")))]
    if reason.code != "limit":
        return [t("next_steps.not_assessed")]
    return list(_for_limit(card, str(reason.evidence.get("name", "")), reason))


def _for_limit(card: Scorecard, name: str, reason: Reason) -> Iterator[str]:
    if card.synthetic is not None:
        yield t("next_steps.synthetic" if name not in ATTRIBUTE else "next_steps.synthetic_values")
    elif name == REID or name in card.attacks:
        yield from _against_identification(card)
    elif name == "k_min":
        yield t("next_steps.crowd", k=_class_size(card))
    elif name in (ATTRIBUTE_ADVANTAGE, ATTRIBUTE_CERTAIN):
        yield from _against_identification(card)
        yield t("next_steps.hidden_values", column=_worst_hidden(card, name))
    elif name in (MEMBERSHIP_TPR, DANGER):
        yield t("next_steps.membership")
    elif name == LINKING_RECALL:
        yield t("next_steps.linking")
    else:
        yield t("next_steps.other_limit", name=name)


def _against_identification(card: Scorecard) -> Iterator[str]:
    """Say what helps against every attack: people who look alike, and values exchanged among them."""
    if card.history is None and not card.roles.qi:
        yield t("next_steps.everything_tells")
        return
    k = _class_size(card)
    yield t("next_steps.crowd_history" if card.history else "next_steps.crowd", k=k)
    telling = [column for column in card.learned_columns if column.bits >= TELLING][:COLUMNS_NAMED]
    if telling:
        yield t("next_steps.telling", columns=_named(telling), bits=bits(sum(column.bits for column in telling)))


def _class_size(card: Scorecard) -> int:
    """Return how many people are to look alike: more than the limit asks for, and more than do now."""
    limit = next((one.limit for one in card.limits if one.name == REID and one.limit > 0), USUAL_LIMIT)
    least = next((math.ceil(one.limit) for one in card.limits if one.name == "k_min"), 0)
    sizes = card.measures.get("smallest_cluster" if card.history else "k_min")
    now = int(sizes.value) if sizes is not None and sizes.value is not None else 1
    people = (card.history.original.subjects if card.history else card.provenance.original.rows) or 0
    wanted = max(math.ceil(MARGIN / limit), least, 2 * now if now > 1 else 0)
    return max(2, min(wanted, people // 4))


def _worst_hidden(card: Scorecard, name: str) -> str:
    asked = [card.attributes, *(one.attributes for one in card.attackers)]
    columns = [item for findings in asked if findings for item in findings.columns.items()]

    def learned(column: AttributeColumn) -> float:
        if name == ATTRIBUTE_CERTAIN or column.worst_attack is None:
            return column.certain_known
        return column.attacks[column.worst_attack].advantage_over_best_guess

    return max(columns, key=lambda item: learned(item[1]), default=("", None))[0]


def _room(card: Scorecard) -> Iterator[str]:
    """Say where usefulness can be won back, and how far the best attack is from the limit."""
    limit = next((one for one in card.limits if one.name == REID and one.value is not None), None)
    changed = [one for one in (card.usefulness.columns if card.usefulness else []) if one.loss > 0]
    if limit is None or limit.value is None or not changed:
        return
    most = max(changed, key=lambda one: one.loss)
    share, rate, bound = percent(most.loss), percent(limit.value), percent(limit.limit)
    yield t("next_steps.room", column=most.column, share=share, rate=rate, limit=bound)


def _named(columns: list[LearnedColumn]) -> str:
    return spoken_list([column.column for column in columns])
