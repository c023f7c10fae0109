"""Values that single people have and a synthetic release repeats: which columns they are in."""

from __future__ import annotations

import polars as pl

from icefire.audit import judge
from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core.errors import listing
from icefire.core.formatting import percent
from icefire.core.scorecard import Reason
from icefire.core.scorecard.membership import MembershipFindings
from icefire.words import t

ATTACK = "value_frequencies"
COLUMNS_NAMED = 3
LEAST_SHARE = 0.01


def telling_values(tables: SyntheticTables, membership: MembershipFindings, limit: float) -> list[Reason]:
    """Name the columns whose exact values give members away, where more of them are recognised by values than may be.

    Args:
        tables: The tables given.
        membership: How the attacks did.
        limit: Largest share of members that may be recognised.
    """
    result = membership.attacks.get(ATTACK)
    if result is None or tables.holdout is None:
        return []
    if (result.tpr_at_fpr["0.01"] if membership.complete else result.tpr_at_fpr_ci["0.01"][1]) <= limit:
        return []
    shares = {name: _repeated(tables, tables.holdout.frame, name) for name in tables.compared}
    telling = sorted((name for name in shares if shares[name] > LEAST_SHARE), key=lambda name: -shares[name])
    if not telling:
        return []
    listed = [t("verdict.further.of_the_people", column=name, share=percent(shares[name])) for name in telling]
    text = t("verdict.further.telling_values", columns=listing(listed[:COLUMNS_NAMED]))
    return [Reason("limit", text, {"columns": {name: shares[name] for name in telling}, "attack": ATTACK})]


def _repeated(tables: SyntheticTables, holdout: pl.DataFrame, name: str) -> float:
    """Return how many people of the original have a value of their own that is in the release, beyond coincidence.

    Coincidence is how many people of the hold-out have a value that nobody in the original has and the release has.
    """
    known, shown = tables.original.frame[name], tables.released.frame[name].drop_nulls().unique().implode()
    inside = int((known.is_unique() & known.is_in(shown)).sum())
    other = holdout[name]
    outside = int((~other.is_in(known.drop_nulls().unique().implode()) & other.is_in(shown)).sum())
    return max(0.0, inside / len(known) - judge.wilson(outside, len(other))[1])
