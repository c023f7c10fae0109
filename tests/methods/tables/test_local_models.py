"""Local recoding beside other models: every class keeps them, and outliers go only where asked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.recoded import SEX, TOWN, Rule, carried, recoded, survey, tables, tree

from icefire import hierarchy, models
from icefire.core import seeds
from icefire.core.errors import ParameterError
from icefire.methods.tables.k_anonymize.local_recoding import local_recoding


def diverse(data, least):
    """Every class holds at least so many different pays: counted row by row."""
    pay = data.frame["pay"].to_list()

    def satisfied(rows, start):
        return np.array([len({pay[row] for row in rows[a:b]}) >= least for a, b in pairwise(start)])

    return Rule(satisfied)


@pytest.mark.parametrize("with_trees", [True, False])
def test_every_class_keeps_every_model(with_trees):
    data, known = survey(300)
    names = ["town", "age"]
    fitted = [hierarchy.fit(one, data.frame[one.name]) for one in known] if with_trees else None
    promises = [diverse(data, 2), diverse(data, 3)]
    made = local_recoding(data, names, k=3, rng=seeds.generator(0), fitted=fitted, constraints=promises)
    assert made.height == 300
    for _, part in made.frame.group_by(names):
        assert part.height >= 3
        assert part["pay"].n_unique() == 3


@given(tables(), st.integers(2, 4), st.integers(2, 3))
@settings(max_examples=80, deadline=None)
def test_models_hold_on_any_table(case, k, different):
    data, known = case
    k, names = min(k, data.height), [one.name for one in known]
    data = data.with_columns((data.frame["pay"] % 3).alias("pay"))
    fitted = [hierarchy.fit(one, data.frame[one.name]) for one in known]
    promise = diverse(data, min(different, data.frame["pay"].n_unique()))
    for trees in (fitted, None):
        made = local_recoding(data, names, k=k, rng=seeds.generator(0), fitted=trees, constraints=[promise])
        for _, part in made.frame.group_by(names):
            assert part.height >= k
            assert part["pay"].n_unique() >= min(different, data.frame["pay"].n_unique())


def farthest(made, shares):
    """The largest distance of a class from the table: half the sum of the differences of the shares."""
    found = []
    for _, part in made.frame.group_by("town", "age"):
        own = dict(part["pay"].value_counts(normalize=True).iter_rows())
        found.append(sum(abs(own.get(pay, 0) - share) for pay, share in shares) / 2)
    return max(found)


@pytest.mark.parametrize("limit", [0.35, 0.1, 0.05])
def test_a_strict_model_does_not_end_in_one_class(limit):
    data, known = survey(1000)
    promise = models.build(data, t_equal=limit)[0]
    made = recoded(data, known, k=3, constraints=[promise])
    assert made.notes["classes"] > 2
    assert farthest(made, list(data.frame["pay"].value_counts(normalize=True).iter_rows())) <= limit + 1e-9


def test_cutting_from_the_top_leaves_groups_together_that_cannot_stand_alone():
    # Towns by pay: Aa holds both, Ab and Ba only one each. Aa can be cut off; Ab and Ba together hold both.
    data = carried({"town": ["Aa"] * 4 + ["Ab"] * 2 + ["Ba"] * 2, "pay": [1, 2, 1, 2, 1, 1, 2, 2]}, ["town"])
    fitted = hierarchy.fit(tree("town", "Aa *", "Ab *", "Ba *"), data.frame["town"])
    made = local_recoding(data, ["town"], k=2, rng=seeds.generator(0), fitted=[fitted], constraints=[diverse(data, 2)])
    assert made.frame["town"].to_list() == ["Aa"] * 4 + ["*"] * 4


def test_a_model_nobody_can_keep_is_refused():
    data, known = survey(40)
    with pytest.raises(ParameterError, match="even all rows in one class break the models"):
        recoded(data, known, k=3, constraints=[diverse(data, 4)])


def test_outliers_are_left_out_only_where_asked_and_only_up_to_the_share():
    # Two loners meet at the top in both columns; together they are a class that keeps nothing.
    town, sex = ["Aa"] * 9 + ["Ba"] * 9 + ["Ab", "Bb"], ["m"] * 9 + ["m"] * 9 + ["f", "m"]
    data = carried({"town": town, "sex": sex, "pay": range(20)}, ["town", "sex"])
    assert recoded(data, [TOWN, SEX], k=2).height == 20
    assert recoded(data, [TOWN, SEX], k=2, max_suppressed=0.09).height == 20
    made = recoded(data, [TOWN, SEX], k=2, max_suppressed=0.1)
    assert made.notes == {"classes": 2, "suppressed": 2, "granularity": 1.0}
    assert made.frame.equals(data.frame.head(18))
    values = local_recoding(data, ["town", "sex"], k=2, rng=seeds.generator(0), max_suppressed=1.0)
    assert 0 < values.height == 20 - values.notes["suppressed"]


def test_groups_that_break_a_model_go_only_where_asked_and_only_up_to_the_share():
    # Bb holds one pay only, the three other towns two each. Joined with Ba, Bb would cost both their town.
    town = ["Aa"] * 6 + ["Ab"] * 6 + ["Ba"] * 6 + ["Bb"] * 2
    data = carried({"town": town, "pay": [1, 2] * 9 + [3, 3]}, ["town"])
    promise = [diverse(data, 2)]
    kept = recoded(data, [TOWN], k=2, constraints=promise)
    assert kept.notes["suppressed"] == 0
    assert kept.frame["town"].to_list() == ["Aa"] * 6 + ["Ab"] * 6 + ["B"] * 8
    left = recoded(data, [TOWN], k=2, constraints=promise, max_suppressed=0.1)
    assert left.notes == {"classes": 3, "suppressed": 2, "granularity": 1.0}
    assert left.frame.equals(data.frame.head(18))
    assert recoded(data, [TOWN], k=2, constraints=promise, max_suppressed=0.09).notes["suppressed"] == 0


@pytest.mark.parametrize("with_trees", [True, False])
def test_a_table_that_breaks_a_model_as_a_whole_is_saved_by_leaving_rows_out(with_trees):
    # Half of all are paid 1, but in three of five towns nobody is paid 1 more often than others.
    town = ["Aa", "Ab", "Ba"] * 4 + ["Bb"] * 6
    pay = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4] + [1] * 6
    data = carried({"town": town, "pay": pay}, ["town"])
    fitted = [hierarchy.fit(TOWN, data.frame["town"])] if with_trees else None
    promise = models.build(data, alpha=0.25)[0]

    def run(share):
        options = {"fitted": fitted, "max_suppressed": share, "constraints": [promise]}
        return local_recoding(data, ["town"], k=2, rng=seeds.generator(0), **options)

    made = run(0.34)
    assert made.notes["suppressed"] == 6
    for _, part in made.frame.group_by("town"):
        assert part["pay"].value_counts()["count"].max() <= 0.25 * part.height
    with pytest.raises(ParameterError, match="ask for less, or leave more rows out"):
        run(0.3)


def test_groups_released_alike_are_one_group_to_everybody_else():
    # Two regions of like middles: by δ-disclosure a value may lack in a group, but not be rare in it.
    rng = np.random.default_rng(3)
    ages, pay = rng.integers(0, 6, 60), rng.choice(["a", "b", "c"], 60, p=[0.6, 0.3, 0.1])
    data = carried({"age": ages, "sex": rng.choice(["m", "f"], 60), "pay": pay}, ["age", "sex"])
    promise = models.build(data, delta=0.9)[0]
    made = local_recoding(data, ["age", "sex"], k=2, rng=seeds.generator(0), constraints=[promise])
    shares = dict(made.frame["pay"].value_counts(normalize=True).iter_rows())
    for _, part in made.frame.group_by("age", "sex"):
        for value, share in part["pay"].value_counts(normalize=True).iter_rows():
            assert abs(np.log(share / shares[value])) <= 0.9 + 1e-9
