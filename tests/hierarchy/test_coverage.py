"""Released labels that cover nothing at all."""

from __future__ import annotations

import numpy as np

from icefire.hierarchy.coverage import Coverage


def test_labels_that_cover_no_place_cover_no_value() -> None:
    empty = np.empty(0, np.int64)
    labels = np.zeros(3, np.int32)
    covered = Coverage(np.arange(3, dtype=np.int32), 3, labels, np.zeros(2, np.int64), empty, empty)
    assert covered.covers(labels, covered.places).tolist() == [False, False, False]
