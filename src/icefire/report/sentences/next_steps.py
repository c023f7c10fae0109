"""What to do next: for every reason why a release does not pass, the step of a recipe or the option that may help."""

from __future__ import annotations

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
from icefire.report.sentences import roles
from icefire.words import t

COLUMNS_NAMED = 3
TELLING = 0.5
"""A column is worth naming if it gives away at least so many bits."""
NOISE = "noise"
HISTORY_METHODS = {
    "item": "`generalize_goods`, `suppress_rare_goods` (k = 5)",
    "date": "`coarsen_dates`",
    "receipt": "`rename_receipts`",
    "number": "`round_purchases`",
    "price": "`round_purchases`",
}


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


def _for_reason(card: Scorecard, reason: Reason) -> list[str]:
    if reason.code == "verbatim" and card.synthetic is not None:
        return [t("next_steps.synthetic")]
    if reason.code == "verbatim" and card.history is not None:
        return [t("next_steps.verbatim_history")]
    if reason.code in ("correspondence", "verbatim"):
        return [t(f"next_steps.{reason.code}")]
    if reason.code == "identifier" and card.history is not None:
        return [t("next_steps.identifier_history", column=str(reason.evidence.get("column", "")))]
    if reason.code == "identifier":
        return [t("next_steps.identifier", column=str(reason.evidence.get("column", "")))]
    if reason.code != "limit":
        return [t("next_steps.not_assessed")]
    return list(_for_limit(card, str(reason.evidence.get("name", "")), reason))


def _for_limit(card: Scorecard, name: str, reason: Reason) -> Iterator[str]:
    if card.synthetic is not None and name not in ATTRIBUTE:
        yield t("next_steps.synthetic")
    elif name == REID or name in card.attacks:
        yield from _against_identification(card)
    elif name == "k_min":
        yield t("next_steps.k_min", k=int(float(reason.evidence.get("limit", 5))))
    elif name in (ATTRIBUTE_ADVANTAGE, ATTRIBUTE_CERTAIN):
        yield t("next_steps.hidden_values", column=_worst_hidden(card, name))
    elif name in (MEMBERSHIP_TPR, DANGER):
        yield t("next_steps.membership")
    elif name == LINKING_RECALL:
        yield t("next_steps.linking")
    else:
        yield t("next_steps.other_limit", name=name)


def _against_identification(card: Scorecard) -> Iterator[str]:
    telling = [column for column in card.learned_columns if column.bits >= TELLING]
    if card.history is not None:
        yield from _in_history(card, telling)
        return
    kinds = {one.column: one.kind for one in card.usefulness.distributions} if card.usefulness else {}
    noisy = [column for column in telling if column.change.startswith(NOISE)]
    plain = [column for column in telling if column not in noisy]
    for kind, key in (("number", "coarsen_numbers"), ("category", "coarsen_categories")):
        chosen = [column for column in plain if kinds.get(column.column, "category") == kind][:COLUMNS_NAMED]
        if chosen:
            yield t(f"next_steps.{key}", columns=_named(chosen), bits=bits(sum(column.bits for column in chosen)))
    if noisy:
        yield t("next_steps.more_noise", columns=_named(noisy[:COLUMNS_NAMED]))
    if not telling:
        yield t("next_steps.everything_tells")


def _in_history(card: Scorecard, telling: list[LearnedColumn]) -> Iterator[str]:
    assert card.history is not None
    meanings = {column: meaning for meaning, column in card.history.fields.items()}
    chosen = [one for one in telling if one.column in meanings or one.column in card.history.profile][:COLUMNS_NAMED]
    if not chosen:
        return
    known = [meanings.get(column.column, "") for column in chosen]
    methods = dict.fromkeys(HISTORY_METHODS.get(meaning, "`drop_profile`") for meaning in known)
    listed = ", ".join(methods)
    yield t("next_steps.history", columns=_named(chosen), methods=listed)


def _worst_hidden(card: Scorecard, name: str) -> str:
    columns = card.attributes.columns if card.attributes else {}
    if not columns:
        return ""

    def learned(column: str) -> float:
        one = columns[column]
        if name == ATTRIBUTE_CERTAIN or one.worst_attack is None:
            return one.certain_known
        return one.attacks[one.worst_attack].advantage

    return max(columns, key=learned)


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
