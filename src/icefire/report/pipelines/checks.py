"""A scorecard or a score as a list of checks: what was required, and whether it holds.

A release that does not pass has at least one check that is broken, whatever the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from icefire.core.formatting import percent
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.scores import Score
from icefire.report.sentences import limits

LIMIT = "limit"
NOT_PASSED = "not_passed"
RULES = {
    LIMIT: "A limit of the policy or of the user is broken.",
    "identifier": "An identifier is in the release.",
    "not_assessed": "Something in the release was not assessed.",
    "verbatim": "Rows are published verbatim.",
    "correspondence": "The claimed correspondence of rows cannot be right.",
    NOT_PASSED: "The release does not pass.",
}
"""Kinds of broken checks, by the code of the reason."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was required of a release."""

    rule: str
    """The code of the reason; see `RULES`."""
    name: str
    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class Checks:
    """Everything that was required of one release."""

    subject: str
    """Name of the release."""
    place: str
    """Path of the release, for tools that show results beside files."""
    headline: str
    checks: tuple[Check, ...]
    passed: bool
    seconds: float = 0.0
    lines: tuple[str, ...] = ()
    """More in words, for people."""

    @property
    def broken(self) -> list[Check]:
        """The checks that do not hold."""
        return [check for check in self.checks if not check.holds]


def checks_of_scorecard(card: Scorecard, place: str) -> Checks:
    """List the limits and the reasons of a verdict."""
    verdict = card.verdict
    checks = [_limit(card, number) for number in range(len(card.limits))]
    others = [reason for reason in verdict.reasons if reason.code != LIMIT or not _has_broken_limit(card)]
    checks += [Check(reason.code, _name(reason.code), False, reason.text) for reason in others]
    if verdict.passed is not True and all(check.holds for check in checks):
        checks.append(Check(NOT_PASSED, "verdict", False, verdict.text or verdict.headline))
    seconds = sum(result.seconds for result in card.attacks.values())
    lines = tuple(line for line in (verdict.text,) if line)
    name = card.provenance.released.name
    return Checks(name, place, verdict.headline, tuple(checks), verdict.passed is True, seconds, lines)


def checks_of_score(score: Score, place: str, largest: float | None) -> Checks:
    """List the one limit on a score; without a limit nothing is required."""
    text = f"{score.hits:,} of {score.targets:,} answers are right ({percent(score.rate)})"
    holds = largest is None or score.rate <= largest
    bound = "" if largest is None else f"; the limit is at most {percent(largest)}"
    check = Check(LIMIT, "share of right answers", holds, f"{text}{bound}.")
    return Checks(place, place, f"{text}{bound}", (check,), holds)


def _limit(card: Scorecard, number: int) -> Check:
    limit = card.limits[number]
    value, bound = limits.numbers(card, limit)
    text = f"{limit.name}: {value}, allowed: {bound}; {limits.result(limit)}."
    return Check(LIMIT, limit.name, limit.passed, text)


def _has_broken_limit(card: Scorecard) -> bool:
    return any(not limit.passed for limit in card.limits)


def _name(code: str) -> str:
    return code.replace("_", " ")
