"""The registered attack `link_rest`: a second person in each row, by the columns that fit the first one badly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from icefire.attacks.answers import no_answers
from icefire.attacks.tables.link import learning
from icefire.attacks.tables.link.attack import link
from icefire.attacks.tables.link.channel_tables import TableStore, related_case, shared_store
from icefire.attacks.tables.link.channels import Channel, ratios
from icefire.attacks.tables.link.columns import LinkColumn
from icefire.attacks.tables.link.likelihood import LEVELS, PAIRS, SAMPLE
from icefire.attacks.tables.link.ordering import OrderedTables, levels_to_learn, ordered_tables
from icefire.core.registry import attack
from icefire.core.release import Case, Guess
from icefire.kernels.types import Int

LITTLE = 0.5
"""A column fits badly if its channel gives away less than this share of what its values could."""
SHARPER = 1.0
"""Bits per row that the badly fitting columns must give away more by themselves than beside the others."""


@attack(
    "link_rest",
    knows="the same as link, and looks for a second person in each row: values of two people may have been joined",
    supposes="a group of columns was moved to other rows as a whole",
)
def link_rest(case: Case, *, rng: np.random.Generator) -> Guess:
    """Link by the columns that the likeliest matching leaves unexplained.

    The attacker knows what `link` knows. Where a group of columns was moved to other rows as a whole, a released row
    holds the values of two people. The joint attack follows the group that says more; the rows may be named after the
    other one. This attack finds the columns that say little in the first matching and much among themselves, and links
    by them alone. Success is naming the right person.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: The generator of the samples that are learned from.

    Returns:
        One original row per released row with its probability, and notes: the columns linked by. No answer where no
        second person shows.
    """
    tables = ordered_tables(case)
    names = _unexplained(case, tables, rng)
    if not names:
        return replace(no_answers(case.targets), probability=np.zeros(case.targets))
    # People who are the same in the columns linked by are told apart by no order but that of all their values.
    original = case.known.with_frame(case.known.frame[tables.x_order])
    released = case.released.with_frame(case.released.frame[tables.y_order])
    part = released.with_frame(released.frame.select(names))
    guess = tables.placed(link(related_case(case, original, part), rng=rng))
    notes = {**guess.notes, "linked_by": names}
    if len(names) == 1:
        # One column that does not fit the others may have been shuffled: nothing shows that it is a person's.
        return replace(guess, probability=np.full(case.targets, 1.0 / case.choices), notes=notes)
    return replace(guess, notes=notes)


def _unexplained(case: Case, tables: OrderedTables, rng: np.random.Generator) -> list[str]:
    """Name the columns that say little in the first matching and more among themselves; empty if there are none."""
    every = tables.columns(min(LEVELS, levels_to_learn(tables.x.width)))
    columns = [column for column in every if column.name == column.source]
    if len(columns) < 2:
        return []
    size = min(case.targets, SAMPLE, max(16, PAIRS // case.choices))
    sample = np.sort(rng.permutation(case.targets)[:size])
    store = shared_store(case)
    first = learning.learn(columns, sample, None, rng, store=store)
    bits = [given_away(column, channel) for column, channel in zip(columns, first.channels, strict=True)]
    rest = [place for place, column in enumerate(columns) if bits[place] < LITTLE * _most(column)]
    if not rest or len(rest) == len(columns):
        return []
    others = [columns[place] for place in rest]
    alone = _bits_alone(others, sample, rng, store)
    return [column.name for column in others] if alone > sum(bits[place] for place in rest) + SHARPER else []


def _bits_alone(columns: Sequence[LinkColumn], sample: Int, rng: np.random.Generator, store: TableStore) -> float:
    learned = learning.learn(columns, sample, None, rng, store=store)
    return sum(given_away(column, channel) for column, channel in zip(columns, learned.channels, strict=True))


def given_away(column: LinkColumn, channel: Channel) -> float:
    """Return the mutual information of original and released value under a channel, in bits."""
    table = ratios(column, replace(channel, swapped=False))
    weight = table * column.y.share[:, None] * column.x.share[None, :]
    return float((weight * np.log2(np.maximum(table, 1e-300))).sum())


def _most(column: LinkColumn) -> float:
    """Return what the released values could give away at most: their entropy in bits, or that of the original's."""
    entropies = []
    for side in (column.x, column.y):
        share = side.share[side.share > 0]
        entropies.append(float(-(share * np.log2(share)).sum()))
    return min(entropies)
