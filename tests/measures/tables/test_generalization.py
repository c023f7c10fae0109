"""ARX's measures of detail: 1 for the original, 0 for nothing left; vectors by hand."""

from __future__ import annotations

import pytest
from support.small_tables import measured, with_truth

from icefire.core.errors import UndefinedError

X = {"age": [30, 31, 40, 41], "sex": ["f", "m", "f", "m"]}
QI = ("age", "sex")
ARX = ("granularity", "generalization_precision", "nonuniform_entropy", "discernibility")


def values(y, truth=None, **parameters):
    compared = with_truth(X, y, qi=QI, truth=truth)
    return [measured(name, compared, **({} if name == "discernibility" else parameters)) for name in ARX]


def test_the_original_has_one_and_nothing_left_has_none():
    assert values(X) == [1, 1, 1, 1]
    assert values({"age": ["*"] * 4, "sex": ["*"] * 4}) == pytest.approx([0, 0, 0, 0], abs=1e-12)
    assert values({"age": [None, 30, None, None], "sex": ["*", "f", "*", "*"]}, truth=[1, 0, 2, 3])[0] == 0.25


def test_bands_of_two_of_four_values():
    y = {"age": ["30-39", "30-39", "40-49", "40-49"], "sex": ["f", "m", "f", "m"]}
    compared = with_truth(X, y, qi=QI)
    assert measured("granularity", compared) == pytest.approx((1 - 1 / 3 + 1) / 2)
    # age keeps one of two bits.
    assert measured("nonuniform_entropy", compared) == pytest.approx((0.5 + 1) / 2)
    assert measured("discernibility", compared) == 1
    with pytest.raises(UndefinedError, match="column 'age' holds labels, and their levels are not known"):
        measured("generalization_precision", compared)


def test_discernibility_adds_the_squares_of_the_classes_and_all_rows_for_each_suppressed_one():
    one_sex = {"age": ["30-39", "30-39", "40-49", "40-49"], "sex": ["*"] * 4}
    # Classes of 2 and 2: 8 of 16; the original has 4.
    compared = with_truth(X, one_sex, qi=QI)
    assert measured("discernibility", compared) == pytest.approx((16 - 8) / (16 - 4))
    deleted = with_truth(X, {"age": [30, 31, 40], "sex": ["f", "m", "f"]}, qi=QI)
    assert measured("discernibility", deleted) == pytest.approx((16 - 3 - 4) / (16 - 4))
    emptied = with_truth(X, {"age": ["30", "31", "40", "*"], "sex": ["f", "m", "f", "*"]}, qi=QI)
    assert measured("discernibility", emptied) == pytest.approx((16 - 3 - 4) / (16 - 4))


def test_deleted_rows_have_lost_everything():
    y = {"age": [30, 31, 40], "sex": ["f", "m", "f"]}
    granularity, precision, entropy, _ = values(y)
    assert granularity == precision == 0.75
    # The deleted row is the only one of its label, so nothing is mixed up.
    assert entropy == 1
    _, _, entropy, _ = values({"age": [30, 31], "sex": ["f", "m"]})
    # Of the deleted two, age is open between two values (1 bit each of 8 in all), sex between two (1 bit each of 4).
    assert entropy == pytest.approx(((1 - 2 / 8) + (1 - 2 / 4)) / 2)


def test_a_cell_that_was_missing_already_is_not_lost():
    x = {"age": [30, None, 40, 41], "sex": ["f", "m", "f", "m"]}
    compared = with_truth(x, x, qi=QI)
    assert [measured(name, compared) for name in ARX] == [1, 1, 1, 1]


def test_a_word_that_cannot_be_read_covers_everything():
    compared = with_truth(X, {"age": X["age"], "sex": ["person"] * 4}, qi=QI)
    assert measured("granularity", compared) == 0.5


@pytest.fixture
def hierarchies(tmp_path):
    (tmp_path / "age.csv").write_text("30;30-39;*\n31;30-39;*\n40;40-49;*\n41;40-49;*\n50;50-59;*\n")
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    return str(tmp_path)


def test_published_hierarchies_say_levels_and_leaves(hierarchies):
    y = {"age": ["30-39", "30-39", "40-49", "40-49"], "sex": ["f", "m", "f", "*"]}
    granularity, precision, entropy, _ = values(y, hierarchies=hierarchies)
    assert granularity == pytest.approx(((1 - 1 / 4) + 0.75) / 2)
    assert precision == pytest.approx((0.5 + 0.75) / 2)
    # One row of sex at the top: f f m m → the level 1 holds one row alone, so nothing is added.
    assert entropy == pytest.approx((0.5 + 1) / 2)


def test_entropy_is_added_up_level_by_level_as_arx_does(hierarchies):
    y = {"age": ["30-39", "30-39", "*", "*"], "sex": ["f", "m", "f", "m"]}
    _, _, entropy, _ = values(y, hierarchies=hierarchies)
    # Level 1: all four rows lose 1 bit each. Level 2: 40 and 41 have one label at level 1, so nothing is added.
    assert entropy == pytest.approx(((1 - 4 / 8) + 1) / 2)
    y = {"age": ["30-39", "*", "40-49", "*"], "sex": ["f", "m", "f", "m"]}
    _, _, entropy, _ = values(y, hierarchies=hierarchies)
    # Level 2: of 31 and 41, each was alone in its label at level 1 and has two rows now: 1 bit each.
    assert entropy == pytest.approx(((1 - 6 / 8) + 1) / 2)


def test_columns_without_information_are_undefined():
    x = {"age": [30, 30], "sex": ["f", "f"]}
    compared = with_truth(x, x, qi=QI)
    assert measured("granularity", compared) == 1
    with pytest.raises(UndefinedError, match="no quasi-identifier varies"):
        measured("nonuniform_entropy", compared)
    with pytest.raises(UndefinedError, match="no two rows of the original differ"):
        measured("discernibility", compared)
