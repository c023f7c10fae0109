"""Check limits and write the verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from icefire.audit.criteria import table
from icefire.audit.findings.worst_attack import WorstAttack, worst_attack
from icefire.audit.limits import (
    ATTRIBUTE,
    ATTRIBUTE_ADVANTAGE,
    ATTRIBUTE_CERTAIN,
    AYA,
    CRITERIA,
    DANGER,
    LINKABILITY,
    LINKING_RECALL,
    MEMBERSHIP_TPR,
    REID,
    SINGLING_OUT,
    Gate,
)
from icefire.audit.questions import attribute
from icefire.core import formatting
from icefire.core.errors import listing
from icefire.core.profiles import MAXIMUM
from icefire.core.scorecard import Limit, Reason, Scorecard, Verdict
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.attributes import AttributeFindings
from icefire.core.scorecard.linking import LinkingFindings, LinkingScore
from icefire.core.scorecard.membership import MembershipFindings, MembershipResult
from icefire.core.scorecard.synthetic import SyntheticFindings
from icefire.words import said, t

CORRESPONDENCE = "correspondence"
"""The reason that comes first: where the claimed origins are false, no rate of the other reasons means anything."""
AT_FPR = "0.01"
"""Share of outsiders taken for members at which a limit on membership is checked."""


def judged(card: Scorecard, gates: Sequence[Gate], obstacles: Sequence[Reason] = (), policy: str = "") -> Scorecard:
    """Return the scorecard with its limits checked and the verdict written.

    Args:
        card: The scorecard of an audit.
        gates: The limits.
        obstacles: What stands in the way whatever the limits say.
        policy: Name of the policy that the limits come from.

    Returns:
        The scorecard; it passes only if every limit holds and there is no obstacle.
    """
    limits = [_checked(card, gate) for gate in gates]
    reasons = [_broken_limit(card, limit) for limit in limits if not limit.passed] + list(obstacles)
    reasons.sort(key=lambda reason: reason.code != CORRESPONDENCE)
    criteria = table.with_limits(card.criteria, limits)
    return msgspec.structs.replace(
        card, limits=limits, criteria=criteria, verdict=_verdict(card, limits, reasons, policy)
    )


def _checked(card: Scorecard, gate: Gate) -> Limit:
    value, interval = _limited_value(card, gate.name)
    if value is not None and not math.isfinite(value):
        value = None
    low, high = (value, value) if interval is None else interval
    compared = high if gate.kind == "max" else low
    passed = compared is not None and (compared <= gate.limit if gate.kind == "max" else compared >= gate.limit)
    return Limit(gate.name, gate.kind, gate.limit, value, passed, interval)


def _limited_value(card: Scorecard, name: str) -> tuple[float | None, tuple[float, float] | None]:
    """Return what a limit is compared with, and its interval if it comes from a sample."""
    if name in ATTRIBUTE:
        limited = attribute.limited_value(_attribute_findings(card), name)
        return (None, None) if limited is None else (limited.value, limited.interval)
    if name in CRITERIA:
        return table.limited_criterion(card.criteria, name)
    return _sampled(card, name) or (_value(card, name), None)


def _sampled(card: Scorecard, name: str) -> tuple[float, tuple[float, float]] | None:
    """Return a value that comes from a sample of people with its interval: of the attack whose upper end is highest."""
    worst = worst_attack(card, None if name == REID else name)
    if worst is not None and worst.interval is not None:
        return worst.result.rate, worst.interval
    linked = _linked(card, name)
    if linked and card.linking is not None and card.linking.asked < card.linking.pairs:
        return max(((score.recall, score.recall_ci) for score in linked), key=lambda share: share[1][1])
    results = _membership_results(card)
    chosen = [result for attack, result in results if attack == name] or [result for _, result in results]
    scores = [result.score for result in chosen if result.score is not None]
    is_attack = any(attack == name for attack, _ in results)
    if name == MEMBERSHIP_TPR and _everybody_asked(card):
        return None
    if name == MEMBERSHIP_TPR or (is_attack and not scores):
        shares = [(result.tpr_at_fpr[AT_FPR], result.tpr_at_fpr_ci[AT_FPR]) for result in chosen]
    elif name == DANGER or is_attack:
        shares = [(score.danger_final, score.danger_final_ci) for score in scores]
    else:
        return None
    return max(shares, key=lambda share: share[1][1], default=None)


def _membership_results(card: Scorecard) -> list[tuple[str, MembershipResult]]:
    """Return what every attack on membership achieved, of all attackers."""
    return [item for one in _membership_findings(card) for item in one.attacks.items()]


def _membership_findings(card: Scorecard) -> list[MembershipFindings]:
    """Return what was found about membership, of every attacker."""
    findings = [one.membership for one in card.attackers]
    return [one for one in findings if one is not None] or ([] if card.membership is None else [card.membership])


def _attribute_findings(card: Scorecard) -> list[AttributeFindings]:
    """Return what was found about hidden values, of every attacker."""
    findings = [one.attributes for one in card.attackers]
    return [one for one in findings if one is not None] or ([] if card.attributes is None else [card.attributes])


def _everybody_asked(card: Scorecard) -> bool:
    """Tell whether every attacker was asked about everybody in the data: then shares are counts, not estimates."""
    findings = _membership_findings(card)
    return bool(findings) and all(one.complete for one in findings)


def _compared_share(card: Scorecard, result: MembershipResult) -> float:
    """Return what a limit on members recognised compares of an attack: the share, or the upper end of its interval."""
    return result.tpr_at_fpr[AT_FPR] if _everybody_asked(card) else result.tpr_at_fpr_ci[AT_FPR][1]


def _linked(card: Scorecard, name: str) -> list[LinkingScore]:
    """Scores of the attacks on linking that a limit is on: of one of them, or of all."""
    results = card.linking.attacks if card.linking else {}
    return [result.score for attack, result in results.items() if name in (attack, LINKING_RECALL)]


def _value(card: Scorecard, name: str) -> float | None:
    if linked := _linked(card, name):
        return max(score.recall for score in linked)
    if name == MEMBERSHIP_TPR:
        return max((result.tpr_at_fpr[AT_FPR] for _, result in _membership_results(card)), default=None)
    if name == AYA:
        return card.aya.rate if card.aya else None
    worst = worst_attack(card, None if name == REID else name)
    if worst is not None:
        return worst.result.rate
    return card.measures[name].value if name in card.measures else None


def _verdict(card: Scorecard, limits: list[Limit], reasons: list[Reason], policy: str) -> Verdict:
    worst = worst_attack(card)
    attacked = _attacked(card, worst)
    if any(reason.code == CORRESPONDENCE for reason in reasons):
        attacked = t("verdict.rates_unknown")
    lost = card.usefulness.text if card.usefulness else ""
    passed = bool(limits) and not reasons
    return Verdict(
        passed=passed,
        headline=_headline(passed, reasons) + _whom_it_is_for(card),
        text=" ".join(
            part for part in (attacked, *_recognised(card), lost, *(reason.text for reason in reasons)) if part
        ),
        worst_attack=None if worst is None else worst.attack,
        worst_attacker="" if worst is None else worst.attacker,
        state="passed" if passed else "not_passed",
        reasons=reasons,
        lost=lost,
        policy=policy,
    )


def _attacked(card: Scorecard, worst: WorstAttack | None) -> str:
    """Say how many people are identified; of a synthetic release, how many rows are copies."""
    if card.synthetic is not None:
        return _copied(card.synthetic, card.provenance.released.rows)
    if worst is None:
        return t("verdict.no_attack")
    return f"{_people(worst.result, card.linking)} {_compared(worst.result)}"


def _copied(findings: SyntheticFindings, rows: int) -> str:
    near, exact = findings.near_identical, findings.identical
    if not near.rows:
        return t("verdict.no_copies", rows=rows)
    return t(
        "verdict.copies",
        share=formatting.percent(near.share),
        rows=rows,
        exact=exact.rows,
        by_chance=by_coincidence(near.control),
    )


def by_coincidence(control: float | None) -> str:
    """Say which share coincidence would make; empty if that is not known."""
    return "" if control is None else t("verdict.by_coincidence", share=formatting.percent(control))


def _headline(passed: bool, reasons: list[Reason]) -> str:
    if passed:
        return t("verdict.headline.passed")
    codes = {reason.code for reason in reasons}
    order = (CORRESPONDENCE, "identifier", "verbatim", "limit")
    first = next((code for code in order if code in codes), "not_assessed")
    if first == "verbatim" and all("columns" in reason.evidence for reason in reasons if reason.code == first):
        first = "columns"
    return t(f"verdict.headline.{first}")


def _whom_it_is_for(card: Scorecard) -> str:
    """Name the attackers where nobody who knows everything is among them: the verdict is about these alone."""
    names = [attacker.name for attacker in card.attackers]
    return t("verdict.only_for", attackers=listing(names)) if names and MAXIMUM not in names else ""


def _people(attack: AttackResult, linking: LinkingFindings | None) -> str:
    """Say how many people are identified; where people have several pseudonyms, how many of these."""
    knows = said(attack.knows)
    rate = formatting.percent(attack.rate)
    if linking is not None:
        counts = {"pseudonyms": attack.targets, "people": linking.people}
        return t("verdict.identified_pseudonyms", n=attack.hits, rate=rate, knows=knows, **counts)
    if attack.hits == 0:
        return t("verdict.nobody_identified", n=attack.targets, knows=knows)
    return t("verdict.identified", n=attack.hits, people=attack.targets, rate=rate, knows=knows)


def _recognised(card: Scorecard) -> list[str]:
    """Say how many members were recognised, where that was asked."""
    results = _membership_results(card)
    if not results:
        return []
    best, result = max(results, key=lambda item: _compared_share(card, item[1]))
    share = formatting.percent(result.tpr_at_fpr[AT_FPR])
    by_whom = best if _only_maximum(card) else f"{best} ({result.knows})"
    return [t("verdict.members_recognised", members=result.members, share=share, attack=by_whom)]


def _only_maximum(card: Scorecard) -> bool:
    """Tell whether nobody but the attacker who knows everything was tried."""
    return [attacker.name for attacker in card.attackers] in ([], [MAXIMUM])


def _compared(attack: AttackResult) -> str:
    chance = attack.baseline * attack.targets
    expected = f"{chance:,.0f}" if chance >= 10 else f"{chance:.1f}"
    return t("verdict.at_random", expected=expected)


LIMITED = (
    REID,
    "k_min",
    AYA,
    DANGER,
    MEMBERSHIP_TPR,
    LINKING_RECALL,
    ATTRIBUTE_ADVANTAGE,
    ATTRIBUTE_CERTAIN,
    SINGLING_OUT,
    LINKABILITY,
)
"""Limits whose subject has words of its own; others are named as they are called."""


def _subject(limit: Limit) -> str:
    return t(f"verdict.limited.{limit.name}") if limit.name in LIMITED else limit.name


def _broken_limit(card: Scorecard, limit: Limit) -> Reason:
    evidence: dict[str, Any] = {"name": limit.name, "value": limit.value, "limit": limit.limit, "kind": limit.kind}
    if limit.interval is not None:
        evidence["interval"] = limit.interval
    return Reason("limit", _broken(card, limit), evidence)


def _broken(card: Scorecard, limit: Limit) -> str:
    if limit.value is None:
        return t("verdict.reason.no_value", what=_subject(limit))
    if limit.name in ATTRIBUTE and limit.kind == "max":
        return attribute.broken_limit(_attribute_findings(card), limit.name, limit.limit)
    value, bound = formatting.beside(limit.value, limit.limit, is_share(card, limit.name))
    side = "over" if limit.kind == "max" else "under"
    return t(f"verdict.reason.{side}", what=_subject(limit), value=value, sample=_range(card, limit), bound=bound)


def _range(card: Scorecard, limit: Limit) -> str:
    """Say the interval of a value from a sample, and which end of it counts."""
    if limit.interval is None:
        return ""
    write = formatting.percent if is_share(card, limit.name) else formatting.number
    low, high = (write(end) for end in limit.interval)
    end = "upper" if limit.kind == "max" else "lower"
    return t(f"verdict.reason.sample_{end}", low=low, high=high)


def is_share(card: Scorecard, name: str) -> bool:
    """Tell whether a limit is on a rate: of the best attack, of AYA, or of one attack."""
    shares = (REID, AYA, MEMBERSHIP_TPR, LINKING_RECALL, *ATTRIBUTE, *CRITERIA)
    return name in shares or name in card.attacks or bool(_linked(card, name))


def joint_attack_missing(name: str, ran: Collection[str], left_out: Mapping[str, str]) -> list[Reason]:
    """Refuse to pass a release that the joint attack was not tried on.

    Args:
        name: The joint attack of this kind of data; empty where there is none.
        ran: The attacks that ran.
        left_out: Attacks that could not run, with the reason.
    """
    if not name or name in ran:
        return []
    text = t("verdict.reason.attack_not_chosen", attack=name)
    if name in left_out:
        text = t("verdict.reason.attack_left_out", attack=name, why=said(left_out[name]))
    return [Reason("not_assessed", text, {"attack": name})]
