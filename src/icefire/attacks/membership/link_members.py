"""The attack `link_members`: who is in the release, by the joint attack `link` on all columns."""

from __future__ import annotations

import numpy as np

from icefire.attacks.membership.member_odds import among_asked
from icefire.attacks.membership.people import known_people
from icefire.attacks.membership.records import ANSWERS, encode_records
from icefire.attacks.membership.shortlist import complete_answers
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.row_ratios import ratios_of_people
from icefire.core.membership import MembershipCase
from icefire.core.mixed_distances import nearest_people
from icefire.core.parameters import Columns, Share
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.kernels.common import ranges
from icefire.kernels.records import candidate_pairs
from icefire.kernels.types import Float, Int
from icefire.theory import membership

LEAST_FIT = 1e-3
"""Added to what the release says of everybody, so that links count where it says nothing."""
BLUR = 1e-6
"""Largest change of a probability that keeps equal ones apart."""


@attack(
    "link_members",
    question="membership",
    knows="everybody's values in all released columns; learns how columns were changed, and who is in the release",
)
def link_members(
    case: MembershipCase,
    *,
    rng: np.random.Generator,
    members: Share = 0.5,
    numbers: Columns = None,
    categories: Columns = None,
) -> Guess:
    """Link every released row to a person by all columns; who is named is a member, as probably as the link is right.

    The attacker knows the original and that a share `members` of the records asked about is in the release, but
    not how it was made: the attack `link` learns from the two tables how each column was changed (noise, rounding,
    generalised labels, exchanged values) and gives every link a probability. Success is to tell members from others and
    to name their rows. Whom a released row is linked to is a member as probably as one of these links is right, and
    somebody to whom no row is linked hardly. Where a record has fewer than three linked rows, those of least loss are
    added. Without the original, only the records asked about can be linked. Where released rows may come from people
    who are not known, rows left over are theirs and make nobody a member, and the farther the nearest row, the less
    likely is it the person's own. Scores also count how much likelier the release as a whole is with the person, which
    tells apart links that are all but sure.

    Args:
        case: What the attacker holds: the records asked about, the released table and, if it is held, the original.
        rng: The generator of the sample that `link` learns from.
        members: Share of the records asked about that are in the release.
        numbers: Columns compared as numbers where rows of least loss are added. Default: the numbers among the
            quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories there. Default: the categories among them.

    Returns:
        Three released rows per record, best first, with probabilities; -1 for a record that is said to be no member.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
    """
    known, shown = encode_records(case, numbers, categories)
    people = case.records if case.original is None else known_people(case).table
    both = Case(people, case.released)
    linked = link(both, rng=rng)
    assert linked.probability is not None
    named, chance = _rows_of_people(linked.first, linked.probability, case.targets)
    inside = _members(linked, people.height, case.has_strangers)[: case.targets]
    # How many of the people known are in the release is not known where its rows may come from others.
    expected = members if case.has_strangers else case.choices / max(people.height, case.choices)
    member = among_asked(inside, expected, members)
    if case.has_strangers:
        member = member / (1.0 + _distance_to_release(case))
    first = chance[:, 0] * member / np.maximum(inside, 1e-12)
    own_row = np.minimum(chance.sum(axis=1) / np.maximum(inside, 1e-12), 1.0)
    claimed = membership.worth_claiming(member, own_row)
    rows = np.where(claimed[:, None], complete_answers(named, known, shown), NO_ANSWER)
    # Links that are all but sure differ in how well the row fits, which tells wrong ones.
    fit = ratios_of_people(both, np.full(people.height, min(1.0, expected)), rng)[: case.targets]
    return Guess(rows, probability=np.clip(first, 0.0, 1.0), scores=_reordered(member, fit))


def _reordered(member: Float, fit: Float) -> Float:
    """Deal the probabilities of all records anew, by how probable each is and how well the release fits it."""
    _, group, sizes = np.unique(member * (LEAST_FIT + fit), return_inverse=True, return_counts=True)
    # Records of equal probability that do not fit equally well stay apart; equal ones share what falls to them.
    apart = BLUR * np.arange(1, len(member) + 1) / (len(member) + 1)
    ends = np.cumsum(sizes)
    shared = np.add.reduceat((1 - BLUR) * np.sort(member) + apart, ends - sizes) / sizes
    dealt: Float = shared[group]
    return dealt


def _distance_to_release(case: MembershipCase) -> Float:
    """Return the distance of every record to the nearest released row, over the columns of the same type.

    Where rows may be strangers', each person known is linked to some row; how near it is tells whether it is theirs.
    """
    records, released = case.records.frame, case.released.frame
    columns = [name for name in case.compared if records[name].dtype == released[name].dtype]
    if not columns:
        return np.zeros(case.targets)
    distances: Float = nearest_people(released, records, columns, case.column_scales(), 1).distances[:, 0]
    return distances


def _members(linked: Guess, people: int, has_strangers: bool) -> Float:
    """Return the probability of everybody to be in the release: by the links, and any of the rows linked wrongly.

    Rows that may come from people who are not known tell nothing about those who are.
    """
    assert linked.probability is not None
    answered = linked.first >= 0
    missed = np.log1p(-np.minimum(linked.probability[answered], 1 - 1e-9))
    outside = np.exp(np.bincount(linked.first[answered], missed, people))
    if has_strangers:
        return 1 - outside
    rows_left = max(len(linked) - (1 - outside).sum(), 0.0)
    inside: Float = 1 - outside * max(1 - rows_left / max(outside.sum(), 1e-12), 0.0)
    return inside


def _rows_of_people(answers: Int, probability: Float, people: int) -> tuple[Int, Float]:
    """Return for the first people the released rows linked to them, the likeliest first, and their probabilities."""
    about = np.flatnonzero((answers >= 0) & (answers < people))
    about = about[np.argsort(answers[about], kind="stable")]
    start = ranges.offsets(np.bincount(answers[about], minlength=people))
    best = candidate_pairs.best_pairs(start, probability[about], ANSWERS)
    rows = np.where(best < 0, NO_ANSWER, np.append(about, NO_ANSWER)[best])
    return rows, np.where(best < 0, 0.0, np.append(probability[about], 0.0)[best])
