"""The registered attack: link released subjects to original ones by everything their rows hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from icefire.attacks.histories.link import matching, renaming
from icefire.attacks.histories.link.answers_explained import evidence_of_answers
from icefire.attacks.histories.link.explanation import explain
from icefire.attacks.histories.link.prepared import READABLE, Prepared, prepare
from icefire.attacks.histories.link.reading import ColumnReading
from icefire.attacks.histories.link.similarity import similar_customers
from icefire.attacks.histories.link.structure import Structure, learn_best
from icefire.core.history import HistoryCase
from icefire.core.registry import attack
from icefire.core.release import NO_ANSWER, Guess

RENAMING_ROUNDS = 3
WEAK, WEAK_MARGIN = 0.5, 0.05
"""Where the halves agree less often than WEAK, and by the sets of goods alone clearly more often, those decide."""


@attack(
    "link",
    data="history",
    knows="all rows of everybody, and that each was released once; learns how the rows were changed",
)
def link(case: HistoryCase, *, rng: np.random.Generator) -> Guess:
    """Change the own copy as the release was changed, and match by all that the rows hold.

    The attacker knows the original, but not how the release was made. He reads from the two histories how goods, dates,
    numbers and prices were coarsened, whether rows were merged and pseudonyms changed, and does the same to his copy;
    names of goods that cannot be read are learned. Then each pair of a pseudonym and a customer (or a period of a
    customer) is scored by the keys both have: the good, the good with the date, then with number and price, rare ones
    counting more, with learned rates of survival and addition. Everybody is given once. The probability of an answer
    counts less where two halves of the goods lead to different customers. Success is naming the right customer.

    Args:
        case: What the attacker holds: the original history and the released one.
        rng: Unused; part of every attack's signature.

    Returns:
        One original customer per released one with its probability, and notes: what became of each column. No answer
        where there are no rows.
    """
    if not case.released.height or not case.known.height:
        return Guess(np.full(case.targets, NO_ANSWER), probability=np.zeros(case.targets))
    return _guess(case, _learn(case))


def _learn(case: HistoryCase) -> Structure:
    """Prepare both histories and learn; names of goods that cannot be read are learned, too."""
    prepared = prepare(case)
    best = learn_best(prepared)
    if prepared.readable:
        return best
    for reading in _first_readings(case, prepared):
        best = max(best, _learn_names(case, reading), key=lambda structure: structure.quality)
        if best.is_clear:
            break
    return best


def _first_readings(case: HistoryCase, prepared: Prepared) -> Iterator[ColumnReading]:
    """Name the goods by how they were bought, or by the customers who are found without goods, or by their totals."""
    goods = case.coded[0]
    frequent = renaming.by_frequency(goods, prepared.own, prepared.shown)
    if frequent.fit >= READABLE:
        yield frequent
        return
    for totals in (False, True) if prepared.totals else (False,):
        matched = learn_best(prepared, goods=False, totals=totals)
        yield renaming.by_company(goods, matched.prepared, matched.learned)


def _learn_names(case: HistoryCase, reading: ColumnReading) -> Structure:
    """Find customers by the names of the goods, name the goods by the customers, and again."""
    structures = []
    for turn in range(RENAMING_ROUNDS):
        structures.append(learn_best(prepare(case, reading)))
        if structures[-1].is_clear and turn:
            break
        reading = renaming.by_company(case.coded[0], structures[-1].prepared, structures[-1].learned)
    return max(structures, key=lambda structure: structure.quality)


def _guess(case: HistoryCase, best: Structure) -> Guess:
    """Name one customer for every released subject."""
    learned, owner = best.learned, best.prepared.units.owner
    answers, weights = matching.answer(learned, owner)
    credit = matching.credit(best)
    probability = np.maximum(np.clip(weights * credit, 0.0, 1.0), 1.0 / case.choices)
    if best.halves.agreeing < WEAK:
        similar, agreeing = similar_customers(best.prepared)
        if agreeing > best.halves.agreeing + WEAK_MARGIN:
            answers = np.where(similar >= 0, similar, answers)
            # Halves that are right with a chance of p each agree with a chance of p squared.
            probability = np.full(case.targets, agreeing**0.5)
    notes: dict[str, Any] = {
        "evidence": round(learned.evidence, 3),
        "credit": round(credit, 3),
        "columns": explain(case, best),
    }
    return Guess(answers, probability=probability, notes=notes, evidence=evidence_of_answers(case, best, answers))
