"""The attack `member_assignment`: assign released rows to all records at once, each row to one record."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.assignment import auction
from icefire.kernels.records.nearest import nearest_records
from icefire.kernels.types import Float, Int


@attack(
    "member_assignment",
    question="membership",
    knows="all values of the records asked about, and that no two of them are the same row",
)
def member_assignment(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    members: Share = 0.5,
    most: Annotated[int, Bounds(ANSWERS)] = 32,
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Assign released rows to records one to one so that the total loss is least; the worst assigned are no members.

    The attacker knows all values of the records asked about, that no two of them are the same released row, and that a
    share `members` of them are in the release. Success is to tell members from others and to name their rows. Each
    record may get one of the `most` rows of least loss; this is the first answer, the next best rows are the others.
    The records of largest loss, or without a row, are said to be no members. Default columns: the quasi-identifiers
    and sensitive attributes.

    Args:
        case: What the attacker holds: the records asked about and the released table.
        rng: Unused; part of every attack's signature.
        members: Share of the records asked about that are in the release.
        most: How many of the rows of least loss each record may get.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first; -1 for a record that is said to be no member.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    rows, losses = nearest_records(*encode_records(case, numbers, categories), most, "loss")
    given = _assigned(rows, losses, case.choices)
    mine = (rows == given[:, None]) & (rows != NO_ANSWER)
    loss = np.where(mine, losses, np.inf).min(axis=1)
    first = np.argsort(~mine, axis=1, kind="stable")[:, :ANSWERS]
    allowed = np.sort(loss)[max(0, int(np.ceil(members * len(loss))) - 1)]
    claimed = (loss <= allowed) & np.isfinite(loss)
    return Guess(np.where(claimed[:, None], np.take_along_axis(rows, first, axis=1), NO_ANSWER))


def _assigned(rows: Int, losses: Float, choices: int) -> Int:
    """Return for each record one of its rows, no row twice; -1 where others need all of them more."""
    there = rows != NO_ANSWER
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    span = max(float(losses[there].max(initial=0.0)), np.finfo(np.float64).tiny)
    # Any row is worth more than none.
    return auction.assign(ends, rows[there], 2.0 - losses[there] / span, choices)
