"""The attack `rlink`: record linkage as the sample attack of PWS Cup 2021 does it."""

from __future__ import annotations

import numpy as np

from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.records.nearest import nearest_records


@attack("rlink", question="membership", knows="all values of the records asked about, and takes the nearest rows")
def rlink(
    case: MembershipCase, *, rng: np.random.Generator, numbers: Columns = None, categories: Columns = None
) -> Guess:
    """Take the three nearest released rows; the half of the records that lie farthest from any are not members.

    The attacker knows all values of the records asked about, and that about half of them are in the release. Success
    is to tell members from others and to name their rows. Distances are Euclidean over `numbers`, as they are, and
    one-hot `categories` (default: all quasi-identifiers and sensitive attributes). A record whose nearest row is
    farther than the median of all such distances is said to be no member. Ties go to the lowest row.

    Args:
        case: What the attacker holds: the records asked about and the released table.
        rng: Unused; part of every attack's signature.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first; -1 for a record that is said to be no member.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    known, shown = encode_records(case, numbers, categories)
    rows, squared = nearest_records(known, shown, ANSWERS)
    distance = np.sqrt(squared[:, 0])
    return Guess(np.where((distance > np.median(distance))[:, None], NO_ANSWER, rows))
