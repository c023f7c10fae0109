"""Obstacles to a synthetic release: copies, columns nobody looked at, and what could not be judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.audit import verdict
from icefire.audit.judge import Z_95
from icefire.audit.limits import MEMBERSHIP, Gate
from icefire.audit.obstacles.identifiers import identifiers_without_origin
from icefire.audit.obstacles.tables import unassessed_columns
from icefire.audit.synthetic.controls import equal_rows
from icefire.audit.synthetic.copies import CopyFindings
from icefire.audit.synthetic.other_values import columns_with_other_values
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.audit.synthetic.telling_values import telling_values
from icefire.core import registry
from icefire.core.formatting import percent
from icefire.core.scorecard import Reason
from icefire.core.scorecard.membership import MembershipFindings
from icefire.risk import safe_harbour
from icefire.words import t

LEAST_OUTSIDERS = 100
"""Fewer people outside the data cannot show which scores only 1 % of them reach."""
DEVIATIONS = 3.3
"""A hold-out that is nearer to the release than the original, beyond chance by so many deviations, is none."""


def synthetic_obstacles(
    tables: SyntheticTables,
    copies: CopyFindings,
    membership: MembershipFindings | None,
    gates: Sequence[Gate],
    identified_limit: float,
    *,
    by_register: bool = False,
) -> list[Reason]:
    """Collect everything that stands in the way of a synthetic table.

    Args:
        tables: The tables given.
        copies: What was found of copies.
        membership: How the attacks did; None if there was nobody to compare with.
        gates: The limits.
        identified_limit: Largest share of the released rows that may be copies of people.
        by_register: The attacks were made by the holder of a register: its strangers are judged apart.
    """
    harbour = safe_harbour.check(tables.published)
    return [
        *identifiers_without_origin(tables.original_as_read, tables.published, harbour),
        *unassessed_columns(tables.original_as_read, tables.published, tables.compared),
        *columns_with_other_values(tables),
        *_copied(tables, copies, identified_limit),
        *_people_copied(copies, identified_limit),
        *_membership(tables, membership, gates, by_register),
    ]


def strangers_missing(registers: Sequence[MembershipFindings]) -> list[Reason]:
    """Refuse where the strangers of a register are too few, or nearer to the release than its other people.

    Args:
        registers: What was found about the people of each register.
    """
    reasons = []
    for one in registers:
        if one.outsiders < LEAST_OUTSIDERS:
            text = t("verdict.reason.few_strangers", attacker=one.attacker, n=one.outsiders, least=LEAST_OUTSIDERS)
            evidence = {"attacker": one.attacker, "outsiders": one.outsiders, "least": LEAST_OUTSIDERS}
            reasons.append(Reason("not_assessed", text, evidence))
        if _nearer_outside(one):
            auc = one.attacks["dcr"].auc
            text = t("verdict.reason.strangers_nearer", attacker=one.attacker, auc=f"{auc:.3f}")
            reasons.append(Reason("not_assessed", text, {"attacker": one.attacker, "auc": auc}))
    return reasons


def _copied(tables: SyntheticTables, copies: CopyFindings, limit: float) -> list[Reason]:
    """Refuse a release of which more rows are copies of people, beyond coincidence, than people may be identified."""
    near, rows = copies.near_identical, copies.records.height
    if near.share - copies.least_control <= limit:
        return []
    evidence = {"rows": near.rows, "share": near.share, "control": near.control, "limit": limit}
    if _is_the_original(tables):
        return [Reason("verbatim", t("verdict.reason.is_the_original"), evidence)]
    text = t(
        "verdict.reason.copied",
        n=near.rows,
        rows=rows,
        share=percent(near.share),
        exact=copies.identical.rows,
        by_chance=verdict.by_coincidence(near.control),
        limit=percent(limit),
    )
    return [Reason("verbatim", text, evidence)]


def _people_copied(copies: CopyFindings, limit: float) -> list[Reason]:
    """Refuse a release that holds copies of more people, beyond coincidence, than may be identified.

    Many other rows around them make copies a small share of the rows; the people are copied all the same.
    """
    near = copies.near_identical
    if copies.copied_people <= limit or near.people_share is None or near.people_control is None:
        return []
    evidence = {
        "people": near.people_share,
        "control": near.people_control,
        "beyond": copies.copied_people,
        "limit": limit,
    }
    text = t(
        "verdict.reason.people_copied",
        share=percent(near.people_share),
        outside=percent(near.people_control),
        beyond=percent(copies.copied_people),
        limit=percent(limit),
    )
    return [Reason("verbatim", text, evidence)]


def _is_the_original(tables: SyntheticTables) -> bool:
    """Tell whether each row occurs as often in the release as in the original."""
    original, released = tables.original.frame, tables.released.frame
    if original.height != released.height:
        return False
    return np.array_equal(equal_rows(original, released), equal_rows(released, released))


def _membership(
    tables: SyntheticTables, membership: MembershipFindings | None, gates: Sequence[Gate], by_register: bool
) -> list[Reason]:
    """Refuse where membership has no limit, or could not be judged, or not well enough."""
    if not any(gate.name in MEMBERSHIP for gate in gates):
        return [Reason("not_assessed", t("verdict.reason.no_membership_limit"), {"question": "membership"})]
    if membership is None:
        return [Reason("not_assessed", t("verdict.reason.no_holdout"), {"question": "membership"})]
    reasons = []
    for entry in registry.entries("attack", "table"):
        if entry.release == "synthetic" and entry.module.startswith("icefire."):
            reasons += verdict.joint_attack_missing(entry.name, membership.attacks, membership.left_out)
    limit = min(gate.limit for gate in gates if gate.name in MEMBERSHIP)
    reasons += telling_values(tables, membership, limit)
    if by_register:
        return reasons
    return [*reasons, *_too_few(membership), *_no_holdout(membership), *_rare(membership, limit)]


def _too_few(membership: MembershipFindings) -> list[Reason]:
    if membership.outsiders >= LEAST_OUTSIDERS:
        return []
    text = t("verdict.reason.few_outsiders", n=membership.outsiders, least=LEAST_OUTSIDERS)
    return [Reason("not_assessed", text, {"outsiders": membership.outsiders, "least": LEAST_OUTSIDERS})]


def _no_holdout(membership: MembershipFindings) -> list[Reason]:
    """Refuse a hold-out that is nearer to the release than the original is: the release was made from it."""
    if not _nearer_outside(membership):
        return []
    auc = membership.attacks["dcr"].auc
    return [Reason("not_assessed", t("verdict.reason.not_a_holdout", auc=f"{auc:.3f}"), {"auc": auc})]


def _nearer_outside(membership: MembershipFindings) -> bool:
    """Tell whether people outside are nearer to the release than those inside, beyond chance."""
    result = membership.attacks.get("dcr")
    if result is None:
        return False
    low, high = result.auc_ci
    return result.auc + DEVIATIONS * (high - low) / (2 * Z_95) < 0.5


def _rare(membership: MembershipFindings, limit: float) -> list[Reason]:
    """Refuse where rare people are recognised more often than the limit allows, beyond chance."""
    judged = {name: result.rare for name, result in membership.attacks.items() if result.rare is not None}
    enough = {name: rare for name, rare in judged.items() if rare.outsiders >= LEAST_OUTSIDERS}
    worst = max(enough, key=lambda name: enough[name].tpr_at_fpr_ci["0.01"][0], default=None)
    if worst is None or enough[worst].tpr_at_fpr_ci["0.01"][0] <= limit:
        return []
    share, (low, high) = enough[worst].tpr_at_fpr["0.01"], enough[worst].tpr_at_fpr_ci["0.01"]
    text = t(
        "verdict.reason.rare",
        share=percent(share),
        attack=worst,
        low=percent(low),
        high=percent(high),
        limit=percent(limit),
    )
    return [Reason("limit", text, {"name": "membership_tpr", "stratum": "rare", "value": share, "limit": limit})]
