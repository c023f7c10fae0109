"""Records: candidates within a limit of loss, swaps and deletions of rows; matchings over candidates."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support import survey_data

from icefire.kernels.assignment import matching, random_exchanges
from icefire.kernels.records import (
    candidates,
    conspicuous_candidates,
    loss,
    row_deletion,
    row_swapping,
    sliding_counts,
)
from icefire.kernels.records.strip_index import tolerances
from icefire.methods.surveys import rows as survey_rows

FEW = settings(max_examples=60, deadline=None)


def encode(*tables, flags=None):
    return loss.encode_records([(np.array(n, float), np.array(c, np.int64)) for n, c in tables], flags)


def slow_loss(a, b):
    """Straight from the definition; two missing numbers are equal, one is infinitely far from all others."""
    gaps = [
        0.0 if x is None and y is None else np.inf if x is None or y is None else abs(x - y)
        for x, y in zip(a[0], b[0], strict=True)
    ]
    return round(max([0.0, *gaps, sum(x != y for x, y in zip(a[1], b[1], strict=True))]), 9)


# Ages 30, 32, 36, 70; BMI with tenths; two categories, the second of them written 0 or 1.
HAND = [
    ((30.0, 27.8), (0, 0)),
    ((32.0, 23.8), (0, 1)),
    ((36.0, 25.0), (1, 0)),
    ((70.0, 25.0), (1, 1)),
    ((30.0, 27.9), (1, 1)),
]


def table(people):
    return [list(n) for n, _ in people], [list(c) for _, c in people]


def test_five_people_by_hand():
    # Losses: 01 4 (27.8 - 23.8 is 4 to nine digits), 02 6, 04 2, 12 4, 14 4.1, 24 6; 3 is far from all.
    (known,) = encode(table(HAND))
    own = np.arange(5)
    assert candidates.counts(known, known, 4, own).tolist() == [2, 2, 1, 0, 1]
    assert candidates.counts(known, known, 4).tolist() == [3, 3, 2, 1, 2]
    start, listed = candidates.lists(known, known, 4, own=own)
    assert [listed[a:b].tolist() for a, b in pairwise(start)] == [[1, 4], [0, 2], [1], [], [0]]
    weights = np.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    assert candidates.sums(known, known, weights, 4, own).tolist() == [10010.0, 101.0, 10.0, 0.0, 1.0]
    assert loss.losses(known, np.array([1, 2, 4, 2]), known.take(np.array([0, 0, 0, 1]))).tolist() == [4, 6, 2, 4]


number = st.one_of(st.none(), st.integers(0, 9), st.sampled_from([0.1, 2.3, 2.4, 7.7]))


@st.composite
def two_tables(draw):
    numbers, categories = draw(st.integers(0, 3)), draw(st.integers(0, 4))
    most = draw(st.sampled_from([1, 2, 300]))
    person = st.tuples(st.tuples(*[number] * numbers), st.tuples(*[st.integers(-1, most)] * categories))
    flags = draw(st.tuples(*[st.booleans()] * categories))
    return draw(st.lists(person, max_size=12)), draw(st.lists(person, max_size=30)), flags


def shaped(people, like):
    numbers, categories = (len(like[0][0]), len(like[0][1])) if like else (0, 0)
    return (
        np.array([[np.nan if x is None else x for x in n] for n, _ in people], float).reshape(len(people), numbers),
        np.array([list(c) for _, c in people], np.int64).reshape(len(people), categories),
    )


@FEW
@given(two_tables(), st.sampled_from([0, 1, 2, 2.3, 4]))
def test_counts_sums_and_lists_are_those_of_the_definition(drawn, limit):
    some, others, flags = drawn
    if not (some and others):
        return
    x, y = loss.encode_records([shaped(some, some), shaped(others, some)], flags)
    expected = [[j for j, b in enumerate(others) if slow_loss(a, b) <= limit] for a in some]
    assert candidates.counts(x, y, limit).tolist() == [len(found) for found in expected]
    weights = 2.0 ** np.arange(len(others))
    assert candidates.sums(x, y, weights, limit).tolist() == [float(sum(weights[found])) for found in expected]
    start, listed = candidates.lists(x, y, limit)
    assert [listed[a:b].tolist() for a, b in pairwise(start)] == expected
    joined = [listed[a:b].tolist() for _, s, listed in candidates.batches(x, y, limit, most=7) for a, b in pairwise(s)]
    assert joined == expected


@FEW
@given(two_tables(), st.sampled_from([0, 1, 2, 2.3, 4]))
def test_a_sliding_window_counts_the_same(drawn, limit):
    some, others, flags = drawn
    if not (some and others):
        return
    x, y = loss.encode_records([shaped(some, some), shaped(others, some)], flags)
    counted = sliding_counts.sliding_counts(x, y, *tolerances(limit), np.inf)
    if x.numbers.shape[1] > 2:
        assert counted is None
        return
    assert counted.tolist() == [sum(slow_loss(a, b) <= limit for b in others) for a in some]


def test_many_pairs_within_reach_are_counted_by_a_sliding_window(monkeypatch):
    rng = np.random.default_rng(2)
    numbers = np.stack([rng.integers(0, 9, 3000), rng.integers(0, 300, 3000) / 10], axis=1).astype(float)
    (known,) = encode((numbers, rng.integers(0, 3, (3000, 3))))
    own = np.where(rng.random(3000) < 0.5, np.arange(3000), -1)
    expected = candidates.counts(known, known, 2, own)
    monkeypatch.setattr(candidates, "LEAST_PAIRS", 0)
    slid = []
    monkeypatch.setattr(candidates, "sliding_counts", lambda *given: slid.append(slide(*given)) or slid[-1])
    slide = sliding_counts.sliding_counts
    assert candidates.counts(known, known, 2, own).tolist() == expected.tolist()
    assert slid[0] is not None


@FEW
@given(two_tables(), st.integers(1, 5), st.floats(0, 1, exclude_max=True))
def test_a_capped_list_is_spread_over_all_candidates(drawn, cap, offset):
    _, others, flags = drawn
    if not others:
        return
    (y,) = loss.encode_records([shaped(others, others)], flags)
    own = np.arange(len(others))
    full_start, full = candidates.lists(y, y, 3, own=own)
    start, some = candidates.lists(y, y, 3, cap, np.full(len(others), offset), own)
    assert np.diff(start).tolist() == np.minimum(np.diff(full_start), cap).tolist()
    for t in range(len(others)):
        taken, every = some[start[t] : start[t + 1]].tolist(), full[full_start[t] : full_start[t + 1]].tolist()
        assert set(taken) <= set(every)
        assert len(set(taken)) == len(taken)


def test_random_offsets_make_a_capped_list_a_random_one():
    (known,) = encode(([[float(a)] for a in range(50)], np.zeros((50, 0))))
    offsets = np.random.default_rng(0).random(4000)
    targets = known.take(np.full(4000, 25))
    _, listed = candidates.lists(targets, known, 10, 3, offsets, np.full(4000, 25))
    counts = np.bincount(listed, minlength=50)
    assert counts[25] == 0
    assert set(np.flatnonzero(counts)) == {*range(15, 36)} - {25}
    assert np.abs(counts[counts > 0] - 600).max() < 100  # 12,000 over 20; four standard deviations are 93


def test_many_columns_take_several_words():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 1000, (40, 9)) * rng.integers(0, 2, (40, 9))
    (known,) = encode((np.zeros((40, 0)), codes))
    assert known.words.shape == (40, 2)
    expected = (codes[:, None] != codes[None]).sum(axis=2)
    assert candidates.counts(known, known, 5).tolist() == (expected <= 5).sum(axis=1).tolist()


def test_the_number_of_threads_changes_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    (known,) = encode((rng.integers(0, 60, (900, 2)).astype(float), rng.integers(0, 4, (900, 6))))
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("ICEFIRE_THREADS", threads)
        results.append(candidates.sums(known, known, rng.random(900) * 0 + np.pi, 4))
    assert np.array_equal(*results)


@survey_data.needed
def test_the_survey_has_the_candidates_that_are_known():
    data = survey_data.survey()
    known = survey_rows.encoded(data, *survey_rows.columns(data, "test", **survey_data.COMPARED))
    own = np.arange(data.height)
    final, early = (candidates.counts(known, known, limit, own) for limit in (4, 6))
    assert (final.min(), np.median(final), final.max()) == (0, 120, 282)
    assert ((final == 0).sum(), (final <= 25).sum()) == (11, 296)
    assert (early.min(), np.median(early), early.max()) == (0, 440, 646)


# --- matchings ---------------------------------------------------------------------------------------------------


def as_lists(lists):
    start = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return start, np.array([thing for one in lists for thing in one], np.int32)


def largest(lists, taken=frozenset()):
    """Size of the largest matching, by trying everything."""
    if not lists:
        return 0
    rest = [1 + largest(lists[1:], taken | {thing}) for thing in lists[0] if thing not in taken]
    return max([largest(lists[1:], taken), *rest])


wishes = st.lists(st.sets(st.integers(0, 5)).map(sorted), max_size=6)


@FEW
@given(wishes, st.integers(0, 1000))
def test_as_many_as_possible_are_matched(lists, seed):
    start, things = as_lists(lists)
    given_ = matching.maximum_matching(start, things, 6, np.random.default_rng(seed).random(len(lists)))
    got = [thing for thing in given_ if thing >= 0]
    assert len(got) == len(set(got)) == largest(lists)
    assert all(thing in wished for thing, wished in zip(given_, lists, strict=True) if thing >= 0)


@FEW
@given(wishes, wishes, st.integers(0, 1000))
def test_a_matching_is_extended_without_anybody_losing(first, second, seed):
    wide = [sorted({*a, *b}) for a, b in zip(first, second, strict=False)]
    draws = np.random.default_rng(seed).random(len(wide))
    before = matching.maximum_matching(*as_lists(first[: len(wide)]), 6, draws)
    after = matching.maximum_matching(*as_lists(wide), 6, draws, before)
    assert ((after >= 0) | (before < 0)).all()
    assert (after >= 0).sum() == largest(wide)


def test_a_long_chain_of_changes_is_found():
    # Person i can have i or i + 1, the last only the first: everybody must move up by one.
    people = 2000
    lists = [[i, i + 1] for i in range(people)] + [[0]]
    given_ = matching.maximum_matching(*as_lists(lists), people + 1, np.zeros(people + 1))
    assert given_.tolist() == [*range(1, people + 1), 0]


def test_after_stirring_every_matching_is_as_likely_as_any_other():
    # Of the six ways to match three with three, person 0 forbids those with thing 2: four are left.
    start, things = as_lists([[0, 1], [0, 1, 2], [0, 1, 2]])
    ways = Counter(
        tuple(
            random_exchanges.exchange_at_random(
                start, things, 3, np.array([0, 1, 2]), 60, np.random.default_rng(seed)
            ).tolist()
        )
        for seed in range(2000)
    )
    assert set(ways) == {way for way in permutations(range(3)) if way[0] != 2}
    assert max(abs(count - 500) for count in ways.values()) < 80  # four standard deviations are 77


def test_stirring_uses_what_is_free_and_leaves_alone_who_has_nothing():
    start, things = as_lists([[0, 1], []])
    ways = {
        tuple(random_exchanges.exchange_at_random(start, things, 2, np.array([0, -1]), 9, np.random.default_rng(s)))
        for s in range(20)
    }
    assert ways == {(0, -1), (1, -1)}
    assert not len(
        random_exchanges.exchange_at_random(
            np.zeros(1, np.int64), things[:0], 0, np.empty(0, np.int64), 0, np.random.default_rng()
        )
    )


# --- swapping, standing out, leaving out -------------------------------------------------------------------------


def test_fewest_candidates_first_and_a_copy_where_all_are_taken():
    # On a line, limit 4: 0 reaches only 4; 4 reaches 0 and 8; 8 reaches 4 and 9; 9 reaches 8. One candidate each: 0, 9.
    (known,) = encode(([[0.0], [4.0], [8.0], [9.0], [50.0]], np.zeros((5, 0))))
    source, counts = row_swapping.swap_rows(known, 4, np.random.default_rng(0))
    assert counts.tolist() == [1, 2, 2, 1, 0]
    assert source.tolist() == [1, 0, 3, 2, 4]
    # 0 comes first and takes 4; then 8 finds 4 taken and nobody else: a copy of 4.
    (known,) = encode(([[0.0], [4.0], [8.0]], np.zeros((3, 0))))
    assert row_swapping.swap_rows(known, 4, np.random.default_rng(0))[0].tolist() == [1, 0, 1]


@FEW
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2)), max_size=40), st.integers(0, 50))
def test_swaps_stay_within_the_limit_and_a_copy_is_the_last_resort(people, seed):
    ages = np.array([[float(a)] for a, _ in people]).reshape(-1, 1)
    (known,) = loss.encode_records([(ages, np.array([[c] for _, c in people], np.int64).reshape(-1, 1))])
    source, counts = row_swapping.swap_rows(known, 4, np.random.default_rng(seed))
    assert (loss.losses(known, np.arange(len(people)), known.take(source)) <= 4).all()
    here = np.arange(len(people))
    assert ((source == here) == (counts == 0)).all()
    copies = np.flatnonzero(source[source] != here)
    # Two who both had to copy are no candidates of each other, or they would have swapped.
    for i in copies:
        for j in copies:
            assert i == j or slow_loss(((people[i][0],), (people[i][1],)), ((people[j][0],), (people[j][1],))) > 4


def test_a_free_partner_is_drawn_with_equal_chances():
    (known,) = encode(([[0.0]] + [[float(a)] for a in (3, 4, 4, 4, 7, 7, 7, 7)], np.zeros((9, 0))))
    drawn = Counter(int(row_swapping.swap_rows(known, 4, np.random.default_rng(s))[0][0]) for s in range(2000))
    assert set(drawn) == {1, 2, 3, 4}
    assert max(abs(count - 500) for count in drawn.values()) < 80


def test_what_stands_out_in_a_list():
    # Target at 0, candidates at 1 … 24: one per way stands out with one guess (24 // 12 = 2 would be allowed).
    rows = [[float(a)] for a in range(1, 25)]
    target, table_ = encode(([[0.0]], [[0]]), (rows, [[0]] * 24))
    start, listed = np.array([0, 24]), np.arange(24, dtype=np.int32)
    neighbours, demand = np.full(24, 9.0), np.full(24, 9.0)
    neighbours[10], neighbours[11], demand[12] = 1.0, 2.0, 1.0
    plain = conspicuous_candidates.inconspicuous(target, table_, start, listed, (neighbours, demand), 1, np.zeros(1))
    assert np.flatnonzero(~plain).tolist() == [0, 10, 12, 23]
    # The deepest draw takes more of the rows with few neighbours, but no more than a twelfth of all.
    plain = conspicuous_candidates.inconspicuous(
        target, table_, start, listed, (neighbours, demand), 1, np.full(1, 0.99)
    )
    assert np.flatnonzero(~plain).tolist() == [0, 10, 11, 12, 23]
    short = conspicuous_candidates.inconspicuous(
        target, table_, np.array([0, 11]), listed[:11], (neighbours, demand), 3, np.zeros(1)
    )
    assert short.all()


def test_the_riskiest_go_unless_an_average_would_move():
    rng = np.random.default_rng(0)
    risk = np.zeros(200)
    risk[:20] = 1.0
    feature = np.where(np.arange(200) < 20, 3.0, 0.0) + rng.normal(0, 1, 200)
    feature = ((feature - feature.mean()) / feature.std()).astype(np.float32)[:, None]
    free = row_deletion.choose_rows(feature, np.array([9.0]), risk, np.arange(200), 40, np.random.default_rng(1))
    assert set(range(20)) <= set(free.tolist())
    assert len(free) == len(set(free.tolist())) == 40
    tied = row_deletion.choose_rows(feature, np.array([0.01]), risk, np.arange(200), 40, np.random.default_rng(1))
    left = np.setdiff1d(np.arange(200), tied)
    assert abs(feature[left].mean()) < 0.02 < abs(feature[np.setdiff1d(np.arange(200), free)].mean())


def test_only_the_pool_is_chosen_from():
    pool = np.arange(5, 9)
    nothing = np.zeros((12, 0), np.float32)
    for size in range(5):
        chosen = row_deletion.choose_rows(nothing, np.empty(0), np.zeros(12), pool, size, np.random.default_rng(0))
        assert len(chosen) == size
        assert set(chosen.tolist()) <= set(pool.tolist())
