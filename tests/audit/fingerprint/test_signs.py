"""Figures of a release, on columns checked by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import icefire
from icefire.audit.fingerprint import matching
from icefire.audit.fingerprint.pairs import pair_tables
from icefire.audit.fingerprint.signs import (
    FOR_ALL,
    FOR_NUMBERS,
    FOR_TABLES,
    SIGN_NAMES,
    column_figures,
    signs_of_release,
)
from icefire.audit.fingerprint.words import FIGURES, sentence


def figures(x: list, y: list, qi: list | None = None, qi_y: list | None = None) -> dict[str, float]:
    """Figures of one sensitive column whose rows are in the order of the original."""
    group = qi or ["a"] * len(x)
    original = icefire.read(pl.DataFrame({"q": group, "s": x}), qi=["q"], sa=["s"])
    released = pl.DataFrame({"q": qi_y or group[: len(y)], "s": y})
    pair = pair_tables(original, released)
    return column_figures(pair, matching.by_truth(np.arange(len(y)), np.arange(len(y))))["s"]


def test_values_cut_off_from_above_fit_the_original_exactly() -> None:
    own = figures([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6, 6, 6, 6, 6])
    assert own["top_fit"] == 1.0  # five of ten at 6, and five of ten were 6 or more
    assert own["to_top"] == 1.0
    assert own["bottom_fit"] == 0.0


def test_values_cut_off_from_below_are_the_mirror_image() -> None:
    own = figures([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [5, 5, 5, 5, 5, 6, 7, 8, 9, 10])
    assert (own["bottom_fit"], own["to_bottom"], own["top_fit"]) == (1.0, 1.0, 0.0)


def test_rounding_widens_the_step() -> None:
    own = figures([11, 23, 37, 48, 52, 66], [10, 20, 40, 50, 50, 70])
    assert own["step"] == 1.0  # from 1 to 10
    assert own["roundness"] == 1.0  # no multiple of 10 before, all after


def test_exchanged_values_keep_the_column() -> None:
    own = figures([1, 2, 3, 4], [2, 1, 4, 3], ["a", "a", "b", "b"])
    assert (own["excess"], own["same"], own["exchange"]) == (0.0, 0.0, 1.0)
    assert (own["class_exchange"], own["key_exchange"], own["pairs_new"]) == (1.0, 1.0, 0.0)


def test_values_exchanged_between_classes_leave_new_pairs() -> None:
    own = figures([1, 2, 3, 4], [3, 4, 1, 2], ["a", "a", "b", "b"])
    assert (own["excess"], own["class_exchange"], own["pairs_new"]) == (0.0, 0.0, 1.0)


def test_means_of_groups_are_the_means_of_their_originals() -> None:
    own = figures([1.0, 2.0, 4.0, 6.0, 7.0, 8.0], [1.5, 1.5, 5.0, 5.0, 7.5, 7.5])
    assert own["group_mean"] == 1.0
    assert own["spread"] < 1.0


def test_means_of_groups_stay_near_where_cells_were_blanked_later() -> None:
    own = figures([1.1, 2.2, 3.3, 4.4, 5.5, 9.0], [3.3, 3.3, 3.3, None, 3.3, 9.0])
    assert own["group_mean"] == 0.0  # the mean of the four that are left is 3.025
    assert own["group_near"] == pytest.approx(1 - 0.275 / (5.5 / 3))


def test_frequencies_drawn_anew_differ_as_chance_does() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=2000)
    assert figures(x.tolist(), rng.permutation(x).tolist())["redrawn"] == 0.0
    anew = figures(x.tolist(), rng.choice(x, 2000).round(2).tolist())
    assert 0.4 < anew["redrawn"] < 2.0  # also after rounding
    assert figures(x.tolist(), np.clip(x, None, 1.5).tolist())["redrawn"] == 0.0  # cut off within a tenth
    assert figures(x.tolist(), (x + 1.0).tolist())["redrawn"] > 5.0


def of_rows(x: dict[str, list], kept: list[int], changed: dict[str, list] | None = None) -> dict[str, float]:
    """Figures of a whole table of which some rows were left out, and some columns then changed."""
    original = icefire.read(pl.DataFrame(x), qi=[name for name in x if name != "s"], sa=["s"])
    released = original.frame[kept].with_columns(pl.Series(n, v) for n, v in (changed or {}).items())
    pair = pair_tables(original, released)
    signs = signs_of_release(pair, matching.by_truth(np.array(kept), np.arange(len(kept))))
    return {name: signs[name].value for name in FOR_TABLES}


CLASSES = {"q": list("aaaabbbbcde"), "s": list(range(11))}


def test_rare_rows_are_gone_and_no_others() -> None:
    own = of_rows(CLASSES, list(range(8)))  # c, d and e were alone
    assert (own["rare_gone"], own["rare_gone_matched"]) == (1.0, 1.0)
    half = of_rows(CLASSES, [0, 1, 2, 3, 8, 9, 10])  # all b's are gone, who were many
    assert (half["rare_gone"], half["rare_gone_matched"]) == (0.0, 0.0)
    assert of_rows(CLASSES, list(range(11)))["rare_gone"] == 0.0


def test_rare_rows_are_seen_by_some_of_the_columns_and_through_later_changes() -> None:
    more = CLASSES | {"p": [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3]}
    assert of_rows(more, list(range(8)))["rare_gone"] == 1.0  # rare by q alone
    constant = of_rows(CLASSES, list(range(8)), {"q": ["z"] * 8})
    assert (constant["rare_gone"], constant["rare_gone_matched"]) == (0.0, 1.0)


def test_classes_are_compared_without_blank_cells_and_constant_columns() -> None:
    x = {"q": [1, 2, 3, 4, 5, 6], "p": [1, 2, 1, 2, 1, 2], "s": [1] * 6}
    own = of_rows(x, list(range(6)), {"q": [1, 1, 3, 3, None, 6], "p": [1] * 6})
    assert own["filled_growth"] == pytest.approx(np.log2(5 / 3))  # five people, three classes
    assert own["filled_alone"] == pytest.approx((1 - 5) / 5)


def test_blanks_and_constants_are_counted() -> None:
    assert figures([1, 2, 3, 4], [1, None, 3, None])["blank"] == 0.5
    assert figures([1, 2, 3, 4], [2, 2, 2, 2])["constant"] == 1.0
    assert figures([1, 2, 3, 4], [1, 2, 3, 4])["constant"] == 0.0


@pytest.mark.parametrize(
    ("y", "kept", "excess"), [([1, 2, 3, 4], 1.0, 0.0), ([2, 2, 2, 2], 1.0, 0.75), ([7, 8, 9, 4], 0.25, 0.75)]
)
def test_values_are_kept_or_occur_too_often(y: list[int], kept: float, excess: float) -> None:
    own = figures([1, 2, 3, 4], y)
    assert (own["kept"], own["excess"]) == (kept, excess)


def test_every_figure_has_words_and_no_word_is_left_over() -> None:
    assert set(FIGURES) == {*FOR_ALL, *FOR_NUMBERS, *FOR_TABLES}


def test_every_figure_is_computed_and_can_be_said() -> None:
    original = icefire.sample("survey", 60, seed=2)
    pair = pair_tables(original, original.frame)
    rows = np.arange(60)
    signs = signs_of_release(pair, matching.by_truth(rows, rows))
    assert tuple(signs) == SIGN_NAMES
    for name, sign in signs.items():
        assert ":" in sentence(name, sign)


def test_large_tables_are_compared_in_whole_classes() -> None:
    frame = pl.DataFrame({"q": np.repeat(np.arange(1500), 2), "s": np.arange(3000)})
    rows = matching.rows_to_compare(frame, ["q"], 1)
    assert len(rows) == matching.MOST_ROWS
    assert frame["q"].gather(rows).value_counts()["count"].unique().to_list() == [2]
