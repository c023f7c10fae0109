"""The attack `near_density`: compare distances with the density of the release around a record."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess, ValueScale
from icefire.kernels.records.loss import Records
from icefire.kernels.records.nearest import nearest_records
from icefire.kernels.types import Float, Int


@attack(
    "near_density",
    question="membership",
    knows="all values of the records asked about, and how far released rows of their kind lie from one another",
)
def near_density(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    around: Annotated[int, Bounds(1)] = 10,
    closer: Annotated[float, Bounds(0)] = 0.7,
    scale: ValueScale = "standard",
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Call a record a member if it is nearer to the release than released rows around it are to one another.

    The attacker knows all values of the records asked about. Success is to tell members from others and to name their
    rows. A stranger lies about as far from the nearest released row as the rows there lie from each other, a member
    nearer. What is expected is the median, over the released rows `around` the record, of the distance from each to its
    own nearest neighbour; a member is at most `closer` times as far. The answers are the three nearest rows. Distances
    are Euclidean over `numbers` (`scale` standard: in standard deviations) and one-hot `categories`; default: all
    quasi-identifiers and sensitive attributes.

    Args:
        case: What the attacker holds: the records asked about and the released table.
        rng: Unused; part of every attack's signature.
        around: How many released rows around a record tell what distance to expect.
        closer: How many times the expected distance a member is away at most.
        scale: "raw" takes numbers as they are, "standard" divides them by their standard deviation in the release.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first; -1 for a record that is said to be no member.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    known, shown = encode_records(case, numbers, categories, scale)
    rows, squared = nearest_records(known, shown, max(around, ANSWERS))
    distance = np.sqrt(squared[:, 0])
    member = distance <= closer * _expected(shown, rows[:, :around])
    return Guess(np.where(member[:, None], rows[:, :ANSWERS], NO_ANSWER))


def _expected(shown: Records, around: Int) -> Float:
    """Return for each record the median distance of the rows around it to their nearest neighbours."""
    asked, place = np.unique(around, return_inverse=True)
    own = np.maximum(asked, 0)
    apart = np.sqrt(nearest_records(shown.take(own), shown, 1, own=own).distances[:, 0])
    apart[asked < 0] = np.nan
    expected: Float = np.nanmedian(apart[place.reshape(around.shape)], axis=1)
    return expected
