"""A scorecard or a score as a list of checks: what was required, and whether it holds.

A release that does not pass has at least one check that is broken, whatever the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from icefire.core.formatting import percent
from icefire.core.scorecard import Reason, Scorecard
from icefire.core.scorecard.scores import Score
from icefire.report.sentences import limits
from icefire.words import t

LIMIT = "limit"
NOT_PASSED = "not_passed"
RULES = (LIMIT, "identifier", "not_assessed", "verbatim", "correspondence", NOT_PASSED)
"""Kinds of broken checks: the codes of the reasons."""

TOPICS = ("column", "columns", "attack", "attacker", "attackers", "question")
"""Evidence that tells what a reason is about."""
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was required of a release."""

    rule: str
    """The code of the reason; see `RULES`."""
    name: str
    holds: bool
    text: str
    key: str = ""
    """What tells it from the other checks of its rule, in every language the same."""


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
    checks += [_reason(reason) for reason in others]
    if verdict.passed is not True and all(check.holds for check in checks):
        checks.append(Check(NOT_PASSED, _name(NOT_PASSED), False, verdict.text or verdict.headline))
    seconds = sum(result.seconds for result in card.attacks.values())
    lines = tuple(line for line in (verdict.text,) if line)
    name = card.provenance.released.name
    return Checks(name, place, verdict.headline, tuple(_told_apart(checks)), verdict.passed is True, seconds, lines)


def checks_of_score(score: Score, place: str, largest: float | None) -> Checks:
    """List the one limit on a score; without a limit nothing is required."""
    holds = largest is None or score.rate <= largest
    bound = "" if largest is None else t("checks.score_limit", bound=percent(largest))
    text = t("checks.score", hits=score.hits, targets=score.targets, rate=percent(score.rate), bound=bound)
    check = Check(LIMIT, t("checks.right_answers"), holds, t("checks.sentence", text=text))
    return Checks(place, place, text, (check,), holds)


def _limit(card: Scorecard, number: int) -> Check:
    limit = card.limits[number]
    value, bound = limits.numbers(card, limit)
    text = t("checks.limit", name=limit.name, value=value, bound=bound, result=limits.result(limit))
    return Check(LIMIT, limit.name, limit.passed, text, limit.name)


def _reason(reason: Reason) -> Check:
    about = _about(reason)
    shown = ", ".join(about[:MOST_NAMED]) + (", …" if len(about) > MOST_NAMED else "")
    name = f"{_name(reason.code)}: {shown}" if about else _name(reason.code)
    return Check(reason.code, name, False, reason.text, ",".join(about))


def _about(reason: Reason) -> list[str]:
    """Return the columns, attacks or attackers that a reason is about."""
    named = [reason.evidence[topic] for topic in TOPICS if topic in reason.evidence]
    return [str(name) for names in named for name in ([names] if isinstance(names, str) else names)]


def _told_apart(checks: Sequence[Check]) -> list[Check]:
    """Number the checks that have name and key of an earlier one: tools merge those that are called alike."""
    seen: Counter[tuple[str, str]] = Counter()
    numbered = []
    for check in checks:
        seen[check.rule, check.key] += 1
        number = seen[check.rule, check.key]
        again = replace(check, name=f"{check.name} ({number})", key=f"{check.key}#{number}")
        numbered.append(check if number == 1 else again)
    return numbered


def _has_broken_limit(card: Scorecard) -> bool:
    return any(not limit.passed for limit in card.limits)


def _name(code: str) -> str:
    return t(f"checks.name.{code}") if code in RULES else code.replace("_", " ")


def rule_text(code: str) -> str:
    """Say what a broken check of this kind means."""
    return t(f"checks.rule.{code if code in RULES else NOT_PASSED}")


def rule_help(code: str) -> str:
    """Say what to do about a broken check of this kind."""
    return t(f"checks.help.{code if code in RULES else NOT_PASSED}")
