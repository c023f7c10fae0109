"""The answer of a fingerprint: for every method a probability and its evidence."""

from __future__ import annotations

import msgspec

from icefire.core.display import ShownInNotebooks

RECOGNISED = 0.5
"""From this probability on a method counts as recognised."""


class Trace(msgspec.Struct, frozen=True):
    """One figure that spoke for a method or against it."""

    figure: str
    text: str
    """The figure in words, with its value."""
    value: float | None
    weight: float
    """What it added to the log odds of the method; negative if it spoke against it."""
    column: str | None = None


class MethodProbability(msgspec.Struct, frozen=True):
    """How probably a method took part in making the release."""

    method: str
    traces: str
    """What the method does, in words."""
    covers: list[str]
    """Methods that count as this one because they leave the same traces."""
    probability: float
    recognised: bool
    evidence: list[Trace]


class Fingerprint(ShownInNotebooks, msgspec.Struct, frozen=True):
    """Which methods made a release, as far as its traces tell."""

    original: str
    released: str
    original_rows: int
    released_rows: int
    compared_rows: int
    """Released rows that were compared with an original row of their own."""
    compared_by: str
    """How rows were matched, in words."""
    columns: list[str]
    columns_left_out: list[str]
    """Columns of the original that the release lacks, or that are empty there."""
    methods: list[MethodProbability]
    """The likeliest first."""
    notes: list[str]
    version: int = 1

    def __repr__(self) -> str:
        return f"<Fingerprint of {self.released!r}: {', '.join(self.recognised) or 'no method is recognised'}>"

    @property
    def recognised(self) -> list[str]:
        """Names of the methods that are recognised, the likeliest first."""
        return [one.method for one in self.methods if one.recognised]

    def to_json(self) -> str:
        """Return the fingerprint as JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode()
