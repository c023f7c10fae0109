"""The judge: scores answers against the truth. Nothing else scores.

Every question has the same form: for each target, which row is it? Re-identification ratio, top-k, recall and
precision follow. The command line, the library and the arena all ask here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from icefire.core.errors import InputError
from icefire.core.release import NO_ANSWER, Comparison, Guess, Truth, ValueScale
from icefire.core.scorecard.scores import Membership, Score
from icefire.kernels.neighbours import euclidean
from icefire.kernels.types import Bool, Float, Int

Z_95 = 1.959963984540054


def hits(truth: Truth, guess: Guess) -> Bool:
    """Tell for each target whether the best answer is right; no answer is wrong."""
    right: Bool = (guess.first == truth.rows) & (guess.first != NO_ANSWER)
    return right


def score(truth: Truth, guess: Guess, originals: int | None = None, of: int | None = None) -> Score:
    """Score a guess against the truth.

    `originals` is the number of rows the answers are chosen from (for the random-guess baseline; default: as
    many as there are targets), `of` the denominator of the ratio (default: the number of targets).
    """
    targets = len(truth)
    if targets == 0:
        raise InputError("there is no target to score; give at least one row")
    guess.checked(targets, np.iinfo(np.int64).max)
    whole = targets if of is None else of
    right, shares = int(hits(truth, guess).sum()), _membership(truth, guess)
    return Score(
        rate=right / whole,
        hits=right,
        targets=targets,
        answered=int((guess.first != NO_ANSWER).sum()),
        ci=wilson(right, whole),
        baseline=targets / whole / (originals or targets),
        expected=expectation(truth, guess, whole),
        recall=shares.get("recall"),
        precision=shares.get("precision"),
        top_k=shares.get("top_k"),
        membership=membership(truth, guess) if 0 < int((truth.rows == NO_ANSWER).sum()) < targets else None,
    )


def score_of_known(truth: Truth, guess: Guess, known: int, of: int | None = None) -> Score:
    """Score answers about released rows of which not all belong to people known.

    The rate is the share of the targets, the released rows whose person is known, that were identified. Precision is
    the share of the answers that are right; an answer about a row whose person is not known is wrong.

    Args:
        truth: For each released row who it is among the people known; -1 for nobody.
        guess: The answers.
        known: Number of people known.
        of: Denominator of the rate. Default: the number of targets.

    Returns:
        The score. Where nobody known is in the release, the rate is 0 and its interval 0 to 1.
    """
    guess.checked(len(truth), known)
    targets = int((truth.rows != NO_ANSWER).sum())
    whole = targets if of is None else of
    right, answered = int(hits(truth, guess).sum()), int((guess.first != NO_ANSWER).sum())
    return Score(
        rate=right / whole if whole else 0.0,
        hits=right,
        targets=targets,
        answered=answered,
        ci=wilson(right, whole) if whole else (0.0, 1.0),
        baseline=targets / whole / known if whole else 0.0,
        expected=None if not whole else expectation(truth, guess, whole),
        recall=right / targets if targets else 0.0,
        precision=right / answered if answered else 0.0,
    )


def one_answer_per_person(guess: Guess, rng: np.random.Generator) -> Guess:
    """Keep for everybody who is named the surest answer: a person has one row. Of equals one is drawn.

    Where not everybody is known, naming one person for many rows would be right for one of them without telling which.
    """
    places = np.flatnonzero(guess.first != NO_ANSWER)
    sure = np.zeros(len(places))
    if guess.probability is not None:
        sure = guess.probability[places]
    elif guess.candidates is not None:
        sure = 1.0 / np.maximum(guess.candidates.sizes[places], 1)
    order = np.lexsort((rng.random(len(places)), -sure, guess.first[places]))
    _, firsts = np.unique(guess.first[places][order], return_index=True)
    kept = np.zeros(len(guess), np.bool_)
    kept[places[order[firsts]]] = True
    probability = None if guess.probability is None else np.where(kept, guess.probability, 0.0)
    rows = np.where(kept[:, None], guess.rows, NO_ANSWER)
    return Guess(rows, None, probability, guess.notes, evidence=guess.evidence)


def _membership(truth: Truth, guess: Guess) -> dict[str, float]:
    """Recall and precision of "is a member" where some targets are not, and the share own_row_named in k tries."""
    members = truth.rows != NO_ANSWER
    own_row_named = ((guess.rows == truth.rows[:, None]) & (guess.rows != NO_ANSWER)).any(axis=1) & members
    out = {"top_k": _share(own_row_named, members)} if guess.rows.shape[1] > 1 else {}
    if members.all():
        return out
    claimed = guess.first != NO_ANSWER
    return {
        "recall": _share(claimed & members, members),
        "precision": _share(claimed & members, claimed),
        "top_k": _share(own_row_named, members),
    }


FINAL_DELTA = 0.01
FALSE_ALARMS = 0.01
"""Share of outsiders that may be taken for members where the share of members recognised is measured."""
DRAWS = 4_000
"""Draws of the shares that an interval of the danger is made of."""


def membership(truth: Truth, guess: Guess, delta: float = FINAL_DELTA) -> Membership:
    """Score answers to "is this record in the release, and where?"; -1 in the truth is an outsider."""
    inside = truth.rows != NO_ANSWER
    if not inside.any() or inside.all():
        raise InputError("membership is asked of members and outsiders; the truth must hold some rows and some -1")
    guess.checked(len(truth), np.iinfo(np.int64).max)
    claimed = guess.first != NO_ANSWER
    own_row_named = ((guess.rows == truth.rows[:, None]) & (guess.rows != NO_ANSWER)).any(axis=1) & inside
    recall, false = _share(claimed & inside, inside), _share(claimed & ~inside, ~inside)
    precision, top_k = _share(claimed & inside, claimed), _share(own_row_named, inside)
    low, high = _difference(claimed[inside], claimed[~inside])
    recognised = recognised_members(claimed.astype(np.float64) if guess.scores is None else guess.scores, inside)
    return Membership(
        members=int(inside.sum()),
        outsiders=int((~inside).sum()),
        recall=recall,
        recall_ci=_interval(claimed & inside, inside),
        precision=precision,
        precision_ci=_interval(claimed & inside, claimed),
        top_k=top_k,
        top_k_ci=_interval(own_row_named, inside),
        first=_share(hits(truth, guess) & inside, inside),
        balanced_accuracy=(recall + 1 - false) / 2,
        balanced_accuracy_ci=((1 + low) / 2, (1 + high) / 2),
        advantage=recall - false,
        advantage_ci=(low, high),
        danger=recall * precision * top_k,
        danger_final=(recall + delta) * (precision + delta) * (top_k + delta),
        danger_final_ci=_danger_interval(claimed, own_row_named, inside, delta),
        tpr=_share(recognised, inside),
        tpr_ci=_interval(recognised, inside),
    )


def recognised_members(scores: Float, inside: Bool, false_alarms: float = FALSE_ALARMS) -> Bool:
    """Tell which members lie above the lowest threshold that at most a share of the outsiders lies above.

    Thresholds are between distinct scores only: equal ones fall together.

    Args:
        scores: The higher, the likelier a member.
        inside: Who is a member.
        false_alarms: Share of the outsiders that may lie above the threshold.
    """
    outsiders = np.sort(scores[~inside])[::-1]
    allowed = int(false_alarms * len(outsiders) + 1e-9)
    # The highest outsider that must not lie above the threshold.
    threshold = outsiders[allowed] if allowed < len(outsiders) else -np.inf
    recognised: Bool = inside & (scores > threshold)
    return recognised


def _danger_interval(claimed: Bool, named: Bool, inside: Bool, delta: float) -> tuple[float, float]:
    """95 % interval of the danger: shares drawn as often as the answers make them likely (Jeffreys)."""
    rng = np.random.default_rng(0)
    members, outsiders = int(inside.sum()), int((~inside).sum())
    said, said_wrong, found_rows = (int(part.sum()) for part in (claimed & inside, claimed & ~inside, named & claimed))
    recall = rng.beta(said + 0.5, members - said + 0.5, DRAWS)
    false = rng.beta(said_wrong + 0.5, outsiders - said_wrong + 0.5, DRAWS)
    own_row = recall * rng.beta(found_rows + 0.5, said - found_rows + 0.5, DRAWS)
    precision = recall * members / (recall * members + false * outsiders)
    low, high = np.quantile((recall + delta) * (precision + delta) * (own_row + delta), (0.025, 0.975))
    value = (_share(claimed & inside, inside) + delta) * (_share(claimed & inside, claimed) + delta)
    value *= _share(named, inside) + delta
    return min(float(low), value), max(float(high), value)


def _interval(part: Bool, whole: Bool) -> tuple[float, float]:
    return wilson(int(part.sum()), int(whole.sum())) if whole.any() else (0.0, 1.0)


def _difference(one: Bool, other: Bool) -> tuple[float, float]:
    """95 % interval for the difference of two shares, from the Wilson interval of each (Newcombe)."""
    p, q = float(one.mean()), float(other.mean())
    (low_p, high_p), (low_q, high_q) = (wilson(int(part.sum()), len(part)) for part in (one, other))
    low, high = math.hypot(p - low_p, high_q - q), math.hypot(high_p - p, q - low_q)
    return max(-1.0, p - q - low), min(1.0, p - q + high)


def _share(part: Bool, whole: Bool) -> float:
    return int(part.sum()) / int(whole.sum()) if whole.any() else 0.0


def expectation(truth: Truth, guess: Guess, of: int) -> float | None:
    """Mean chance that a uniform draw from each target's candidates is right; None for answers not drawn."""
    drawn = guess.candidates
    if drawn is None:
        return None
    return float((drawn.include(truth.rows) / np.maximum(drawn.sizes, 1)).sum() / of)


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """95 % interval for a share by Wilson's formula: right also near 0 and 1, unlike the usual one."""
    share, z2 = successes / trials, Z_95**2
    centre = share + z2 / (2 * trials)
    half = Z_95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    low, high = (centre - half) / (1 + z2 / trials), (centre + half) / (1 + z2 / trials)
    return (0.0 if successes == 0 else max(0.0, low), 1.0 if successes == trials else min(1.0, high))


