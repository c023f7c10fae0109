"""The definition of a competition: what it may say, and what is wrong with one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from support.games import sixty_people, table

from icefire import contests
from icefire.arena.contest import definition as definitions
from icefire.contests.common.game import AnswerShape
from icefire.core.errors import IcefireError

DEFINED = """
title = "Own"
rules = "custom"
[limits]
U5 = 0.5
[custom]
qi = ["age", "job"]
sa = ["income"]
[[round]]
name = "only"
data = "original.csv"
anonymise = 2026-05-01T09:00:00Z
freeze = 2026-05-02T09:00:00Z
attack = 2026-05-03T09:00:00Z
reveal = 2026-05-04T09:00:00Z
"""


@pytest.fixture(scope="module")
def people():
    return sixty_people()


def defined(tmp_path, people, text=DEFINED):
    (tmp_path / "original.csv").write_bytes(table(people))
    (tmp_path / "contest.toml").write_text(text)
    return definitions.load(tmp_path)


def test_an_own_contest_is_defined_in_its_file(tmp_path, people):
    found = defined(tmp_path, people)
    assert found.custom_table() == {"qi": ["age", "job"], "sa": ["income"]}
    assert found.rounds[0].anonymise == datetime(2026, 5, 1, 9, tzinfo=UTC)
    game = contests.get_or_build(found.rules, found.custom).play(found.limits)
    assert game.count_originals(tmp_path) == 60
    assert game.answer_shape(50, 60) == AnswerShape(50, 60)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"age", "job"', '"age", "jobs"', "no column 'jobs' in the table; did you mean 'job'"),
        ('"income"', '"job"', "in qi and in sa"),
        ("U5 = 0.5", "security = 1.5", "limits.security is 1.5; it is a share from 0 to 1"),
        ("U5 = 0.5", "aya = -1", "limits.aya is -1; it is a share from 0 to 1"),
        ('title = "Own"', 'title = "Own"\nshown_digits = 0', "shown_digits is 0; it takes 1 to 17"),
        ('sa = ["income"]', 'sa = ["note"]', "needs a numeric sa column"),
        ('rules = "custom"', 'rules = "pwscup2015"', r"\[custom\] goes with rules = 'custom'"),
        ('rules = "custom"', 'rules = "pwscup2051"', "no contest is called 'pwscup2051'"),
        ("U5 = 0.5", "U8 = 0.5", "unknown measure 'U8'"),
        ("U5 = 0.5", "u3_rfm = 0.5", "a measure of a history"),
        ('data = "original.csv"', 'data = "original.csv"\ncustomers = "original.csv"', "has no `customers`"),
        ('data = "original.csv"', 'data = "original.csv"\nschema = "schema.toml"', "unknown field `schema`"),
    ],
)
def test_a_definition_that_cannot_be_played_says_why(tmp_path, people, old, new, said):
    assert old in DEFINED
    with pytest.raises(IcefireError, match=said):
        defined(tmp_path, people, DEFINED.replace(old, new))
