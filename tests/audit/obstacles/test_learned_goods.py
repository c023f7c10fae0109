"""What goods were called is learned from customers whose origin is known."""

from __future__ import annotations

import numpy as np

from icefire.audit.obstacles.learned_goods import learned_names


def test_names_of_goods_are_learned_as_words_of_another_language() -> None:
    # Bread is released as 0, milk as 1, and salt is deleted; nobody has bread alone.
    known = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [2, 1, 0]], float)
    shown = np.array([[1, 1], [1, 0], [0, 1], [2, 1]], float)
    bread, milk, _, _ = learned_names(known, shown)
    assert bread[0] > 0.6
    assert milk[1] > 0.6


def test_rows_that_come_from_no_good_are_learned_too() -> None:
    # Name 1 was added to everybody.
    known = np.array([[1, 0], [0, 1], [0, 0], [1, 1]], float)
    shown = np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0], [1, 1, 1]], float)
    one, other, none = learned_names(known, shown)
    assert int(none.argmax()) == 1
    assert (int(one.argmax()), int(other.argmax())) == (0, 2)
