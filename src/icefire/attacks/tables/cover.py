"""The attack `cover`: original rows that a generalised row may stand for, as 30-39 stands for 34."""

from __future__ import annotations

from typing import Literal

import numpy as np

from icefire.attacks.answers import draw_answers
from icefire.core.blocks import Blocks, Candidates
from icefire.core.parameters import Columns
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Case, Guess
from icefire.hierarchy.candidates import Boxes, find_candidates
from icefire.kernels.neighbours import euclidean
from icefire.kernels.types import Bool, Float, Int

PAIRS = 200_000_000
"""Largest number of comparisons, which takes some seconds. Tables of up to 14,000 rows never have more."""
LISTED = 1 << 26
"""Largest number of candidates listed to draw from: half a gigabyte."""
SHARED = 64
"""More targets of one box cost little more than these: they share a tree over its candidates."""


@attack(
    "cover",
    needs=("qi",),
    knows="everybody's quasi-identifiers and sensitive values, and that 34 may be released as 30-39 or *",
)
def cover(
    case: Case,
    *,
    rng: np.random.Generator,
    qi: Columns = None,
    sa: Columns = None,
    choose: Literal["nearest", "random"] = "nearest",
    hierarchies: str | None = None,
) -> Guess:
    """Among the original rows that a released row covers, take the nearest by sensitive attributes, or any.

    The attacker knows everybody's quasi-identifiers (`qi`) and sensitive attributes (`sa`, default all numeric ones,
    each divided by its standard deviation), and reads released labels: intervals, sets, masked text, dates, `*`,
    rounded numbers; with `hierarchies`, the folder of the published ones, all labels. Success is naming the right
    person. With `choose` random, or without numeric sensitive attributes, one of the covered rows is drawn; then the
    judge also gets the exact expectation. A row that covers nobody gets no answer, nor do those that cover most
    people in a table so large and so suppressed that comparing them all would take too long.

    Args:
        case: What the attacker holds: the original table and the released one.
        rng: The generator of the draws.
        qi: Quasi-identifiers that must be covered. Default: all of them.
        sa: Columns that distances are taken over. Default: the numeric sensitive attributes.
        choose: Whether the "nearest" covered row is taken, or a "random" one.
        hierarchies: Folder of the published hierarchies, one CSV file per column. Default: labels are read as they
            stand.

    Returns:
        One original row per released row, -1 for no answer. Where it was drawn, also the candidates.

    Raises:
        SchemaError: If a column named is not in the table, or holds no numbers.
        InputError: If a hierarchy is missing or cannot be read.
    """
    known = case.known
    names = known.schema.pick(qi, known.qi, "qi")
    compared = known.schema.pick(sa, known.numeric_sa, "sa")
    covered = find_candidates(case, names, hierarchies)
    if covered is None:
        covered = case.blocks(names)
    if choose == "random" or not compared:
        candidates = covered.candidates if isinstance(covered, Blocks) else _listed(covered, case.targets)
        return draw_answers(candidates, rng)
    x, y = case.points(compared, "standard")
    return Guess(_nearest(covered, x, y) if isinstance(covered, Blocks) else _nearest_in_boxes(covered, x, y))


def _listed(boxes: Boxes, targets: int) -> Candidates:
    """List the candidates of every target."""
    counts = boxes.counts()
    afforded = _affordable(counts, counts, LISTED)
    start, stop = np.zeros(targets, np.int64), np.zeros(targets, np.int64)
    rows, done = [np.empty(0, np.int64)], 0
    for part in boxes.chosen(afforded).search(counts[afforded]):
        rows.append(part.x_rows)
        start[part.y_rows] = done + np.repeat(part.x_start[:-1], part.y_sizes)
        stop[part.y_rows] = done + np.repeat(part.x_start[1:], part.y_sizes)
        done += len(part.x_rows)
    return Candidates(np.concatenate(rows), start, stop)


def _nearest(blocks: Blocks, x: Float, y: Float) -> Int:
    return euclidean.nearest_in_blocks(x, y, blocks.x_rows, blocks.x_start, blocks.y_rows, blocks.y_start)


def _nearest_in_boxes(boxes: Boxes, x: Float, y: Float) -> Int:
    """Compare every target with all its candidates, some boxes at a time."""
    answers = np.full(len(y), NO_ANSWER)
    counts = boxes.counts()
    afforded = _affordable(counts, counts * np.minimum(boxes.sizes, SHARED), PAIRS)
    for part in boxes.chosen(afforded).search(counts[afforded]):
        answers[part.y_rows] = _nearest(part, x, y)[part.y_rows]
    return answers


def _affordable(counts: Int, work: Int, limit: int) -> Bool:
    """Choose the boxes of fewest candidates, as long as the work for them all is within the limit."""
    order = np.argsort(counts, kind="stable")
    afforded = np.empty(len(counts), bool)
    afforded[order] = np.cumsum(work[order]) <= limit
    return afforded
