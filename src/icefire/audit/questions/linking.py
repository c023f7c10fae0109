"""The question of linking: which pseudonyms of two periods are one person?

It is put where the truth gives several pseudonyms to one person. The judge finds out how long a pseudonym lasts, hands
out what was released of two neighbouring periods under new names, and counts the people whose pseudonyms were linked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
import polars as pl

from icefire.audit.judge import wilson
from icefire.audit.plan import AuditPlan
from icefire.audit.questions.periods import named_periods, read_periods
from icefire.core import registry, seeds
from icefire.core.history import History, HistoryComparison
from icefire.core.history.history import positions
from icefire.core.history.publishing import shuffled
from icefire.core.linking import LinkingCase
from icefire.core.registry import Entry, Question
from icefire.core.release import NO_ANSWER, Guess
from icefire.core.scorecard.linking import LinkedPeriods, LinkingFindings, LinkingResult, LinkingScore
from icefire.core.types import DataKind
from icefire.kernels.types import Bool, Int

LINKING_ATTACK = "match_pseudonyms"
"""The attack that looks at everything; a limit on linking means little without it."""
MOST_PAIRS = 12
"""Of more pairs of neighbouring periods so many, evenly spread, are asked about."""


@dataclass(frozen=True, slots=True)
class LinkingQuestion:
    """Two periods of a release under new names, and the person of every pseudonym."""

    case: LinkingCase
    """What attackers receive."""
    first: Int
    """The person of every pseudonym of the first period."""
    second: Int
    unavailable: Mapping[str, str]
    """Attacks that the release lacks something for, with the reason."""
    name: Question = "linking"

    def judge(self, entry: Entry, guess: Guess, parameters: dict[str, Any], seconds: float) -> LinkingResult:
        """Score answers about the case."""
        return LinkingResult(score_linking(self.first, self.second, guess), [], entry.knows, parameters, seconds)


@dataclass(frozen=True, slots=True)
class AskedPeriods:
    """One question for each pair of periods, and the findings without the attacks."""

    findings: LinkingFindings
    questions: list[LinkingQuestion]
    days: list[tuple[str, str]]
    """The first days of the two periods of each question."""

    def summed_up(self, results: Sequence[Mapping[str, LinkingResult]], left_out: dict[str, str]) -> LinkingFindings:
        """Return the findings with what the attacks achieved.

        Args:
            results: For each question the result of every attack.
            left_out: Attacks that could not run, with the reason.
        """
        attacks = {}
        for name in results[0] if results else ():
            parts = [result[name] for result in results]
            periods = [LinkedPeriods(*days, part.score) for days, part in zip(self.days, parts, strict=True)]
            total = total_score([part.score for part in parts])
            seconds = sum(part.seconds for part in parts)
            attacks[name] = LinkingResult(total, periods, parts[0].knows, parts[0].parameters, seconds)
        return msgspec.structs.replace(self.findings, attacks=attacks, left_out=left_out)


def nothing_to_link(attacks: Sequence[str], data: DataKind) -> dict[str, str]:
    """Name the attacks on linking among those chosen, with the reason why they do not run where nobody has several.

    Args:
        attacks: Names of attacks that were chosen.
        data: The kind of data.
    """
    entries = [registry.get("attack", name, data) for name in attacks]
    reason = "links pseudonyms, but everybody has only one"
    return {entry.name: reason for entry in entries if entry.question == "linking"}


def several_pseudonyms(comparison: HistoryComparison) -> bool:
    """Tell whether the truth gives several pseudonyms to somebody."""
    owners = comparison.truth.rows
    return len(np.unique(owners)) < len(owners)


def ask_linking(comparison: HistoryComparison, plan: AuditPlan, unavailable: Mapping[str, str]) -> AskedPeriods:
    """Put the question for neighbouring periods of a release whose pseudonyms change.

    Args:
        comparison: The release with its truth.
        plan: Its seed gives the new names.
        unavailable: Attacks that the release lacks something for, with the reason.
    """
    owners = comparison.truth.rows
    findings = LinkingFindings("", 0, len(owners), len(np.unique(owners)), 0, 0, {})
    released = comparison.released
    periods = read_periods(released, owners) if plan.period is None else named_periods(released, plan.period)
    if periods is None:
        dated = "no period was found in which pseudonyms lie and everybody has one; name it with --period"
        undated = "the release has no dates, so its periods are not known; name a column that tells them with --period"
        why = dated if released.has("date") else undated
        return AskedPeriods(msgspec.structs.replace(findings, reason=why), [], [])
    hidden, order = shuffled(released, seeds.generator(plan.seed, "linking"))
    numbers, persons = periods.numbers[order], owners[order]
    pairs = [
        pair
        for pair in range(len(periods.first_days) - 1)
        if len(np.intersect1d(persons[numbers == pair], persons[numbers == pair + 1]))
    ]
    spread = np.unique(np.linspace(0, len(pairs) - 1, MOST_PAIRS).astype(int)) if pairs else ()
    asked = [pairs[place] for place in spread]
    questions = [_question(hidden, numbers, persons, pair, unavailable) for pair in asked]
    return AskedPeriods(
        msgspec.structs.replace(
            findings,
            period=periods.length,
            periods=len(periods.first_days),
            asked=len(asked),
            pairs=len(pairs),
            reason="" if asked else "nobody is in two neighbouring periods",
        ),
        questions,
        [(periods.first_days[pair], periods.first_days[pair + 1]) for pair in asked],
    )


def _question(
    hidden: History, numbers: Int, persons: Int, pair: int, unavailable: Mapping[str, str]
) -> LinkingQuestion:
    """The question for one period and the next."""
    first, second = (_part(hidden, numbers == number) for number in (pair, pair + 1))
    one, other = (persons[positions(part.names, hidden.names)] for part in (first, second))
    return LinkingQuestion(LinkingCase(first, second), one, other, unavailable)


def _part(released: History, chosen: Bool) -> History:
    """What was released of some subjects."""
    frame = released.frame.filter(pl.Series(chosen[released.codes]))
    customers = None if released.customers is None else released.customers.filter(pl.Series(chosen))
    return replace(released, frame=frame, customers=customers, name="period", digest="")


def score_linking(first: Int, second: Int, guess: Guess) -> LinkingScore:
    """Score answers for two periods.

    Args:
        first: The person of every pseudonym of the first period.
        second: The person of every pseudonym of the second.
        guess: For every pseudonym of the first period one of the second, -1 for none.
    """
    given = guess.first != NO_ANSWER
    hits: Bool = given & (first == second[np.where(given, guess.first, 0)])
    both = np.intersect1d(first, second)
    # A person with several pseudonyms in a period has several chances.
    tries, fitting = (np.bincount(np.searchsorted(both, side[np.isin(side, both)])) for side in (first, second))
    chances = 1.0 - (1.0 - fitting / len(second)) ** tries
    chance = float(chances.mean()) if len(both) else 0.0
    return _score(int(hits.sum()), int(given.sum()), len(both), len(np.unique(first[hits])), chance)


def total_score(scores: Sequence[LinkingScore]) -> LinkingScore:
    """Sum scores of pairs of periods up."""
    right, answered, present, linked = (
        sum(getattr(score, name) for score in scores) for name in ("right", "answered", "present", "linked")
    )
    by_chance = sum(score.chance * score.present for score in scores)
    return _score(right, answered, present, linked, by_chance / present if present else 0.0)


def _score(right: int, answered: int, present: int, linked: int, chance: float) -> LinkingScore:
    return LinkingScore(
        right=right,
        answered=answered,
        present=present,
        linked=linked,
        recall=linked / present if present else 0.0,
        recall_ci=wilson(linked, present) if present else (0.0, 1.0),
        precision=right / answered if answered else 0.0,
        precision_ci=wilson(right, answered) if answered else (0.0, 1.0),
        chance=chance,
    )
