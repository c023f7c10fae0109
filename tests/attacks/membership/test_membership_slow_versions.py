"""Attacks on membership against slow versions that can be checked by reading, and on the contest's data."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.membership_attacks import ATTACKS, CONTEST, NOBODY, answers, contest_data, contest_table, left_out, survey

from icefire.audit import judge
from icefire.contests.pwscup2021 import CATEGORIES, NUMBERS
from icefire.core import membership
from icefire.core.membership import Draw, MembershipCase
from icefire.core.release import Case, Comparison, Guess, Truth
from icefire.kernels.records import candidate_pairs, nearest
from icefire.kernels.records import loss as records

TABLE = st.integers(0, 2**32 - 1)


def random_table(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.stack([rng.integers(20, 40, rows) * 1.0, rng.integers(0, 80, rows) / 10, rng.integers(0, 2, rows)], 1)
    numbers[rng.random(rows) < 0.1, 1] = np.nan
    return numbers, rng.integers(-1, 4, (rows, 4))


def all_pairs(x: tuple[np.ndarray, np.ndarray], y: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Squared distance and loss of every pair, as the definition says; the last category counts once."""
    left, right = (records.encode_records([x, y])[side].numbers for side in (0, 1))
    squared, loss = np.zeros((len(left), len(right))), np.zeros((len(left), len(right)))
    for column in range(left.shape[1]):
        gap = left[:, None, column] - right[None, :, column]
        squared += gap * gap
        loss = np.maximum(loss, np.abs(gap))
    unequal = x[1][:, None, :] != y[1][None, :, :]
    squared += 2.0 * unequal.sum(axis=2) - unequal[:, :, -1]
    return squared, np.maximum(loss, unequal.sum(axis=2)).round(9)


@settings(max_examples=60, deadline=None)
@given(seed=TABLE, by=st.sampled_from(["squared", "loss"]), k=st.integers(1, 5), itself=st.booleans())
def test_the_nearest_rows_are_those_of_a_full_sort(seed, by, k, itself):
    rng = np.random.default_rng(seed)
    x, y = random_table(rng, int(rng.integers(1, 30))), random_table(rng, int(rng.integers(1, 200)))
    own = rng.integers(0, len(y[0]), len(x[0])) if itself else None
    found = nearest.nearest_records(*records.encode_records([x, y], [False, False, False, True]), k, by, own)
    squared, loss = all_pairs(x, y)
    for t in range(len(x[0])):
        keys = squared[t] if by == "squared" else loss[t]
        order = np.lexsort((np.arange(len(keys)), squared[t], keys))
        order = order[order != own[t]] if own is not None else order
        best = order[:k].tolist()
        assert found.rows[t].tolist() == best + [-1] * (k - len(best))
        assert found.distances[t, : len(best)] == pytest.approx(keys[best])


@settings(max_examples=30, deadline=None)
@given(seed=TABLE)
def test_pairs_are_measured_and_ranked_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    x, y = random_table(rng, int(rng.integers(1, 12))), random_table(rng, 40)
    lists = [np.sort(rng.choice(40, rng.integers(0, 9), replace=False)) for _ in range(len(x[0]))]
    start = np.concatenate([[0], np.cumsum([len(mine) for mine in lists])])
    rows = np.concatenate([*lists, []]).astype(np.int32)
    squared, loss = candidate_pairs.pair_distances(
        *records.encode_records([x, y], [False, False, False, True]), start, rows
    )
    best = candidate_pairs.best_pairs(start, loss, 3)
    far, lost = all_pairs(x, y)
    for t, mine in enumerate(lists):
        assert squared[start[t] : start[t + 1]].tolist() == far[t, mine].round(9).tolist()
        assert loss[start[t] : start[t + 1]].tolist() == lost[t, mine].tolist()
        order = start[t] + np.argsort(-lost[t, mine], kind="stable")[:3]
        assert best[t].tolist() == order.tolist() + [-1] * (3 - len(order))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), limit=st.sampled_from([2.0, 4.0]))
