"""The study that compares the joint attack with all others."""

from __future__ import annotations

import numpy as np
import pytest

from icefire.core.errors import InputError
from icefire.studies import available, households, strongest


def test_it_is_found_among_the_studies():
    assert "strongest" in available()


def test_link_is_compared_with_the_best_other_attack():
    steps = strongest.HOUSEHOLDS["pram 0.5, rank swap 20"]
    line = strongest.attacked(households.survey(600, 1), steps, 1)
    assert line["link"] > 0.9 > line["other"]
    assert line["limit"] is None


def test_the_limit_of_swapped_classes_is_their_number():
    line = strongest.attacked(households.survey(600, 1), strongest.HOUSEHOLDS["k = 5, swap"], 1, "k = 5, swap")
    assert 0.05 < line["limit"] <= 0.2


def test_the_interval_is_that_of_student():
    assert strongest.interval(np.array([0.1, 0.2, 0.3])) == pytest.approx(4.303 * 0.1 / np.sqrt(3))


def test_a_folder_without_adult_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"holds no adult\.data\.gz"):
        strongest.adult(tmp_path)
