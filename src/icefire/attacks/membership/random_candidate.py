"""The attack `random_candidate`: three candidates drawn at random, the baseline for a known limit of loss."""

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
    "random_candidate",
    question="membership",
    knows="all values of the records asked about and the limit of loss, and guesses",
)
def random_candidate(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    limit: Annotated[float, Bounds(0)] = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Draw three of the released rows within the limit of loss.

    The attacker knows all values of the records asked about, and that no row lost more than the `limit`. Success is to
    name the rows of members; everybody is said to be one. A release that no attack beats this one on hides a row among
    its candidates as well as can be. Where there are fewer than three candidates, rows of least loss are added. Default
    columns: the quasi-identifiers and sensitive attributes.

    Args:
        case: What the attacker holds: the records asked about and the released table.
        rng: The generator of the draws.
        limit: Largest loss of a candidate.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    known, shown = encode_records(case, numbers, categories)
    answers = np.full((case.targets, ANSWERS), NO_ANSWER, np.int64)
    draws = rng.random((case.targets, ANSWERS))
    for some in shortlist.shortlists(known, shown, limit):
        drawn = np.full((len(some.records), ANSWERS), NO_ANSWER, np.int64)
        for place in range(ANSWERS):
            drawn[:, place] = some.another(drawn[:, :place], draws[some.records, place])
        answers[some.records] = some.named(drawn)
    return Guess(shortlist.complete_answers(answers, known, shown))
