"""A value of a measure with a note that is shown beside it."""

from __future__ import annotations


class NotedValue(float):
    """A number that says something of itself: which column it is about, what was sampled."""

    note: str

    def __new__(cls, value: float, note: str = "") -> NotedValue:
        """Make the number with its note."""
        noted = super().__new__(cls, value)
        noted.note = note
        return noted
