"""The game of PWS Cup 2021 in small: draw records, let simple attackers answer, score them as the final round did."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.dataset import ORIGIN
from support.survey_data import COMPARED, survey

LIMIT = 4 + 5e-10
DELTA = 0.01
ASKED = 50


class Distances:
    """Losses and squared one-hot distances between rows of B, or of B and a release, from the definition."""

    def __init__(self, x, y):
        gaps = [np.abs(x[n].to_numpy()[:, None] - y[n].to_numpy()[None]) for n in COMPARED["numbers"]]
        unequal, squared = np.zeros(gaps[0].shape, np.int8), sum(gap * gap for gap in gaps)
        for name in COMPARED["categories"]:
            codes = np.unique(pl.concat([x[name], y[name]]).to_numpy(), return_inverse=True)[1].astype(np.int8)
            differs = codes[: x.height, None] != codes[None, x.height :]
            unequal += differs
            squared += differs * (1 if x[name].dtype.is_numeric() else 2)
        self.loss = np.maximum(unequal, np.maximum(*gaps))
        self.squared = squared
        self.near = self.loss <= LIMIT


def first(keys, near=None):
    """The three rows of smallest key, of those near only if any are."""
    ranked = keys if near is None else np.where(near, keys, keys.max() + 1 + np.abs(keys))
    return np.argsort(ranked, axis=1, kind="stable")[:, :3]


def one_to_one(keys):
    """Greedily the closest pair first, each row once; the nearest rows besides."""
    answers, taken = first(keys), set()
    for flat in np.argsort(keys, axis=None, kind="stable")[: 20 * keys.shape[1]]:
        target, row = divmod(int(flat), keys.shape[1])
        if target not in taken and -row - 1 not in taken:
            taken |= {target, -row - 1}
            answers[target, 2] = row
    return answers


def attacks(asked, released, neighbours, rng):
    """What each simple attacker answers; -1 for no member."""
    found = Distances(asked, released)
    nearest = np.sqrt(found.squared.min(axis=1))
    sizes = found.near.sum(axis=1)
    lonely = first(np.where(found.loss > 0, neighbours, 1e6), found.near)
    answers = {
        "nearest": first(found.squared),
        "rlink": np.where((nearest > np.median(nearest))[:, None], -1, first(found.squared)),
        "least loss": first(found.loss),
        "farthest": first(-found.squared, found.near),
        "most loss": first(-found.loss, found.near),
        "any candidates": first(rng.random(found.near.shape), found.near),
        "fewest neighbours": lonely,
        "one to one": one_to_one(found.squared),
    }
    for least in (10, 20):
        for name in ("any candidates", "fewest neighbours"):
            answers[f"{name}, if more than {least}"] = np.where((sizes > least)[:, None], answers[name], -1)
    same = (found.loss == 0).any(axis=1)
    answers["any candidates, if the record is there"] = np.where(same[:, None], answers["any candidates"], -1)
    return answers


def danger(truth, answers):
    """(recall + δ)(precision + δ)(top-3 + δ)."""
    members, claimed = truth >= 0, (answers >= 0).any(axis=1)
    right = (members & claimed).sum()
    hits = ((answers == truth[:, None]) & members[:, None]).any(axis=1).sum()
    precision = right / max(claimed.sum(), 1)
    return (right / members.sum() + DELTA) * (precision + DELTA) * (hits / members.sum() + DELTA)


def played(made, draws=10, seed=0):
    """Dangers of a release, attack by attack, over draws of records."""
    rng = np.random.default_rng(seed)
    table = made.take(rng.permutation(made.height)).frame
    place = np.full(survey().height, -1)
    place[table[ORIGIN].to_numpy()] = np.arange(table.height)
    neighbours = Distances(table, table).near.sum(axis=1)
    dangers = {}
    for _ in range(draws):
        inside, outside = (rng.choice(np.flatnonzero((place >= 0) == kept), ASKED, replace=False) for kept in (1, 0))
        rows = rng.permutation(np.concatenate([inside, outside]))
        for name, answers in attacks(survey().frame[rows], table, neighbours, rng).items():
            dangers.setdefault(name, []).append(danger(place[rows], answers))
    return dangers
