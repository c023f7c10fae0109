"""Attacks on membership: answers by hand on a few rows, slow versions on many, and the contest's data."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import run_icefire as run
from support.places import DATA

import icefire
from icefire.attacks.membership.candidate_bayes import _membership
from icefire.audit import judge
from icefire.contests.pwscup2021 import CATEGORIES, NUMBERS, READING
from icefire.core import membership, registry, roles, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.membership import Draw, MembershipCase
from icefire.core.release import Case, Comparison, Guess, Truth
from icefire.io import files
from icefire.kernels.records import candidate_pairs, nearest
from icefire.kernels.records import loss as records
from icefire.report import html
from icefire.report.sentences import membership as sentences
from icefire.theory import membership as membership_theory

B = DATA / "pwscup2021_nhanes" / "B.csv"
contest_data = pytest.mark.skipif(
    not B.is_file(), reason="the shared data (../shared/data/pwscup2021_nhanes) is not here"
)
CONTEST = {"numbers": NUMBERS, "categories": CATEGORIES}
ATTACKS = sorted(entry.name for entry in registry.entries("attack") if entry.question == "membership")


def people(*rows: tuple) -> Dataset:
    """Rows of age, body mass index and sex."""
    frame = pl.DataFrame(rows, schema={"age": pl.Float64, "bmi": pl.Float64, "sex": pl.String}, orient="row")
    return Dataset(frame, roles.choose(frame, ("age", "bmi", "sex"), ()))


def ages(*values: float) -> Dataset:
    frame = pl.DataFrame({"age": [float(value) for value in values]})
    return Dataset(frame, roles.choose(frame, ("age",), ()))


def answers(name: str, case: MembershipCase, seed: int = 1, **parameters: object) -> list[list[int]]:
    entry = registry.get("attack", name)
    guess: Guess = entry.function(case, rng=seeds.generator(seed, name), **entry.bind(parameters))
    return guess.rows.tolist()


RECORDS = people((30, 20, "m"), (40, 25, "f"), (50, 30, "m"), (60, 35, "f"))
RELEASED = people((31, 20, "m"), (40, 25, "m"), (58, 30, "m"), (30, 22, "m"), (40, 26, "f"))
NOBODY = [-1, -1, -1]


# --- By hand ---


def test_rlink_takes_the_nearest_rows_and_gives_up_on_the_farther_half():
    # Squared distances to rows 0 … 4, another sex counting 2:
    # (1, 125, .., 4, ..), (108, 2, .., 111, 1), (.., 125, 64, .., 118), (.., 502, 31, .., 481).
    # Nearest 1, 1, 8 and 5.57: their median is 3.28.
    assert answers("rlink", MembershipCase(RECORDS, RELEASED)) == [[0, 3, 1], [4, 1, 0], NOBODY, NOBODY]


def test_all_members_takes_the_rows_of_least_loss_and_equal_ones_by_distance():
    # Losses: (1, 10, .., 2, 10), where row 1 is nearer than row 4; (9, 1, .., 10, 1), where row 4 is nearer than row 1;
    # (.., 10, 8, .., 10), where row 4 is nearer; (.., 20, 5, .., 20), likewise.
    found = answers("all_members", MembershipCase(RECORDS, RELEASED))
    assert found == [[0, 3, 1], [4, 1, 0], [2, 4, 1], [2, 4, 1]]


def test_far_candidate_takes_the_farthest_then_the_one_of_most_loss_then_any():
    # From (50, 25): losses 4, 3, 0, 5 and squared distances 16, 18, 0, 25; the last is no candidate.
    released = people((54, 25, "m"), (53, 28, "m"), (50, 25, "m"), (55, 25, "m"))
    case = MembershipCase(people((50, 25, "m")), released)
    assert answers("far_candidate", case) == [[1, 0, 2]]
    assert answers("far_candidate", case, limit=5)[0][0] == 3


def test_far_candidate_gives_a_tie_to_the_lowest_row_whatever_the_last_digit_of_a_float_says():
    # Both lie 3 away, but in floats 32.2 - 29.2 is a little more than 29.2 - 26.2.
    released = people((50, 26.2, "m"), (50, 32.2, "m"), (50, 29.2, "m"))
    assert answers("far_candidate", MembershipCase(people((50, 29.2, "m")), released))[0][0] == 0


def test_far_candidate_without_enough_candidates_adds_rows_of_least_loss():
    # Within 4 are rows 0 and 3 of the first record, the farther also losing more; rows 1 and 4 of the second.
    found = answers("far_candidate", MembershipCase(RECORDS, RELEASED))
    assert found == [[3, 0, 1], [1, 4, 0], [2, 4, 1], [2, 4, 1]]


def test_a_limit_of_four_holds_at_four():
    case = MembershipCase(people((50, 27.9, "m")), people((50, 31.9, "m"), (50, 23.8, "m"), (51, 23.9, "m")))
    assert set(answers("far_candidate", case)[0][:2]) == {0, 2}


def test_random_candidate_draws_among_all_candidates():
    case = MembershipCase(ages(50), ages(47, 48, 51, 52, 60))
    drawn = {tuple(answers("random_candidate", case, seed)[0]) for seed in range(40)}
    assert {row for answer in drawn for row in answer} == {0, 1, 2, 3}
    assert all(len(set(answer)) == 3 for answer in drawn)


def test_near_density_compares_with_the_distances_between_released_rows():
    # Released rows lie 10 apart. 10.5 is 0.5 from one, 16 is 4: more than 0.3 times what is expected.
    case = MembershipCase(ages(10.5, 16), ages(0, 10, 20, 30, 40))
    assert answers("near_density", case, closer=0.3, scale="raw") == [[1, 2, 0], NOBODY]
    assert answers("near_density", case, closer=0.4, scale="raw") == [[1, 2, 0], [2, 1, 3]]


def test_candidate_bayes_prefers_rows_with_few_possible_owners_and_never_the_equal_one():
    # Candidates of 50 are 50, 52, 53, 46, to which 3, 5, 6 and 2 released rows are near, themselves included.
    case = MembershipCase(ages(50), ages(50, 52, 53, 46, 55, 56, 57))
    assert answers("candidate_bayes", case) == [[3, 1, 2]]
    assert answers("candidate_bayes", case, skip=1)[0][:2] == [1, 2]


def test_candidate_bayes_doubts_numbers_of_candidates_that_the_release_does_not_have():
    sizes, usual = np.array([0] * 6 + [100] * 6), np.full(50, 100)
    # Two neighbours to either side are looked at, so that the middle is not sure.
    assert _membership(sizes, usual, 0.5).tolist() == [0.0] * 4 + [0.5] * 4 + [1.0] * 4
    # As many of either kind in the release as among those asked about: nothing can be told.
    assert _membership(sizes, np.array([0, 100]), 0.5) == pytest.approx(np.full(12, 0.5))


def test_member_assignment_gives_no_row_twice():
    # 50 is as near to 51 as to 49, 52 only to 51.
    case = MembershipCase(ages(50, 52), ages(51, 49))
    assert answers("member_assignment", case, members=1) == [[1, 0, -1], [0, 1, -1]]


def test_member_assignment_leaves_out_who_got_a_bad_row():
    # Two equal records and one such row: the other one's next best is worse than what the third gets.
    case = MembershipCase(ages(50, 50, 70), ages(50, 53, 70))
    found = answers("member_assignment", case, members=0.5)
    assert sorted(found[:2]) == [NOBODY, [0, 1, 2]]
    assert found[2] == [2, 1, 0]


def test_yes_and_no_as_numbers_are_one_apart_and_text_two():
    frame = pl.DataFrame({"age": [50.0, 51.2], "ill": [1, 0], "sex": ["f", "m"]})
    shown = Dataset(frame, roles.choose(frame, ("age", "ill", "sex"), ()))
    asked = shown.with_frame(pl.DataFrame({"age": [50.0], "ill": [0], "sex": ["f"]}))
    # Row 0 is 1 away in `ill`; row 1 is 1.2 ** 2 + 2 away.
    for parameters in ({}, {"numbers": ("age",), "categories": ("ill", "sex")}):
        assert answers("rlink", MembershipCase(asked, shown), **parameters) == [[0, 1, -1]]


def test_missing_values_are_equal_to_one_another_and_far_from_all_others():
    case = MembershipCase(people((None, 20, None)), people((30, 20, "m"), (None, 21, None), (30, 20, None)))
    assert answers("rlink", case)[0][0] == 1
    assert answers("all_members", case)[0][0] == 1


# --- Against slow versions ---

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


def survey(rows: int) -> Dataset:
    return icefire.sample("survey", rows)


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


# --- On the contest's data ---


def contest_table() -> Dataset:
    frame = files.read_frame(B, READING["how"])
    return Dataset(frame, roles.choose(frame, READING["qi"], READING["sa"]), "B.csv")


def left_out(data: Dataset, gone: np.ndarray) -> Comparison:
    kept = np.setdiff1d(np.arange(data.height), gone)
    return Comparison(Case(data, data.take(kept)), Truth(kept))


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


# --- What they reach ---


def exchanged(data: Dataset, seed: int) -> Comparison:
    """Rows swapped as in P3, those with few candidates then left out."""
    steps = [{"method": "swap_rows", "few": 25, **{name: list(columns) for name, columns in CONTEST.items()}}]
    made = icefire.anonymize(data, {"steps": steps}, seed=seed)
    return Comparison(Case(data, made.released), made.truth)


def test_candidate_bayes_undoes_a_swap_better_than_the_others():
    data = survey(2500)
    danger: dict[str, list[float]] = {}
    for seed in range(4):
        case, truth = membership.sample(exchanged(data, seed), Draw(), np.random.default_rng(seed))
        for name in ("candidate_bayes", "far_candidate", "random_candidate"):
            guess = Guess(np.array(answers(name, case, seed, **CONTEST)))
            danger.setdefault(name, []).append(judge.membership(truth, guess).danger_final)
    mean = {name: float(np.mean(values)) for name, values in danger.items()}
    assert mean["candidate_bayes"] > 1.5 * max(mean["far_candidate"], mean["random_candidate"])


def test_near_density_sees_members_through_noise():
    data = survey(1500)
    rng = np.random.default_rng(3)
    noise = pl.Series(rng.normal(0, 1, data.height).round(1))
    kept = np.sort(rng.choice(data.height, 1000, replace=False))
    comparison = Comparison(Case(data, data.with_columns(data.frame["bmi"] + noise).take(kept)), Truth(kept))
    case, truth = membership.sample(comparison, Draw(), rng)
    found = judge.membership(truth, Guess(np.array(answers("near_density", case))))
    assert found.advantage > 0.5
    assert found.top_k > 0.9


@pytest.mark.parametrize("name", ATTACKS)
def test_answers_do_not_depend_on_the_number_of_threads(name, monkeypatch):
    data = survey(300)
    case = (data.take(np.arange(100)), data.take(np.arange(50, 300)))
    monkeypatch.setenv("ICEFIRE_THREADS", "1")
    alone = answers(name, MembershipCase(*case))
    monkeypatch.setenv("ICEFIRE_THREADS", "3")
    assert answers(name, MembershipCase(*case)) == alone


@pytest.mark.parametrize("name", ATTACKS)
def test_an_unknown_column_is_named(name):
    with pytest.raises(icefire.IcefireError, match="did you mean 'age'"):
        answers(name, MembershipCase(RECORDS, RELEASED), numbers=("agee",))


# --- The calculator of P3 ---


@pytest.mark.parametrize(("chance", "score"), [(1, 0.16329), (0.1, 0.15865), (0.01, 0.15819), (0.0001, 0.15814)])
def test_answering_has_the_expected_score_of_the_slide(chance, score):
    assert round(membership_theory.expected_score(chance, True), 5) == score
    assert round(membership_theory.expected_score(chance, False), 5) == 0.15810


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(1, 500), st.floats(0, 1))
def test_answering_never_costs_where_precision_stays(chance, others, precision, targets, delta):
    yes, no = (
        membership_theory.expected_score(
            chance, included, others=others, precision=precision, targets=targets, delta=delta
        )
        for included in (True, False)
    )
    # (1 + d)(((n - 1) o + p) / n + d) - ((n - 1) / n + d)(o + d) = (d (1 - o) + (1 + d) p) / n.
    gain = (delta * (1 - others) + (1 + delta) * chance) / targets
    assert yes - no == pytest.approx((precision + delta) * gain, abs=1e-9)
    assert yes >= no - 1e-9


def test_a_chance_outside_0_and_1_is_refused():
    with pytest.raises(ParameterError, match=r"chance is 1.5; it is a share between 0 and 1"):
        membership_theory.expected_score(1.5, True)
    with pytest.raises(ParameterError, match="targets is 0"):
        membership_theory.expected_score(0.5, True, targets=0)


def test_only_likely_members_are_worth_claiming():
    sure = membership_theory.worth_claiming(np.array([0.0, 1.0, 0.0, 1.0]), np.full(4, 0.5))
    assert sure.tolist() == [False, True, False, True]
    assert membership_theory.worth_claiming(np.full(4, 0.5), np.full(4, 0.1)).all()
    assert membership_theory.worth_claiming(np.empty(0), np.empty(0)).tolist() == []


# --- Where people meet them ---


def test_an_audit_lists_every_attack_in_terminal_and_page(tmp_path, capsys):
    data = survey(300)
    data.frame.write_csv(tmp_path / "known.csv")
    kept = np.arange(0, 300, 2)
    data.frame[kept].write_csv(tmp_path / "shown.csv")
    np.savetxt(tmp_path / "truth.csv", kept, fmt="%d")
    done = run(
        *(capsys, "audit", tmp_path / "known.csv", tmp_path / "shown.csv", "--truth", tmp_path / "truth.csv"),
        *("--ask", "membership", "--qi", "gen,age,race,edu,mar", "--sa", "bmi,dia", "--html", tmp_path / "page.html"),
    )
    assert done.code == 1, "rows are published verbatim"
    page = (tmp_path / "page.html").read_text()
    section = page[page.index('<section id="membership"') :]
    section = section[: section.index("</section>")]
    for name in ATTACKS:
        assert name in done.out
        assert name in section
    assert "call everybody a member and have no advantage" in section
    assert "The most dangerous attack is" in " ".join(done.out.split())


def test_who_calls_everybody_a_member_is_not_drawn():
    data = survey(300)
    kept = np.arange(0, 300, 2)
    card = icefire.audit(data, data.frame[kept], truth=kept, ask=("membership",)).scorecard
    assert card.membership
    drawn = [name for name, _ in sentences.distinguishing(card.membership)]
    claiming = sentences.claiming_everybody(card.membership)
    assert {"all_members", "far_candidate", "random_candidate"} <= set(claiming)
    assert sorted(drawn + claiming) == ATTACKS
    assert "rlink" in drawn
    assert "near_density" in html.render(card)


@contest_data
def test_the_contest_is_attacked_and_scored_from_files_without_a_header(tmp_path, capsys):
    data = contest_table()
    comparison = left_out(data, np.arange(0, data.height, 3))
    case, truth = membership.sample(comparison, Draw(), np.random.default_rng(1))
    case.records.frame.write_csv(tmp_path / "CT.csv", include_header=False)
    case.released.frame.write_csv(tmp_path / "D.csv", include_header=False)
    np.savetxt(tmp_path / "EA.csv", truth.rows, fmt="%d")
    where = [tmp_path / name for name in ("CT.csv", "D.csv", "E.csv", "EA.csv")]
    done = run(capsys, "attack", "rlink", *where[:2], "--contest", "pwscup2021", "-o", where[2])
    assert done.code == 0
    assert len(where[2].read_text().splitlines()) == 100
    assert "Top k: 100.0 %" in run(capsys, "score", where[3], where[2]).out
