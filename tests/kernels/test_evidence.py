"""Evidence about people beside slow, obvious versions: covering rows, nearest rows, votes, leaves of trees."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.attacks.attributes.class_values import class_values
from icefire.attacks.attributes.known_columns import known_columns
from icefire.attacks.attributes.model import model
from icefire.attacks.attributes.nearest_value import nearest_by_columns, nearest_of_targets, nearest_value
from icefire.core import roles
from icefire.core.attribute import AttributeCase
from icefire.core.dataset import Dataset
from icefire.kernels.evidence.votes import ListedRows, count_votes, median_votes

RNG = np.random.default_rng(2)
PEOPLE = pl.DataFrame(
    {
        "age": RNG.integers(20, 60, 60).astype(str),
        "town": RNG.choice(["ab", "ac", "b"], 60),
        "illness": RNG.choice(["x", "y"], 60),
    }
)
BANDS = [(20, 29), (30, 39), (40, 49), (50, 59), (20, 39)]


def case(released: pl.DataFrame, secret: str = "illness") -> AttributeCase:
    known = PEOPLE.drop(secret)
    everybody = Dataset(known, roles.choose(known, known.columns))
    table = Dataset(released, roles.choose(released, known.columns, [secret]))
    return AttributeCase(everybody.take(np.arange(0, 60, 3)), table, secret, everybody)


def in_bands() -> tuple[pl.DataFrame, list[tuple[int, int]]]:
    """Release ages in bands, some of them wide, and some towns as a*."""
    chosen = []
    for row, age in enumerate(PEOPLE["age"].cast(pl.Int64)):
        fitting = [band for band in BANDS if band[0] <= age <= band[1]]
        chosen.append(fitting[row % len(fitting)])
    towns = ["a*" if town.startswith("a") and row % 2 else town for row, town in enumerate(PEOPLE["town"])]
    ages = [f"{low}-{high}" for low, high in chosen]
    return PEOPLE.with_columns(pl.Series("age", ages), pl.Series("town", towns)), chosen


def test_covering_rows_are_those_whose_every_label_holds_the_value() -> None:
    released, bands = in_bands()
    asked = case(released)
    guess = class_values(asked, rng=np.random.default_rng(0))
    for target in range(asked.targets):
        age, town = int(asked.known.frame["age"][target]), asked.known.frame["town"][target]
        expected = [
            row
            for row in range(60)
            if bands[row][0] <= age <= bands[row][1]
            and (released["town"][row] == town or (released["town"][row] == "a*" and town.startswith("a")))
        ]
        assert sorted(guess.rows[guess.start[target] : guess.start[target + 1]]) == expected


def test_nearest_rows_are_measured_to_the_nearest_end_of_a_band() -> None:
    released, bands = in_bands()
    asked = case(released)
    ages = PEOPLE["age"].cast(pl.Float64).to_numpy()
    scale = np.subtract(*np.quantile(ages, (0.75, 0.25)))
    first = nearest_value(asked, rng=np.random.default_rng(0)).rows.reshape(asked.targets, -1)[:, 0]
    # A band reaches to the least and the greatest age that anybody has in it.
    ends = [(min(a for a in ages if low <= a), max(a for a in ages if a <= high)) for low, high in bands]
    for target in range(asked.targets):
        age, town = float(asked.known.frame["age"][target]), asked.known.frame["town"][target]
        distance = [
            (max(low - age, age - high, 0.0) / scale) ** 2
            + float(not (released["town"][row] == town or (released["town"][row] == "a*" and town.startswith("a"))))
            for row, (low, high) in enumerate(ends)
        ]
        assert first[target] == int(np.argmin(distance))


def test_the_nearest_rows_are_those_of_the_nearest_classes_of_equal_labels() -> None:
    rng = np.random.default_rng(5)
    for people in (3, 60, 400):
        known = pl.DataFrame({"age": rng.integers(0, 4, people), "town": rng.choice(["ab", "ac", "b"], people)})
        released = known.sample(fraction=1, shuffle=True, seed=1).with_columns(
            pl.when(pl.int_range(people) % 3 == 0).then(pl.lit("a*")).otherwise("town").alias("town"), illness=1
        )
        everybody = Dataset(known, roles.choose(known, known.columns))
        table = Dataset(released, roles.choose(released, known.columns, ["illness"]))
        asked = AttributeCase(everybody.take(np.arange(min(40, people))), table, "illness", everybody)
        expected = nearest_by_columns(known_columns(asked), asked.targets, asked.choices)
        assert (nearest_of_targets(asked) == expected).all()


def test_votes_leave_out_the_own_row_and_share_a_vote_among_several_values() -> None:
    listed = ListedRows(np.array([0, 3, 5]), np.array([0, 1, 2, 1, 2]), np.array([7, -2]), np.array([7, 8, 9]), False)
    label, start, values = np.array([0, 0, 1]), np.array([0, 1, 3]), np.array([0, 0, 1])
    votes = count_votes(listed, label, start, values, np.array([0.6, 0.4]), False)
    assert votes.code.tolist() == [0, 0]
    np.testing.assert_allclose(votes.share, [2.5 / 3, 0.75])
    assert count_votes(listed, label, start, values, np.array([0.6, 0.4]), True).rows.tolist() == [2, 2]
    median, share, rows = median_votes(listed, np.array([1.0, 2.0, 9.0]), 1.0, True)
    np.testing.assert_allclose(median, [5.5, 5.5])
    assert (share.tolist(), rows.tolist()) == ([0.0, 0.0], [2, 2])


def test_trees_find_what_the_hidden_column_depends_on() -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400), "town": rng.choice(["u", "v"], 400)})
    frame = frame.with_columns(
        illness=pl.when((pl.col("a") > 0) & (pl.col("town") == "u")).then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    known = frame.drop("illness")
    everybody = Dataset(known, roles.choose(known, known.columns))
    asked = AttributeCase(
        everybody, Dataset(frame, roles.choose(frame, known.columns, ["illness"])), "illness", everybody
    )
    guess = model(asked, rng=np.random.default_rng(0))
    again = model(asked, rng=np.random.default_rng(0))
    assert (guess.rows == again.rows).all()
    values = frame["illness"].to_numpy()[guess.rows.reshape(400, -1)]
    commonest = np.where((values == "x").mean(axis=1) > 0.5, "x", "y")
    assert (commonest == frame["illness"].to_numpy()).mean() > 0.95
