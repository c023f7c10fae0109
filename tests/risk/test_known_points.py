"""Known points of a history: the seven people of the definition, and every kind against enumeration."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.slow_points import People, slow_risks

from icefire.core.errors import ParameterError, SchemaError
from icefire.core.history import History
from icefire.io import histories
from icefire.risk.known_points import KnownPoints, PointsKnowledge, in_order_of_appearance, parse_points

SEVEN = {
    1: "a3/08 b3/09 c3/10 d4/10",
    2: "a3/08 c3/09 a4/10 b4/11",
    3: "b3/08 c3/09 a4/10 d4/11",
    4: "c4/10 b4/11 d4/12",
    5: "c4/10 d4/11 a5/12",
    6: "a4/10 b4/11",
    7: "a4/10 a4/11 d5/12",
}
RISKS = {
    "counts:2": "1/3 1/2 1/3 1/3 1/4 1/4 1/2",
    "order:2": "1/2 1/2 1 1/2 1 1/3 1/2",
    "time:2": "1 1 1 1 1 1/2 1",
    "time:2:hour": "1 1 1 1 1 1/2 1",
    "time:2:month": "1/3 1/2 1/3 1/3 1/4 1/4 1/2",
    "time:3:month": "1/2 1 1/2 1/3 1/3 1/4 1",
    "items:2": "1/3 1/4 1/3 1/3 1/4 1/4 1/4",
    "frequency:2": "1/3 1 1/3 1/3 1/3 1/3 1",
    "frequency:2:0": "1/3 1 1/3 1/3 1/3 1/3 1",
    "top2": "1/4 1/4 1/4 1 1 1/4 1",
    "top2:2": "1/4 1/4 1/4 1 1 1/4 1",
}
SETTINGS = [
    *[(kind, 0) for kind in ("items", "counts", "order", "frequency", "share", "ratio", "top2")],
    *[(kind, 0.5) for kind in ("frequency", "share", "ratio")],
    *[("time", precision) for precision in ("hour", "day", "week", "month")],
]


def as_history(people: People) -> History:
    rows = [(who, item, hour) for who, entries in people.items() for item, hour in entries]
    frame = pl.DataFrame(rows, schema=["who", "what", "hour"], orient="row")
    date = pl.from_epoch(frame["hour"].cast(pl.Int64) * 3600).dt.strftime("%Y-%m-%d %H:%M:%S")
    return histories.read(frame.select("who", "what", date.alias("date")), {"subject": "who", "item": "what"})


def risks(data: History, known: PointsKnowledge, **options: int) -> list[Fraction]:
    at_risk = KnownPoints(data, known).risk_of_people(in_order_of_appearance(data), **options)
    assert at_risk.complete.all()
    assert (at_risk.risk == at_risk.bound).all()
    return [Fraction(float(risk)).limit_denominator(1000) for risk in at_risk.risk]


def seven_people() -> History:
    parts = {str(who): [(p[0], 24 * int(p[1]) + int(p[3:])) for p in text.split()] for who, text in SEVEN.items()}
    return as_history(parts)


@pytest.mark.parametrize(("points", "expected"), RISKS.items())
def test_seven_people(points, expected) -> None:
    assert risks(seven_people(), parse_points(points)) == [Fraction(risk) for risk in expected.split()]


histories_of_people = st.dictionaries(
    st.text("uvwxyz", min_size=1, max_size=2),
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 24 * 20)), min_size=1, max_size=7),
    min_size=2,
    max_size=9,
)


@settings(max_examples=60, deadline=None)
@given(people=histories_of_people, k=st.integers(1, 5), chosen=st.sampled_from(SETTINGS))
def test_worst_and_mean_equal_enumeration(people: People, k: int, chosen) -> None:
    kind, setting = chosen
    known = PointsKnowledge(kind, k, **({"precision": setting} if kind == "time" else {"tolerance": float(setting)}))
    data = as_history(people)
    worst, mean = slow_risks(people, kind, k, setting)
    assert risks(data, known) == worst
    at_risk = KnownPoints(data, known).risk_of_people(in_order_of_appearance(data))
    assert at_risk.mean == pytest.approx(mean)
    assert (at_risk.mean_variance == 0).all()


@pytest.mark.parametrize("kind", ["items", "counts", "order", "frequency"])
def test_many_points_per_person_equal_enumeration(kind) -> None:
    """Searches that go several levels deep: nobody is alone, so that no search ends at once."""
    rng = np.random.default_rng(5)
    people = {str(who): [("abcdefghij"[rng.integers(10)], int(hour)) for hour in range(10)] for who in range(14)}
    data = as_history(people | {f"{who} again": rows for who, rows in people.items()})
    for k in (2, 3, 4):
        assert risks(data, PointsKnowledge(kind, k))[:14] == [risk / 2 for risk in slow_risks(people, kind, k)[0]]


def test_a_search_that_ends_early_gives_bounds() -> None:
    rng = np.random.default_rng(7)
    people = {str(who): [(str(item), 0) for item in rng.permutation(30)[:20]] for who in range(80)}
    data = as_history(people | {f"{who} again": rows for who, rows in people.items()})
    points, everybody = KnownPoints(data, PointsKnowledge("items", 4)), in_order_of_appearance(data)
    exact, cut = points.risk_of_people(everybody), points.risk_of_people(everybody, effort=20_000)
    assert exact.complete.all()
    assert not cut.complete.all()
    assert (cut.risk <= exact.risk).all()
    assert (exact.risk <= cut.bound).all()
    assert (cut.risk[cut.complete] == exact.risk[cut.complete]).all()


def test_random_sets_come_near_the_mean_over_all_sets() -> None:
    rng = np.random.default_rng(3)
    people = {str(who): [("abcdefgh"[rng.integers(8)], int(hour)) for hour in range(12)] for who in range(30)}
    for kind in ("items", "counts", "order"):
        data = as_history(people)
        points = KnownPoints(data, PointsKnowledge(kind, 3))
        everybody = in_order_of_appearance(data)
        exact = points.risk_of_people(everybody, sets=100_000)
        drawn = points.risk_of_people(everybody, sets=40, seed=1)
        assert (exact.mean_variance == 0).all()
        away = np.abs(drawn.mean - exact.mean) / np.sqrt(drawn.mean_variance + 1e-9)
        assert (away < 3).mean() > 0.95
        assert (drawn.mean == points.risk_of_people(everybody, sets=40, seed=1).mean).all()


def test_a_person_with_fewer_points_than_k_is_known_whole() -> None:
    data = seven_people()
    at_risk = KnownPoints(data, PointsKnowledge("counts", 4)).risk_of_people(in_order_of_appearance(data))
    assert at_risk.short == 4
    assert at_risk.risk[5] == 1 / 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("baskets:2", "no kind is called 'baskets'"),
        ("counts:0", "'0' is not a number of points"),
        ("counts:-1", "'-1' is not a number of points"),
        ("counts:two", "'two' is not a number of points"),
        ("counts:2.5", "'2.5' is not a number of points"),
        ("counts", "give KIND:K"),
        ("counts:", "'' is not a number of points"),
        ("counts:2:day", "give KIND:K"),
        ("time:2:minute", "no precision is called 'minute'"),
        ("share:2:1.5", "tolerance '1.5' must be a share"),
        ("share:2:nan", "tolerance 'nan' must be a share"),
        ("share:2:much", "tolerance 'much' must be a share"),
        ("top2:3", "top2 knows two items"),
        ("", "no kind is called ''"),
    ],
)
def test_what_is_no_knowledge_is_refused(text, message) -> None:
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        parse_points(text)


def test_written_and_read_again() -> None:
    for text in ("items:3", "time:2:day", "time:1:hour", "share:4:0.1", "top2:2"):
        assert str(parse_points(text)) == text


@pytest.mark.parametrize("kind", ["time", "order"])
def test_without_dates_there_is_no_time_and_no_order(kind) -> None:
    frame = pl.DataFrame({"who": ["a", "a", "b"], "what": ["x", "y", "x"]})
    data = histories.read(frame, {"subject": "who", "item": "what"})
    with pytest.raises(SchemaError, match="there is no date column; name it with date=…"):
        KnownPoints(data, PointsKnowledge(kind, 2))
