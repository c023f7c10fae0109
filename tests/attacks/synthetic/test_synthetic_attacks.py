"""Attacks on synthetic releases, by hand on a few people."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from icefire.core import registry
from icefire.core.dataset import Dataset
from icefire.core.membership import LabelledRecords, MembershipCase
from icefire.core.roles import choose

SCALES = {"age": 10.0, "income": 100.0}


def people(*rows: tuple) -> Dataset:
    frame = pl.DataFrame(rows, schema={"age": pl.Float64, "town": pl.String, "income": pl.Float64}, orient="row")
    return Dataset(frame, choose(frame, ("age", "town"), ("income",)))


ASKED = people((30, "Aa", 500), (40, "Be", 700), (50, "Aa", None), (60, "Ce", 900))
RELEASED = people((30, "Aa", 500), (43, "Be", 740), (50, "Be", 500), (90, "Aa", 100))
OTHERS = people((32, "Aa", 500), (55, "Aa", 800), (60, "Ce", 900))


def scores(name: str, case: MembershipCase, **parameters) -> list[float]:
    entry = registry.get("attack", name)
    guess = entry.function(case, rng=np.random.default_rng(1), **entry.bind(parameters)).checked(case.targets, 9)
    assert guess.scores is not None
    assert not guess.names_rows
    return guess.scores.tolist()


def test_distance_to_the_closest_row():
    # Person 1: an equal row. 2: (0.3, 0, 0.4). 3: no income, so 1; town other, 1; or 4 years and one town.
    # 4: nearest is (43, Be, 740): 1.7² + 1 + 1.6² = 6.45.
    case = MembershipCase(ASKED, RELEASED, scales=SCALES)
    assert scores("dcr", case) == pytest.approx([0, -0.5, -np.sqrt(2), -np.sqrt(6.45)])


def test_ratio_of_the_two_closest_rows():
    case = MembershipCase(ASKED, RELEASED, scales=SCALES)
    # Second nearest of person 1 is (50, Be, 500): √5; of person 2 it is (50, Be, 500): √(1 + 4);
    # of person 3 it is (43, Be, 740): √(0.49 + 1 + 1); of person 4 (30, Aa, 500): √(9 + 1 + 16) or (50, Be, 500): √18.
    expected = [0, 0.5 / np.sqrt(5), np.sqrt(2 / 2.49), np.sqrt(6.45 / 18)]
    assert scores("nndr", case) == pytest.approx([-value for value in expected])
    twice = MembershipCase(ASKED, people((30, "Aa", 500), (30, "Aa", 500)), scales=SCALES)
    assert scores("nndr", twice)[0] == -1


def test_equal_nearly_equal_and_other_people():
    nearly = people((30, "Aa", 500), (40, "Be", 710), (50, "Be", 500))
    case = MembershipCase(ASKED, nearly, background=OTHERS, scales=SCALES)
    # Person 2 has nobody nearer than √(2.25 + 1 + 1): a row 0.1 away is nearly equal.
    assert scores("identical", case) == [2, 1, 0, 0]


def test_density_of_the_release_over_that_of_the_background():
    case = MembershipCase(ASKED, RELEASED, background=OTHERS, scales=SCALES)
    got = scores("density_ratio", case, k=1)
    to_release = np.sqrt([0, 0.25, 2, 6.45])
    to_others = np.sqrt([0.04, 2.25 + 1 + 1, 0.25 + 1, 0])
    columns, least = 3, 1e-9
    expected = np.log(3 / 4) + columns * np.log(np.maximum(to_others, least) / np.maximum(to_release, least))
    assert got == pytest.approx(expected.tolist())


def test_values_that_only_the_release_has():
    case = MembershipCase(ASKED, RELEASED, background=OTHERS, scales=SCALES)
    got = scores("value_frequencies", case)
    # Person 1: age 30 once in four rows, never among three; town Aa twice, twice; income 500 twice, once.
    expected = np.log(1.5 / 5) - np.log(0.5 / 4) + np.log(2.5 / 5) - np.log(2.5 / 4) + np.log(2.5 / 5) - np.log(1.5 / 4)
    assert got[0] == pytest.approx(expected)
    assert min(got[:2]) > max(got[2:])


def test_the_classifier_learns_what_examples_show():
    rng = np.random.default_rng(2)
    members = people(*((float(a), "Aa", 500.0) for a in rng.normal(50, 5, 60)))
    outsiders = people(*((float(a), "Aa", 500.0) for a in rng.normal(50, 5, 60)))
    released = members
    known = members.with_frame(members.frame[:40].vstack(outsiders.frame[:40]))
    asked = members.with_frame(members.frame[40:].vstack(outsiders.frame[40:]))
    examples = LabelledRecords(known, np.arange(80) < 40)
    got = np.array(scores("distance_classifier", MembershipCase(asked, released, examples=examples)))
    assert got[:20].min() > got[20:].max()


def test_one_person_asked_about_and_nobody_else_known():
    alone = MembershipCase(ASKED.take(np.array([0])), RELEASED)
    for name in (
        "dcr",
        "nndr",
        "density_ratio",
        "identical",
        "value_frequencies",
        "distance_classifier",
        "row_likelihood",
    ):
        assert len(scores(name, alone)) == 1
