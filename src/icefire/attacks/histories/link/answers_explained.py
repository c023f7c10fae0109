"""What speaks for each answer: by column, and by the goods that the subject and the customer answered share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.attacks.histories.link.layers import KeyLayers, weigh
from icefire.attacks.histories.link.structure import Structure
from icefire.core.answer_evidence import AnswerEvidence, SharedGood
from icefire.core.history import HistoryCase
from icefire.kernels.types import Float, Int

GOODS_NAMED = 4
REPEATED = "repeated purchases"


def evidence_of_answers(case: HistoryCase, best: Structure, answers: Int) -> AnswerEvidence:
    """Return what the shared keys say for each answer, by column and by good.

    Args:
        case: What the attacker holds.
        best: The structure and what was learned by it.
        answers: The customer answered for every released subject.
    """
    layers = best.learned.layers
    subjects, keys = _shared_keys(layers, _units(best, answers))
    bits = weigh(layers, best.learned.rates).gains.both[keys] / np.log(2.0)
    columns = list(dict.fromkeys(name.partition(": ")[0] for name in layers.names))
    column_of_layer = np.array([columns.index(name.partition(": ")[0]) for name in layers.names])
    places = subjects * len(columns) + column_of_layer[layers.layer[keys]]
    by_column = np.bincount(places, bits, len(answers) * len(columns)).reshape(len(answers), len(columns))
    goods: list[list[SharedGood]] = [[] for _ in answers]
    if best.chain[0] is best.prepared.goods:
        _name_goods(case, best, subjects, keys, bits, goods)
    return AnswerEvidence(tuple(columns), by_column.astype(np.float32), goods)


def _units(best: Structure, answers: Int) -> Int:
    """Return the unit of the customer answered that is likeliest for every released subject; -1 for none."""
    sets, owner = best.learned.pairs.sets, best.prepared.units.owner
    own = (sets >= 0) & (owner[np.maximum(sets, 0)] == answers[:, None])
    weights = np.where(own, best.learned.weights, -1.0)
    chosen = weights.argmax(axis=1)
    rows = np.arange(len(answers))
    return np.where(weights[rows, chosen] >= 0, sets[rows, chosen], -1)


def _shared_keys(layers: KeyLayers, units: Int) -> tuple[Int, Int]:
    """Return the released subject and the key wherever the subject and its unit both have it."""
    own, shown, size = layers.own, layers.shown, max(len(layers.layer), 1)
    subjects = shown.owners
    unit = units[subjects]
    wanted, held = unit * size + shown.keys, own.owners * size + own.keys
    place = np.minimum(np.searchsorted(held, wanted), max(len(held) - 1, 0))
    both = (unit >= 0) & (held[place] == wanted) if len(held) else np.zeros(len(wanted), np.bool_)
    return subjects[both], shown.keys[both]


def _name_goods(
    case: HistoryCase, best: Structure, subjects: Int, keys: Int, bits: Float, goods: list[list[SharedGood]]
) -> None:
    """List for every subject the shared goods that tell most, with all that agrees beside them."""
    layers = best.learned.layers
    root = _roots(layers)[keys]
    in_goods = layers.layer[root] == 0
    subjects, keys, bits, root = (part[in_goods] for part in (subjects, keys, bits, root))
    pair, place = np.unique(subjects * max(len(layers.layer), 1) + root, return_inverse=True)
    total = np.bincount(place, bits, len(pair))
    agreeing = np.zeros(len(pair), np.int64)
    np.bitwise_or.at(agreeing, place, 1 << layers.layer[keys])
    subject, good = np.divmod(pair, max(len(layers.layer), 1))
    names = _names_of_goods(case, best)
    for one in np.lexsort((good, -total, subject)).tolist():
        listed = goods[subject[one]]
        if len(listed) < GOODS_NAMED and total[one] > 0:
            agrees = _columns(layers.names, int(agreeing[one]))
            listed.append(SharedGood(names[good[one]], agrees, float(total[one])))


def _columns(names: Sequence[str], layers: int) -> list[str]:
    """Name the columns of some layers (bits of a number), the goods and repetitions excepted."""
    chosen = [name.partition(": ")[0] for place, name in enumerate(names) if place and layers >> place & 1]
    return [name for name in dict.fromkeys(chosen) if name != REPEATED]


def _roots(layers: KeyLayers) -> Int:
    """Return for every key the key without parent that it refines in the end."""
    root = np.arange(len(layers.parent))
    while True:
        above = layers.parent[root]
        if (above < 0).all():
            return root
        root = np.where(above >= 0, above, root)


def _names_of_goods(case: HistoryCase, best: Structure) -> list[str]:
    """Return the released name of every key of the first layer; empty for goods that were not released."""
    column = best.prepared.goods
    distinct = np.unique(np.concatenate((column.own, column.shown)))
    there, first = np.unique(column.shown, return_index=True)
    texts = case.released.frame[case.released.fields.item].gather(first).to_list()
    by_code = dict(zip(there.tolist(), map(str, texts), strict=True))
    return [by_code.get(code, "") for code in distinct.tolist()]
