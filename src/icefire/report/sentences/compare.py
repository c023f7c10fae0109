"""Several releases side by side: which one to take, in words, and the cells of the table."""

from __future__ import annotations

from icefire.core.formatting import count, percent
from icefire.core.scorecard.compared import ComparedRelease, ComparedReleases
from icefire.words import t

STATES = {True: "passes", False: "does_not_pass", None: "not_judged"}


def conclusion(releases: ComparedReleases) -> list[str]:
    """Say which release passes and lost least, and what stands in the way of comparing them."""
    choice = [] if releases.different_originals else [_choice(releases)]
    warnings = ("different_originals", "different_policies")
    return [*choice, *(t(f"compare.{name}") for name in warnings if getattr(releases, name))]


def title(releases: ComparedReleases) -> str:
    """Name what is compared; releases of different originals have no common name."""
    name = "title_without_original" if releases.different_originals else "title"
    return t(f"compare.{name}", original=releases.original)


def _choice(releases: ComparedReleases) -> str:
    passing = sum(release.passed is True for release in releases.releases)
    if passing:
        return t("compare.only" if passing == 1 else "compare.best", name=releases.best)
    if releases.nearest:
        return t("compare.none", name=releases.nearest)
    return t("compare.none_attacked")


def heading(name: str) -> str:
    """Name a column of the table."""
    return t(f"compare.{name}")


def state(release: ComparedRelease) -> str:
    """Say whether a release passes."""
    return t(f"compare.{STATES[release.passed]}")


def share(value: float | None) -> str:
    """Write a share; empty where there is none."""
    return "" if value is None else percent(value)


def size(value: int | None) -> str:
    """Write the size of the smallest class; empty where there is none."""
    return "" if value is None else count(value)
