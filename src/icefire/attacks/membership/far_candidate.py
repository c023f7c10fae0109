"""The attack `far_candidate` (P3): name the candidates that lie farthest away."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.membership import shortlist
from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess


@attack(
    "far_candidate",
    question="membership",
    knows="all values of the records asked about and the limit of loss, and expects rows to be exchanged with far ones",
    supposes="rows were exchanged with far ones within the limit",
)
def far_candidate(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    limit: Annotated[float, Bounds(0)] = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Among the released rows within the limit take the farthest, the one of most loss, and one at random.

    The attacker knows all values of the records asked about, and that no row lost more than the `limit`; whoever hides
    a row in another takes a far one. Success is to name the rows of members; everybody is said to be one. The first
    answer is the farthest candidate by Euclidean distance (one-hot `categories`), the second the one of largest loss
    or, if that is the first again, any other; the third any other. Ties go to the lowest row. Without a candidate: the
    three of least loss. Default columns: the quasi-identifiers and sensitive attributes.

    Args:
        case: What the attacker holds: the records asked about and the released table.
        rng: The generator of the draws.
        limit: Largest loss of a candidate.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    known, shown = encode_records(case, numbers, categories)
    answers = np.full((case.targets, ANSWERS), NO_ANSWER, np.int64)
    draws = rng.random((case.targets, 2))
    for some in shortlist.shortlists(known, shown, limit):
        farthest, largest = some.best(some.squared)[:, 0], some.best(some.loss)[:, 0]
        other = some.another(farthest[:, None], draws[some.records, 0])
        second = np.where(largest == farthest, other, largest)
        third = some.another(np.stack([farthest, second], axis=1), draws[some.records, 1])
        answers[some.records] = some.named(np.stack([farthest, second, third], axis=1))
    return Guess(shortlist.complete_answers(answers, known, shown))
