"""The judge works in a child process that has nothing but the files of its task."""

from __future__ import annotations

import numpy as np
import pytest

import icefire
from icefire.arena import sandbox
from icefire.arena.errors import TooLarge
from icefire.arena.sandbox import JudgeFailed, Limits


def csv(frame) -> bytes:
    return frame.write_csv().encode()


def lines(numbers) -> bytes:
    return "".join(f"{number}\n" for number in numbers).encode()


@pytest.fixture(scope="module")
def handed_in():
    original = icefire.sample("households", 60).frame
    order = np.random.default_rng(4).permutation(60)[:50]
    return {
        "original.csv": csv(original),
        "released.csv": csv(original[order]),
        "correspondence.csv": lines(order),
    }


@pytest.fixture(scope="module")
def taken_in(handed_in):
    return sandbox.run("receive", handed_in, rules="pwscup2015", seed=5)


def test_a_right_release_is_shuffled_and_its_truth_moves_with_it(handed_in, taken_in):
    assert taken_in.result["problems"] == []
    assert taken_in.result["rows"] == 50
    assert sorted(taken_in.files) == ["released.csv", "truth.csv"]
    assert taken_in.files["released.csv"] != handed_in["released.csv"]
    assert taken_in.files["truth.csv"] != handed_in["correspondence.csv"]
    original = handed_in["original.csv"].decode().splitlines()[1:]
    shown = taken_in.files["released.csv"].decode().splitlines()[1:]
    truth = [int(row) for row in taken_in.files["truth.csv"].split()]
    assert shown == [original[row] for row in truth]


def test_a_wrong_release_is_told_row_and_column(handed_in):
    broken = handed_in | {"correspondence.csv": lines([0, 0, *range(2, 50)])}
    found = sandbox.run("receive", broken, rules="pwscup2015", seed=5)
    assert found.result["problems"] == [
        "correspondence.csv: row 1, column original: '0' is not allowed; each row of the original once"
    ]
    assert found.files == {}


def test_a_release_is_judged_and_a_guess_scored(handed_in, taken_in):
    given = {"original.csv": handed_in["original.csv"], **taken_in.files}
    judged = sandbox.run("judge", given, rules="pwscup2015", seed=1).result
    assert judged["attacks"]["EUC1"]["rate"] == 1.0
    assert judged["measures"]["U6"]["value"] == 10
    truth = [int(row) for row in taken_in.files["truth.csv"].split()]
    answers = [-1, *truth[1:]]
    scored = sandbox.run("guess", given | {"guess.csv": lines(answers)}, rules="pwscup2015", targets=50).result
    assert (scored["hits"], scored["targets"]) == (49, 50)
    wrong = sandbox.run("guess", given | {"guess.csv": lines([60, *truth[1:]])}, rules="pwscup2015", targets=50).result
    assert wrong["problems"] == ["guess.csv: row 0, column answer: '60' is not allowed; a whole number from -1 to 59"]


def test_a_cheating_correspondence_is_seen_through_by_aya(handed_in):
    turned = [(row + 1) % 60 for row in range(60)]
    given = {
        "original.csv": handed_in["original.csv"],
        "released.csv": handed_in["original.csv"],
        "truth.csv": lines(turned),
    }
    judged = sandbox.run("judge", given, rules="pwscup2015", seed=1).result
    assert judged["attacks"]["EUC1"]["rate"] < 0.1
    assert judged["aya"]["rate"] > 0.9


def test_what_takes_too_long_is_the_submissions_fault(handed_in):
    with pytest.raises(TooLarge, match=r"longer than 0\.05 seconds"):
        sandbox.run("receive", handed_in, Limits(seconds=0.05), rules="pwscup2015", seed=5)


def test_a_broken_task_is_the_judges_fault(handed_in):
    with pytest.raises(JudgeFailed):
        sandbox.run("no such task", handed_in)
