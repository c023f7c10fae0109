"""Sums of absolute changes beside a plain loop, digit by digit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefire.kernels.common import sums

VALUES = st.sampled_from([0.0, -0.0, 1.5, -2.25, 0.1, 1e300, math.nan, math.inf, -math.inf])


def slow_change(x, y, rows, relative, changed):
    total = 0.0
    for j, row in enumerate(rows):
        a, b = x[row], y[j]
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        if math.isnan(a) or math.isnan(b) or (relative and a == 0):
            total += changed
        else:
            total += abs(a - b) / abs(a) if relative else abs(a - b)
    return total


@pytest.mark.parametrize("relative", [False, True])
@settings(max_examples=150, deadline=None)
@given(pairs=st.lists(st.tuples(VALUES, VALUES), max_size=20), changed=st.sampled_from([1.0, 7.5]))
def test_changes_are_summed_as_by_a_loop(relative, pairs, changed):
    x, y = (np.array(side, float) for side in zip(*pairs, strict=True)) if pairs else (np.empty(0), np.empty(0))
    rows = np.arange(len(x))[::-1].copy()
    expected = slow_change(x.tolist(), y.tolist(), rows.tolist(), relative, changed)
    found = sums.absolute_change(x, y, rows, relative, changed)
    assert found == expected or (math.isnan(found) and math.isnan(expected))
