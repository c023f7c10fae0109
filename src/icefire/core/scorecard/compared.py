"""Several releases of one original side by side: what an audit found of each, in a few figures."""

from __future__ import annotations

import msgspec


class ComparedRelease(msgspec.Struct, frozen=True, kw_only=True):
    """One release."""

    name: str
    passed: bool | None
    headline: str
    """The verdict in words."""
    reasons: list[str] = []
    """Why it does not pass."""
    rows: int
    risk: float | None = None
    """Share of the people identified by the best attack; of a synthetic release, of the members recognised or, where
    that was not asked, of the rows that are copies. None if no attack ran."""
    worst_attack: str = ""
    limit: float | None = None
    """The limit on that share, if there is one."""
    k: int | None = None
    """Size of the smallest class; None where there are no classes."""
    loss: float | None = None
    """What was lost, from 0 to 1; see `icefire.audit.compare.loss_of`."""
    lost: str = ""
    """What was lost, in words."""
    policy: str = ""


class ComparedReleases(msgspec.Struct, frozen=True, kw_only=True):
    """The releases in the order they were given."""

    original: str
    releases: list[ComparedRelease]
    best: str = ""
    """The release that passes and lost least; empty where none passes, and for different originals."""
    nearest: str = ""
    """Where none passes: the release by which fewest people are identified."""
    different_originals: bool = False
    """The audits were made against different originals, so the figures cannot be compared."""
    different_policies: bool = False
    """The releases were judged by different policies or limits."""

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"
