"""The attack `all_members`: claim that every record is a member, and name the rows of least loss."""

from __future__ import annotations

import numpy as np

from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import Guess
from icefire.kernels.records.nearest import nearest_records


@attack("all_members", question="membership", knows="all values of the records asked about, and claims every one")
def all_members(
    case: MembershipCase, *, rng: np.random.Generator, numbers: Columns = None, categories: Columns = None
) -> Guess:
    """Say of every record that it is a member, and name the three released rows of least loss.

    The attacker knows all values of the records asked about. Success is to name the rows of members; who is none is
    not even tried, which pays wherever membership cannot be told. The loss (`iloss`) is the largest among the
    differences of `numbers` and the number of unequal `categories` (default: all quasi-identifiers and sensitive
    attributes). Equal losses go by Euclidean distance, then to the lowest row.

    Args:
        case: What the attacker holds: the records asked about and the released table.
        rng: Unused; part of every attack's signature.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    return Guess(nearest_records(*encode_records(case, numbers, categories), ANSWERS, "loss").rows)
