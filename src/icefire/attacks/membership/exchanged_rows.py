"""The attack `exchanged_rows`: all people and all rows matched at once, if rows were exchanged within a limit."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.membership.exchange_model import ExchangeKnowledge, answers
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack(
    "exchanged_rows",
    question="membership",
    knows="everybody's values and the limit of loss, and that each released row is one person's",
)
def exchanged_rows(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    limit: Annotated[float, Bounds(0)] = 4.0,
    members: Share = 0.5,
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Match all people with all released rows at once, and take the three likeliest rows of each record.

    The attacker knows the original, that whole rows were exchanged within the `limit` of loss, but not by which
    method, and that a share `members` of the records asked about is in the release. Success is to tell members from
    others and to name their rows. Each released row belongs to one person and each person holds one row or none:
    balancing the candidates gives the probability of every pair. Who was left out is learned from how the records asked
    about differ from everybody in their number of candidates, in being alone in their class, and in whether their own
    values are still in the release. Without the original, released rows stand for the other people.

    Args:
        case: What the attacker holds: the records asked about, the released table and, if it is held, the original.
        rng: The generator that thins out candidates of large tables.
        limit: Largest loss of a candidate.
        members: Share of the records asked about that are in the release.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first, with probabilities; -1 for a record that is said to be no member.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    return answers(case, ExchangeKnowledge(limit, members, numbers=numbers, categories=categories), rng)
