"""The shop of three customers, as it is and with dummies."""

from __future__ import annotations

import pytest
from support.history_measures import PEOPLE, ROWS
from support.history_tables import history

from icefire.core.history import History


@pytest.fixture
def shop() -> History:
    return history(ROWS, PEOPLE)


@pytest.fixture
def with_dummies() -> History:
    """u1 and u3 in one cluster: u1 gets c, u3 gets a and b, at their latest receipts."""
    added = [
        ("u1", "r2", "2024-02-01", "10:00", "c", 5.0, 1),
        ("u3", "r4", "2024-03-01", "12:00", "a", 1.0, 1),
        ("u3", "r4", "2024-03-01", "12:00", "b", 3.0, 1),
    ]
    return history([*ROWS, *added], PEOPLE)
