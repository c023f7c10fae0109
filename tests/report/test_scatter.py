"""Risk against loss: no label is crossed by the line of the limit."""

from __future__ import annotations

import re

import pytest

from icefire.report.html.scatter import HEIGHT, trade_off


@pytest.mark.parametrize("limit", [0.02, 0.09, 0.2, 0.24, 0.25, 0.33, 0.49, 0.7])
def test_the_limit_crosses_no_label(limit: float) -> None:
    picture = str(trade_off("t", "d", [], limit))
    line = HEIGHT * (1 - limit)
    labels = [float(y) for y in re.findall(r'<text class="last" x="100%" y="([\d.]+)"', picture)]
    assert len(labels) == 4
    assert all(not base - 10 < line < base + 2 for base in labels)
