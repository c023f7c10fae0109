"""The attack `candidate_bayes`: posterior probabilities if rows were exchanged within a limit of loss."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.attacks.membership import shortlist
from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.attacks.membership.shortlist import Shortlist
from icefire.core.membership import MembershipCase
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess
from icefire.kernels.records import candidates
from icefire.kernels.types import Float, Int
from icefire.theory import membership

SAMPLE = 20_000
"""Where candidates are only counted, at most this many released rows are used, drawn at random."""


@attack(
    "candidate_bayes",
    question="membership",
    knows="all values of the records asked about, the limit of loss, and that rows were exchanged within it",
    supposes="rows were exchanged within the limit, so that nobody kept the own values",
)
def candidate_bayes(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    limit: Annotated[float, Bounds(0)] = 4.0,
    members: Share = 0.5,
    skip: Annotated[int, Bounds(0)] = 0,
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Take the three likeliest rows, and weigh the number of candidates against that of released rows.

    The attacker knows all values of the records asked about, that the release exchanged the rows of people within the
    `limit` of loss, and that a share `members` of those asked about are in it. Success is to tell members from others
    and to name their rows. A released row that few others are near to has few possible owners: each candidate counts
    the more, the fewer candidates it has itself, and one equal to the record not at all, as it is somebody else's.
    Records with a number of candidates that is frequent among those asked about but rare in the release were left out;
    only as many are called members as the expected score wants. With `skip` so many of the likeliest rows are passed
    over, against whoever expects this attack and avoids them. Default columns: the quasi-identifiers and sensitive
    attributes.

    Args:
        case: What the attacker holds: the records asked about and the released table.
        rng: The generator of the draws.
        limit: Largest loss of a candidate.
        members: Share of the records asked about that are in the release.
        skip: How many of the likeliest rows are passed over.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the categories among the quasi-identifiers and sensitive
            attributes.

    Returns:
        Three released rows per record, best first; -1 for a record that is said to be no member.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    known, shown = encode_records(case, numbers, categories)
    drawn = np.sort(rng.permutation(case.choices)[:SAMPLE])
    owners = candidates.counts(shown, shown.take(drawn), limit)
    answers = np.full((case.targets, ANSWERS), NO_ANSWER, np.int64)
    chances, sizes = np.zeros(case.targets), np.zeros(case.targets, np.int64)
    for some in shortlist.shortlists(known, shown, limit):
        answers[some.records], chances[some.records] = _likeliest(some, owners, skip)
        sizes[some.records] = some.sizes
    usual = candidates.counts(shown.take(drawn), shown, limit, own=drawn)
    claimed = membership.worth_claiming(_membership(sizes, usual, members), chances)
    return Guess(np.where(claimed[:, None], shortlist.complete_answers(answers, known, shown), NO_ANSWER))


def _likeliest(listed: Shortlist, owners: Int, skip: int) -> tuple[Int, Float]:
    """Return of each record the likeliest rows but the first few, and how probably its own is among them."""
    weights = np.where(listed.loss > 0, 1.0 / np.maximum(owners[listed.rows], 1), 0.0)
    pairs = listed.best(weights, skip + ANSWERS)[:, skip:]
    named_weight = np.where(pairs < 0, 0.0, np.append(weights, 0.0)[pairs]).sum(axis=1)
    ends = np.concatenate([[0.0], np.cumsum(weights)])
    total = np.diff(ends[listed.start])
    return listed.named(pairs), named_weight / np.maximum(total, np.finfo(np.float64).tiny)


def _membership(sizes: Int, usual: Int, members: float) -> Float:
    """Return how probably each record is a member, from how usual its number of candidates is in the release.

    Among the records with about as many candidates, a window of those asked about, so many are members as the release
    would have brought.
    """
    order, count = np.argsort(sizes, kind="stable"), len(sizes)
    asked, there = sizes[order], np.sort(usual)
    reach, place = 1 + int(np.sqrt(count) / 2), np.arange(count)
    low, high = asked[np.maximum(place - reach, 0)], asked[np.minimum(place + reach, count - 1)]
    similar = np.searchsorted(asked, high, "right") - np.searchsorted(asked, low, "left")
    expected = members * count * (np.searchsorted(there, high, "right") - np.searchsorted(there, low, "left"))
    chance = np.empty(count)
    chance[order] = np.minimum(1.0, expected / max(len(there), 1) / similar)
    return chance
