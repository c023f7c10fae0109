"""The attack `scattered_rows`: as `exchanged_rows`, by somebody who knows that conspicuous rows may be avoided."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.membership.exchange_model import ExchangeKnowledge, answers
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import attack
from icefire.core.release import Guess


@attack(
    "scattered_rows",
    question="membership",
    knows="everybody's values, the limit of loss, and that rows that stand out may be avoided, as by scatter_rows",
    supposes="rows were exchanged within the limit, and those that stand out perhaps avoided",
)
def scattered_rows(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    limit: Annotated[float, Bounds(0)] = 4.0,
    members: Share = 0.5,
    guesses: Annotated[int, Bounds(0)] = 3,
    avoided: Share = 0.5,
    few: Annotated[int, Bounds(0)] = 15,
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Match all people with all released rows at once, passing over the rows that `scatter_rows` avoids.

    The attacker knows the original and the method `scatter_rows` with its `limit`, `guesses` and `few`, but not
    its seed, and that a share `members` of the records asked about is in the release. Success is to tell members from
    others and to name their rows. If rows that stand out for a person (nearest, farthest, held by few others) were
    avoided, they are seldom that person's; among all candidates people and rows are balanced as in `exchanged_rows`.
    Whether they were cannot be seen from the released rows, so chances are averaged over both.

    Args:
        case: What the attacker holds: the records asked about, the released table and, if it is held, the original.
        rng: The generator that thins out candidates of large tables.
        limit: Largest loss of a candidate.
        members: Share of the records asked about that are in the release.
        guesses: Rows that an attacker with so many guesses would name may have been avoided; 0 if none were.
        avoided: How probable it is that they were.
        few: People with at most so many candidates were left out.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first, with probabilities; -1 for a record that is said to be no member.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    return answers(case, ExchangeKnowledge(limit, members, guesses, avoided, few, numbers, categories), rng)
