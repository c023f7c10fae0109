"""Risk against loss: no label is crossed by the line of the limit."""

from __future__ import annotations

import re

import pytest

from icefire.report.html.scatter import HEIGHT, Dot, trade_off


@pytest.mark.parametrize("limit", [0.02, 0.09, 0.2, 0.24, 0.25, 0.33, 0.49, 0.7])
def test_the_limit_crosses_no_label(limit: float) -> None:
    picture = str(trade_off("t", "d", [], limit))
    line = HEIGHT * (1 - limit)
    labels = [float(y) for y in re.findall(r'<text class="last" x="100%" y="([\d.]+)"', picture)]
    assert len(labels) == 4
    assert all(not base - 10 < line < base + 2 for base in labels)


def test_neighbours_at_the_right_end_are_named_on_both_sides() -> None:
    dots = [Dot("release2", 0.6, 0.01), Dot("release3", 0.87, 0.02), Dot("release4", 0.65, 0.02)]
    names = re.findall(r'class="(first|last)" x="[\d.]+%" y="[\d.]+" dx="-?\d+">(\w+)<', str(trade_off("t", "d", dots)))
    # The third has a name neither to its left nor to its right: both would be written over the first.
    assert names == [("first", "release2"), ("first", "release3")]
