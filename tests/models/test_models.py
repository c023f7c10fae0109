"""Privacy models by hand, as measures of a table and as promises about single classes."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from support.model_tables import data, value
from support.small_tables import compare

from icefire import models
from icefire.core import blocks, roles
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, ParameterError, SchemaError, UndefinedError


@pytest.fixture
def two():
    # class A holds 1, 1, 2, 3 and class B 1, 2, 2, 2; in the table 1, 2, 3 have the shares 3/8, 4/8, 1/8.
    return data(list("AAAABBBB"), s=[1, 1, 2, 3, 1, 2, 2, 2])


def test_l_distinct_is_the_fewest_values_in_a_class(two):
    assert value("l_distinct", two) == 2


def test_l_entropy_is_the_smallest_effective_number_of_values(two):
    # A: 1/2, 1/4, 1/4 has 1.5 ln 2; B: 1/4, 3/4 has ln 4 - 3/4 ln 3.
    assert value("l_entropy", two) == pytest.approx(4 / 3**0.75)
    assert value("l_entropy", data("AAAA", s=[1, 1, 2, 3])) == pytest.approx(2**1.5)


def test_equally_frequent_values_have_exactly_their_number_as_effective_number():
    for values in range(1, 30):
        assert value("l_entropy", data(["A"] * 3 * values, s=[*range(values)] * 3)) == values


def test_l_recursive_is_the_largest_l_that_holds_for_c(two):
    # A has counts 2, 1, 1; B has 3, 1. c = 3: in B 3 < 3·4 but not 3 < 3·1. c = 4: 3 < 4·1.
    assert value("l_recursive", two, c=3) == 1
    assert value("l_recursive", two, c=4) == 2
    alone = data("AAAA", s=[1, 1, 2, 3])
    assert [value("l_recursive", alone, c=c) for c in (0.5, 1, 2, 3)] == [0, 1, 2, 3]  # 2 < c·4, c·2, c·1


def test_alpha_is_the_largest_share_of_a_value_in_a_class(two):
    assert value("alpha_k", two) == 3 / 4


def test_t_is_the_distance_to_the_table_by_equal_or_ordered_steps(two):
    # A: 1/8, -2/8, 1/8 against the table; B: -1/8, 2/8, -1/8.
    assert value("t_equal", two) == 1 / 4
    assert value("t_ordered", two) == pytest.approx((1 / 8 + 1 / 8) / 2)
    # All 1 in one class, all 3 in the other: every row must walk half of the two steps.
    assert value("t_ordered", data("AABB", s=[1, 1, 3, 3])) == pytest.approx(1 / 2)
    # B holds 3 alone: its cumulated shares are 0, 0, 1 against 2/5, 3/5, 1.
    assert value("t_ordered", data("AAABB", s=[1, 1, 2, 3, 3])) == pytest.approx((2 / 5 + 3 / 5) / 2)


def test_beta_is_the_largest_relative_gain_and_delta_the_largest_log_ratio(two):
    # In A the share of 3 doubles and that of 2 halves.
    assert value("beta_likeness", two) == 1
    assert value("delta_disclosure", two) == pytest.approx(math.log(2))


def test_enhanced_beta_is_the_basic_one_unless_a_frequent_value_gains_too_much(two):
    assert value("beta_likeness", two, form="enhanced") == 1
    # p = 9/10 becomes 1: a gain of 0.111 where -ln 0.9 = 0.105 is allowed.
    frequent = data("AAAAABBBBB", s=[1] * 9 + [2])
    assert value("beta_likeness", frequent) == pytest.approx(1)
    with pytest.raises(UndefinedError, match="holds for no β"):
        value("beta_likeness", frequent, form="enhanced")


def test_one_class_is_as_the_table():
    whole = data("AAAAA", s=[1.0, 2.0, 2.0, 3.0, 4.5])
    for name in ("t_equal", "t_ordered", "beta_likeness", "delta_disclosure"):
        assert value(name, whole) == 0
    assert value("l_distinct", whole) == 4
    assert value("alpha_k", whole) == 2 / 5


def test_a_row_per_class_tells_everything():
    alone = data("ABCD", s=[1, 2, 3, 4])
    assert value("l_distinct", alone) == value("l_entropy", alone) == value("l_recursive", alone) == 1
    assert value("alpha_k", alone) == 1
    assert value("t_equal", alone) == 3 / 4
    assert value("t_ordered", alone) == pytest.approx((1 + 2 + 3) / 4 / 3)
    assert value("beta_likeness", alone) == 3
    assert value("delta_disclosure", alone) == pytest.approx(math.log(4))


def test_a_constant_attribute_tells_nothing_new():
    constant = data("AABB", s=[7, 7, 7, 7])
    for name in ("t_equal", "t_ordered", "beta_likeness", "delta_disclosure"):
        assert value(name, constant) == 0
    assert value("l_distinct", constant) == value("l_entropy", constant) == 1


def test_the_worst_attribute_counts_unless_one_is_named(two):
    both = data(list("AAAABBBB"), s=two.frame["s"], r=list("xyxyxyxy"))
    assert value("l_distinct", both) == value("l_distinct", both, sa="r") == 2
    assert value("t_equal", both, sa="r") == 0
    assert value("t_equal", both) == value("t_equal", both, sa="s") == 1 / 4


def test_a_missing_sensitive_value_is_a_value_of_its_own_and_the_last():
    holes = data("AABB", s=[1, None, 2, None])
    assert value("l_distinct", holes) == 2
    assert value("alpha_k", holes) == 1 / 2
    # Order 1, 2, missing, shares 1/4, 2/4, 1/4: B, all 2, lacks 1/4 at 1 and is 1/4 ahead at 2.
    assert value("t_ordered", data("AABB", s=[1, None, 2, 2])) == pytest.approx(1 / 4)


def test_a_missing_quasi_identifier_is_a_class_of_its_own_or_matches_any():
    holes = data(["A", "A", None, "B", None], s=[1, 1, 2, 3, 3])
    assert value("k_min", holes) == 1
    assert value("k_min_wildcard", holes) == 3  # B is like both gaps; A like A and both; a gap like all five
    assert value("k_mean_wildcard", holes) == pytest.approx(5 / (1 / 4 + 1 / 4 + 1 / 5 + 1 / 3 + 1 / 5))
    assert value("l_distinct", holes) == 1
    assert value("l_distinct", holes, suppressed="wildcard") == 2


def test_text_has_no_order_unless_it_is_named():
    text = data("AABB", s=list("abab"))
    with pytest.raises(UndefinedError, match="no sensitive attribute is a number"):
        value("t_ordered", text)
    assert value("t_ordered", text, sa="s") == 0


def test_without_an_attribute_there_is_no_value(two):
    with pytest.raises(UndefinedError, match="no sensitive attribute"):
        value("l_distinct", two, sa="")


def test_k_map_counts_the_original_rows_like_a_released_one():
    people, shown = data("AAABBC", s=[0] * 6), data("AAB", s=[0] * 3)
    assert value("k_map", shown, people) == 2
    assert value("k_min", shown) == 1
    assert value("k_map", data("AAZ", s=[0] * 3), people) == 3  # nobody is Z
    with pytest.raises(UndefinedError, match="no released combination"):
        value("k_map", data("YZ", s=[0, 0]), people)
    assert value("k_map", data(["A", None], s=[0, 0]), people) == 3
    assert value("k_map", data(["C", None], s=[0, 0]), people, suppressed="wildcard") == 1


def test_delta_presence_is_the_share_of_a_class_that_was_released():
    people, shown = data("AAABBC", s=[0] * 6), data("AAB", s=[0] * 3)
    assert value("delta_presence", shown, people) == pytest.approx(2 / 3)
    assert value("delta_presence", shown, people, bound="min") == 0
    assert value("delta_presence", people, people, bound="min") == 1
    # The gap is shared among all six: A has 1/3 of the row A and 1/6 of the gap.
    holes = data(["A", None], s=[0, 0])
    assert value("delta_presence", holes, people, suppressed="wildcard") == pytest.approx(1 / 3 + 1 / 6)
    assert value("delta_presence", holes, people, suppressed="wildcard", bound="min") == pytest.approx(1 / 6)


def test_blanks_match_anybody_where_no_complete_row_matches_after_one_column_became_one_label():
    frame = pl.DataFrame({"q": list("AABBC"), "p": [f"day {row}" for row in range(5)]})
    people = Dataset(frame, roles.choose(frame, ["q", "p"], []))
    # The column that differs in every row is one label. Everybody fits the four blanks, nobody is Z.
    blanked = frame.with_columns(pl.lit("*").alias("p"), pl.Series("q", [None, None, None, None, "Z"]))
    shown = Dataset(blanked, roles.choose(blanked, ["q", "p"], []))
    assert value("k_map", shown, people) == 5
    assert value("delta_presence", shown, people) == pytest.approx(4 / 5)
    complete = frame.with_columns(pl.lit("*").alias("p"))
    assert value("k_map", Dataset(complete, roles.choose(complete, ["q", "p"], [])), people) == 1  # C alone


def test_hierarchical_distance_moves_among_siblings_first():
    table = data("AABB", s=[0, 1, 2, 3])
    tree = models.tree_from_levels([[0, 0, 1, 1]])  # a root is added: height 2
    model = models.hierarchical(table, "s", tree, 0.6)
    # {0, 1}: 1/2 must cross the root, at cost 1.
    assert model.values(np.arange(4), np.array([0, 2, 4])).tolist() == [0.5, 0.5]
    # {0}: a quarter goes to the sibling at cost 1/2, a half across the root at cost 1.
    found = model.values(np.arange(4), np.array([0, 1, 4]))
    assert found[0] == pytest.approx(0.25 / 2 + 0.5)
    assert model.satisfied(np.arange(4), np.array([0, 1, 4])).tolist() == [False, True]


def test_the_measure_by_hierarchy_reads_a_file_a_folder_or_the_values(tmp_path):
    (tmp_path / "s.csv").write_text("0;low;*\n1;low;*\n2;high;*\n3;high;*\n9;high;*\n")
    halves, siblings = data("AABB", s=[0, 1, 2, 3]), data("AABB", s=[0, 2, 1, 3])
    for place in (tmp_path, tmp_path / "s.csv"):
        assert value("t_hierarchical", halves, hierarchies=str(place)) == 0.5  # a half crosses the root
        assert value("t_hierarchical", siblings, hierarchies=str(place)) == 0.25  # and here goes half as far
    inferred = value("t_hierarchical", halves)
    assert inferred == 0.5  # by intervals of 2
    assert inferred.note == "by hierarchies inferred from the values"
    assert value("t_hierarchical", halves, hierarchies=str(tmp_path)).note == f"by hierarchies in {str(tmp_path)!r}"
    words = data("AABB", s=list("wxyz"))
    assert value("t_hierarchical", words) == value("t_equal", words) == 0.5  # nothing is known of words
    with pytest.raises(InputError, match=r"value '5'.*is not in its hierarchy"):
        value("t_hierarchical", data("AB", s=[0, 5]), hierarchies=str(tmp_path))
    with pytest.raises(ParameterError, match="is one file, but there are several"):
        value("t_hierarchical", data("AB", s=[0, 1], r=[0, 1]), hierarchies=str(tmp_path / "s.csv"))
    with pytest.raises(UndefinedError, match="no sensitive attribute"):
        value("t_hierarchical", words, sa="")


def test_missing_values_meet_the_others_at_the_top_of_a_hierarchy(tmp_path):
    (tmp_path / "s.csv").write_text("0;low;*\n1;low;*\n2;high;*\n")
    holes = data(["A", "A", None, None], s=[0, 1, None, 2])
    # A lacks missing and 2, a quarter each, and both are across the root.
    assert value("t_hierarchical", holes, hierarchies=str(tmp_path)) == 0.5
    assert value("t_hierarchical", holes, hierarchies=str(tmp_path), suppressed="wildcard") == 0


def test_levels_that_join_nothing_add_no_height(tmp_path):
    table = data("AABB", s=[0, 2, 1, 3])
    for text in ("{0};{1};*", "{0};{0};{1};*", "{0};{1};{1};*", "{0};{0};{0};{1};{1};*"):
        lines = [text.format(v, "low" if v < 2 else "high") for v in range(4)]
        (tmp_path / "s.csv").write_text("\n".join(lines))
        assert value("t_hierarchical", table, hierarchies=str(tmp_path)) == 0.25, text


def test_a_tree_suggested_by_the_values_is_another_for_other_rows():
    # Without 100 the intervals of the values are narrow: 0, 1 and 8, 9 are apart. With it all four are in one.
    table = data("AABBC", s=[0, 1, 8, 9, 100])
    model = models.build(table, t_hierarchical=0.1)[0]
    rows, start = np.arange(4), np.array([0, 2, 4])
    left = data("AABB", s=[0, 1, 8, 9])
    assert model.over(rows).values(rows, start).max() == pytest.approx(value("t_hierarchical", left))
    assert model.over(np.arange(5)) is model


def test_a_flat_tree_is_the_equal_distance(two):
    flat = models.hierarchical(two, "s", models.tree_from_levels([[0, 0, 0]]), 1)
    equal = models.build(two, t_equal=1)[0]
    found = blocks.blocks_of_table(two.frame, ["q"])
    assert flat.values(found.x_rows, found.x_start) == pytest.approx(equal.values(found.x_rows, found.x_start))
    assert models.tree_from_levels([[5, 6, 7], [0, 0, 0]]).first.tolist() == [
        0,
        3,
    ]  # the values themselves add no height


def test_a_model_holds_in_a_class_if_its_measure_does(two):
    found = blocks.blocks_of_table(two.frame, ["q"])
    bounds = {
        "l_distinct": 3,
        "l_entropy": 2.5,
        "l_recursive": 2,
        "alpha": 0.5,
        "t_equal": 0.25,
        "t_ordered": 0.1,
        "beta": 0.5,
        "beta_enhanced": 0.5,
        "delta": 0.6,
    }
    held = {
        name: models.build(two, **{name: limit})[0].satisfied(found.x_rows, found.x_start).tolist()
        for name, limit in bounds.items()
    }
    assert held == {
        "l_distinct": [True, False],
        "l_entropy": [True, False],
        "l_recursive": [True, False],
        "alpha": [True, False],
        "t_equal": [True, True],
        "t_ordered": [False, False],
        "beta": [False, True],
        "beta_enhanced": [False, True],
        "delta": [False, True],
    }


def test_three_equal_shares_are_entropy_3_diverse():
    three = data("AAA", s=[1, 2, 3])
    assert models.build(three, l_entropy=3)[0].satisfied(np.arange(3), np.array([0, 3])).all()


def test_models_come_for_every_bound_and_attribute(two):
    both = data(list("AAAABBBB"), s=two.frame["s"], r=list("xyxyxyxy"))
    made = models.build(both, l_distinct=2, t_ordered=0.5)
    assert [str(model) for model in made] == [
        "l_distinct of 's' ≥ 2",
        "l_distinct of 'r' ≥ 2",
        "t_ordered of 's' ≤ 0.5",
    ]
    assert len(models.build(both, t_ordered=0.5, sa=["r"])) == 1
    assert models.build(both) == []


def test_rows_left_out_change_the_table_a_class_is_compared_with():
    table = data("AABB", s=[1, 1, 1, 2])
    model = models.build(table, t_equal=0.1)[0]
    kept, start = np.array([0, 1]), np.array([0, 2])
    assert not model.satisfied(kept, start)[0]  # 1/4 from the table
    assert model.over(kept).satisfied(kept, start)[0]


def test_values_that_are_left_out_are_no_values_of_the_rest():
    # Without 2 and 3 the order is 1, 4: one step, not three.
    table = data("AABBCC", s=[1, 4, 1, 1, 2, 3])
    model = models.build(table, t_ordered=0.1)[0]
    rows, start = np.arange(4), np.array([0, 2, 4])
    assert model.over(rows).values(rows, start).tolist() == [0.25, 0.25]
    assert value("t_ordered", data("AABB", s=[1, 4, 1, 1])) == 0.25


def test_what_a_case_remembers_is_made_once(two):
    made, case = [], compare(two, two).case
    for _ in range(2):
        assert case.cached(("mine", 1), lambda: made.append(1) or len(made)) == 1
    assert made == [1]


def test_an_empty_class_keeps_every_model(two):
    for model in models.build(two, l_distinct=3, t_equal=0, alpha=0.1):
        assert model.satisfied(np.empty(0, np.int64), np.array([0, 0])).tolist() == [True]


def test_a_model_without_a_sensitive_column_is_refused():
    frame = pl.DataFrame({"q": [1, 1]})
    bare = Dataset(frame, roles.choose(frame, ["q"], []))
    with pytest.raises(SchemaError, match="the model l_distinct needs at least one sa column"):
        models.build(bare, l_distinct=2)
    with pytest.raises(SchemaError, match="t_ordered needs at least one numeric sa"):
        models.build(data("AA", s=["x", "y"]), t_ordered=0.1)
    with pytest.raises(SchemaError, match="did you mean 's'"):
        models.build(data("AA", s=["x", "y"]), l_distinct=2, sa=["S"])


@pytest.mark.parametrize(
    "bounds", [{"t_equal": 1.5}, {"l_distinct": 0}, {"alpha": -1}, {"beta": math.nan}, {"l_recursive": 2, "c": 0}]
)
def test_a_bound_nothing_can_have_is_refused(two, bounds):
    with pytest.raises(ParameterError, match="it takes a number"):
        models.build(two, **bounds)


def test_a_model_the_whole_table_breaks_is_impossible(two):
    models.check_possible(models.build(two, l_distinct=3, t_equal=0, alpha=0.5))
    with pytest.raises(ParameterError, match=r"l_distinct got 4, but the whole table as one class has 3 for 's'"):
        models.check_possible(models.build(two, l_distinct=4))
    with pytest.raises(ParameterError, match="give at least that"):
        models.check_possible(models.build(two, alpha=0.4))


def test_a_hierarchy_must_be_a_tree_over_the_values(two):
    with pytest.raises(ParameterError, match="no tree: value number 1"):
        models.tree_from_levels([[0, 1, 1], [0, 0, 1]])
    with pytest.raises(ParameterError, match="levels of 3 and 2 values"):
        models.tree_from_levels([[0, 1, 1], [0, 0]])
    with pytest.raises(ParameterError, match="has no level"):
        models.tree_from_levels([])
    with pytest.raises(ParameterError, match="has 2 values, the column 3"):
        models.hierarchical(two, "s", models.tree_from_levels([[0, 0]]), 0.5)