@dataclass(frozen=True)
class Claim:
    """The truth as claimed, checked against the values: how far each released row is from its claimed origin."""

    comparison: Comparison
    scale: ValueScale = "standard"
    columns: tuple[str, ...] | None = None

    def distances(self, rows: Int) -> Float:
        """Squared distance of every released row to the original row named for it; none named: infinite."""
        x, y = self.comparison.case.points(self.columns, self.scale)
        return euclidean.squared_distances(x, y, rows)

    @cached_property
    def claimed(self) -> Float:
        """Squared distance of every released row to its claimed origin."""
        return self.distances(self.comparison.truth.rows)

    def aya(self, guess: Guess) -> Guess:
        """Count a guess as right where it is strictly nearer to the released row than the claimed origin.

        An honest correspondence is rarely beaten; a false one, invented to make every attack fail, always is.
        """
        nearer = self.distances(guess.first) < self.claimed
        return Guess(np.where(nearer, self.comparison.truth.rows, guess.first))

    def farther_than_nearest(self, targets: Int | None = None) -> int:
        """Count the released rows (all, or some) whose claimed origin is not the nearest original row."""
        x, y = self.comparison.case.points(self.columns, self.scale)
        if targets is None:
            targets = np.arange(len(y))
        return int(euclidean.nearer_exists(x, y[targets], self.claimed[targets]).sum())
