"""How probable the answers are: the attack is repeated on a release simulated by what was learned.

In the simulated release the truth is known. It shows which rule of answering finds more, how often answers of a given
posterior weight are right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from icefire.attacks.tables.link import agreement
from icefire.attacks.tables.link.matching import Posterior, Scorer, posterior
from icefire.kernels.linkage import simulated_levels
from icefire.kernels.linkage.best_candidates import CandidateLists
from icefire.kernels.types import Bool, Float, Int, Int32

BINS = 20
SIMULATED = 2000
"""Rows that are simulated of a large table."""
RIVALS = 8
"""Candidates of each of them who get rows of their own."""


@dataclass(frozen=True)
class Calibration:
    """What a simulated release tells about answers."""

    one_to_one: bool
    """Assigning one to one finds more than taking the likeliest."""
    edges: Float
    rates: Float
    """Share of right answers by posterior weight, ascending."""
    whole: float
    """Share of the released rows that are one person's in all columns."""
    credit: float
    """How much the answers count: 0 if the people released seem not to be in the original."""

    def probability(self, raw: Float, alike: Int) -> Float:
        """Return the probability that answers are right.

        Args:
            raw: Posterior weights of the answers.
            alike: How many released rows are the same as each, itself included: none of them is known better than
                the others.
        """
        raised = np.interp(raw, self.edges, self.rates) * np.where(alike == 1, self.whole * self.credit, 1.0)
        return np.minimum(raised, 1.0 / alike)


def calibrate(scorer: Scorer, seen: CandidateLists, matched: Posterior, rng: np.random.Generator) -> Calibration:
    """Simulate a release by the learned channels and see how the attack does."""
    large = scorer.search.is_large(len(matched.rows))
    alone = scorer.alike == 1
    unknown = max(len(alone) - scorer.originals, 0)
    if large or unknown:
        some = np.sort(rng.permutation(len(alone))[: min(scorer.originals, SIMULATED if large else len(alone))])
        scorer, matched, alone = replace(scorer, y_rows=scorer.y_rows[some]), matched.part(some), alone[some]
        seen = seen.part(some)
    truth = _drawn_matching(scorer, matched, rng)
    rows = simulated_rows(scorer, truth, rng)
    listed = scorer.candidates(rows, matched.rows.shape[1])
    again = posterior(_with_rivals(scorer, listed, truth, rng) if large else listed, scorer.originals, unknown)
    likeliest, assigned = again.likeliest()[: len(truth)], again.assigned(scorer.originals)[: len(truth)]
    one_to_one = bool((assigned == truth).sum() > (likeliest == truth).sum())
    answers = assigned if one_to_one else likeliest
    edges, rates = _rates(again.part(np.arange(len(truth))).probability(answers), answers == truth)
    single = np.flatnonzero(alone)
    whole = agreement.share_of_whole_rows(scorer, rows, single, rng)
    return Calibration(one_to_one, edges, rates, whole, agreement.credit(seen, listed, truth, single))


def _with_rivals(scorer: Scorer, listed: CandidateLists, truth: Int, rng: np.random.Generator) -> CandidateLists:
    """Add the candidates of simulated rows of other people: those who are most like the people simulated so far.

    In a whole release they have rows of their own, which suit them better. Where values are exchanged within classes,
    nobody is added.
    """
    if any(channel.swapped for channel in scorer.channels):
        return listed
    rivals = np.setdiff1d(listed.rows[:, :RIVALS], np.append(truth, -1)).astype(np.int64)
    if not len(rivals):
        return listed
    like = replace(scorer, y_rows=scorer.y_rows[rng.integers(0, len(truth), len(rivals))])
    theirs = scorer.candidates(simulated_rows(like, rivals, rng), listed.rows.shape[1])
    rows, scores = np.concatenate([listed.rows, theirs.rows]), np.concatenate([listed.scores, theirs.scores])
    return CandidateLists(rows, scores, np.concatenate([listed.rest, theirs.rest]))


def _drawn_matching(scorer: Scorer, matched: Posterior, rng: np.random.Generator) -> Int:
    """Draw who is who: anybody, or where values are exchanged within classes, by the posterior weights."""
    if not any(channel.swapped for channel in scorer.channels):
        return anybody(scorer.originals, len(matched.rows), rng)
    noise = rng.gumbel(size=matched.weights.shape)
    return matched.assigned(scorer.originals, np.log(np.maximum(matched.weights, 1e-30)) + noise)


def anybody(originals: int, released: int, rng: np.random.Generator) -> Int:
    """Draw an original row for every released one, nobody twice where there are enough."""
    if released <= originals:
        return rng.permutation(originals)[:released]
    return rng.integers(0, originals, released)


def simulated_rows(scorer: Scorer, truth: Int, rng: np.random.Generator) -> Int32:
    """Draw released levels for the originals; missing values and columns that are one for a class stay as they are."""
    rows = scorer.y_rows.copy()
    of_class = _columns_of_classes(scorer)
    for place, column in enumerate(scorer.columns):
        draws = rng.random(len(truth))
        if place not in of_class:
            levels = column.x.codes[truth]
            drawn = simulated_levels.draw_levels(scorer.ratios[place], column.y.share, levels, draws)
            rows[:, place] = np.where(column.y.share[rows[:, place]] > 0, drawn, rows[:, place])
    return rows


def _columns_of_classes(scorer: Scorer) -> set[int]:
    """Return the places of columns in which the rows of a class agree, or among whose rows values are exchanged.

    Drawn for each row by itself they would tell the rows of a class apart, which are alike in the release.
    """
    swapped = [place for place, channel in enumerate(scorer.channels) if channel.swapped]
    if not swapped:
        return set()
    classes = scorer.y_rows[:, swapped[0]].astype(np.int64)
    count = len(np.unique(classes))
    levels = scorer.y_rows.astype(np.int64)
    pairs = classes[:, None] * (int(levels.max()) + 1) + levels
    return {*swapped, *(place for place in range(levels.shape[1]) if len(np.unique(pairs[:, place])) == count)}


def _rates(raw: Float, right: Bool) -> tuple[Float, Float]:
    """Return the share of right answers by posterior weight: means of equal groups, made ascending."""
    order = np.argsort(raw, kind="stable")
    groups = [g for g in np.array_split(order, BINS) if len(g)]
    edges = np.array([raw[g].mean() for g in groups])
    rates = np.array([right[g].mean() for g in groups])
    return edges, _ascending(rates)


def _ascending(rates: Float) -> Float:
    """Return the nearest ascending sequence (pool adjacent violators)."""
    blocks: list[tuple[float, int]] = []
    for rate in rates.tolist():
        blocks.append((rate, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (low, a), (high, b) = blocks[-2:]
            blocks[-2:] = [((low * a + high * b) / (a + b), a + b)]
    return np.repeat([rate for rate, _ in blocks], [count for _, count in blocks])