def test_far_candidate_is_what_the_rule_says(seed, limit):
    rng = np.random.default_rng(seed)
    data = survey(400)
    rows = rng.permutation(400)
    case = MembershipCase(data.take(rows[:20]), data.take(rows[10:]))
    squared, loss = contest_pairs(case)
    for t, found in enumerate(answers("far_candidate", case, seed, limit=limit, **CONTEST)):
        near = np.flatnonzero(loss[t] <= limit)
        if not len(near):
            assert found == np.lexsort((squared[t], loss[t]))[:3].tolist()
            continue
        farthest, largest = near[squared[t, near].round(9).argmax()], near[loss[t, near].argmax()]
        assert found[0] == farthest
        assert len(set(found)) == 3
        if largest != farthest:
            assert found[1] == largest
        assert set(found[: len(near)]) <= set(near.tolist())


def contest_pairs(case: MembershipCase) -> tuple[np.ndarray, np.ndarray]:
    """Squared one-hot distance and iloss of every record and released row, from the values themselves."""
    known, shown = case.records.frame, case.released.frame
    squared, loss, unequal = (np.zeros((known.height, shown.height)) for _ in range(3))
    for name in NUMBERS:
        gap = known[name].to_numpy()[:, None] - shown[name].to_numpy()[None]
        squared, loss = squared + gap * gap, np.maximum(loss, np.abs(gap))
    for name in CATEGORIES:
        differs = known[name].to_numpy()[:, None] != shown[name].to_numpy()[None]
        unequal += differs
        squared += differs * (1.0 if known[name].dtype.is_numeric() else 2.0)
    return squared, np.maximum(loss, unequal).round(9)


def slow_rlink(case: MembershipCase) -> list[list[int]]:
    """One-hot by hand, all distances, column after column: numbers first, as pandas orders dummies."""
    names = [*case.records.qi, *case.records.sa]
    both = pl.concat([case.records.frame.select(names), case.released.frame.select(names)])
    numeric = [name for name in names if both[name].dtype.is_numeric()]
    columns = [both[name].cast(pl.Float64).to_numpy() for name in numeric]
    for name in names:
        if name not in numeric:
            columns += [(both[name] == value).to_numpy().astype(float) for value in sorted(both[name].unique())]
    squared = np.zeros((case.targets, case.choices))
    for column in columns:
        gap = column[: case.targets, None] - column[None, case.targets :]
        squared += gap * gap
    distance = np.sqrt(squared.min(axis=1))
    far = distance > np.median(distance)
    order = np.argsort(squared, axis=1, kind="stable")[:, :3]
    return [NOBODY if far[t] else order[t].tolist() for t in range(case.targets)]


@contest_data
def test_rlink_on_the_contest_data_is_the_slow_one_to_the_row():
    data = contest_table()
    noise = np.random.default_rng(5).normal(0, 2, data.height).round(1)
    moved = data.with_columns(data.frame["bmi"] + pl.Series(noise), data.frame["race"].shift(7).fill_null("White"))
    kept = np.arange(0, data.height, 2)
    comparison = Comparison(Case(data, moved.take(kept)), Truth(kept))
    for seed in range(3):
        case, _ = membership.sample(comparison, Draw(), np.random.default_rng(seed))
        assert answers("rlink", case) == slow_rlink(case)


@contest_data
def test_a_release_that_only_lost_its_tails_is_read_like_a_book():
    data = contest_table()
    frame = data.frame
    small = frame.select(pl.len().over("race", "edu", "mar") < 7).to_series()
    gone = (frame["age"] > 75) | (frame["bmi"] > 50) | (frame["age"] < 22) | (frame["bmi"] < 20) | small
    comparison = left_out(data, np.flatnonzero(gone.to_numpy()))
    assert comparison.released.height == 3353
    case, truth = membership.sample(comparison, Draw(), np.random.default_rng(1))
    scores = {name: judge.membership(truth, Guess(np.array(answers(name, case)))) for name in ATTACKS}
    assert scores["rlink"].danger_final == pytest.approx(1.01**3)
    assert scores["member_assignment"].danger_final == pytest.approx(1.01**3)
    assert scores["all_members"].danger_final == pytest.approx(1.01 * 0.51 * 1.01)
    assert scores["near_density"].top_k == 1
    assert scores["near_density"].precision > 0.8
