"""Judge the answers about one sensitive column: run the attacks, their controls, and see whose value is certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
import polars as pl

from icefire.audit.attributes import groups, rates
from icefire.audit.attributes.secret_column import SecretColumn, Statement
from icefire.audit.attributes.targets import AskedPeople, AttributeQuestion
from icefire.audit.judge import wilson
from icefire.core import seeds
from icefire.core.attribute import AttributeCase, AttributeGuess
from icefire.core.registry import Entry
from icefire.core.scorecard.attributes import AttributeColumn, AttributeResult, GroupAdvantage
from icefire.kernels.evidence.votes import names_own_row
from icefire.kernels.types import Bool, Float, Int

CLASS_ATTACK = "class"
"""The attack whose covering rows say whose value is certain."""
FOLDS = 10
"""Attacks that answer with values are run again on so many parts of the people for the control; on each person alone
where there are at most `SINGLE_FOLDS`."""
SINGLE_FOLDS = 30


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answers of one attack about one column."""

    right: Bool
    control: Bool
    result: AttributeResult


class ColumnJudge:
    """Judges answers about one sensitive column."""

    def __init__(self, question: AttributeQuestion, name: str, secret: SecretColumn) -> None:
        self.question, self.name, self.secret = question, name, secret
        members, outsiders = question.members, question.outsiders
        truth = secret.truth[members.rows]
        self.asked = np.flatnonzero(~np.isnan(truth))
        """Targets whose value is there to be guessed."""
        self.truth = truth[self.asked]
        self.prior = secret.right(secret.prior_guess(None, len(self.asked)), self.truth)
        if outsiders is None:
            self.controls, self.control_truth = self.asked, self.truth
        else:
            outside = secret.truth[question.original.height + outsiders.rows]
            self.controls = np.flatnonzero(~np.isnan(outside))
            self.control_truth = outside[self.controls]
        self.class_statement: Statement | None = None
        self.class_control: Statement | None = None
        self.own_row: Bool | None = None

    def judged(self, entry: Entry, parameters: Mapping[str, Any], seed: int) -> Judgement:
        """Run an attack and judge its answers."""
        guess = self._run(entry, parameters, seed, self.question.members.asking(self.name))
        said = self._said(guess, self.question.members, without_own=False)
        control = self._control(entry, parameters, seed, guess)
        right = self._right(said, self.asked, self.truth, None)
        without = self.question.members.own_rows() if self.question.outsiders is None else None
        control_right = self._right(control, self.controls, self.control_truth, without)
        if entry.name == CLASS_ATTACK:
            self._keep_class_answers(guess, said, control)
        result = self._result(entry, parameters, right, control_right, said)
        return Judgement(right, control_right, result)

    def _run(self, entry: Entry, parameters: Mapping[str, Any], seed: int, case: AttributeCase) -> AttributeGuess:
        rng = seeds.generator(seed, "attack", entry.name, self.name)
        guess: AttributeGuess = entry.function(case, rng=rng, **parameters)
        return guess.checked(case.targets, case.choices)

    def _said(self, guess: AttributeGuess, asked: AskedPeople, *, without_own: bool) -> Statement:
        if guess.values is not None:
            values = self.secret.coded(guess.values)
            answered = ~np.isnan(values)
            return Statement(values, answered.astype(np.float64), answered.astype(np.int64))
        evidence = asked.evidence(guess.start, guess.rows, guess.rule == "first")
        return self.secret.said_by(evidence, without_own)

    def _control(self, entry: Entry, parameters: Mapping[str, Any], seed: int, guess: AttributeGuess) -> Statement:
        """Answer about people outside, or again without each person's own row."""
        outsiders = self.question.outsiders
        if outsiders is not None:
            answer = self._run(entry, parameters, seed, outsiders.asking(self.name))
            return self._said(answer, outsiders, without_own=False)
        if guess.values is None:
            return self._said(guess, self.question.members, without_own=True)
        return self._said_in_folds(entry, parameters, seed)

    def _said_in_folds(self, entry: Entry, parameters: Mapping[str, Any], seed: int) -> Statement:
        """Run an attack that answers with values on the release without the rows of a part of the people at a time."""
        members = self.question.members
        people = len(members.rows)
        fold = np.arange(people) % (people if people <= SINGLE_FOLDS else FOLDS)
        values = np.full(people, np.nan)
        for part in range(int(fold.max()) + 1):
            inside = np.flatnonzero(fold == part)
            kept = np.flatnonzero(~np.isin(members.origin, members.person[inside]))
            case = members.asking(self.name)
            smaller = replace(case, known=case.known.take(inside), released=case.released.take(kept), _cache={})
            answer = self._run(entry, parameters, seed, smaller).values
            if answer is not None:
                values[inside] = self.secret.coded(answer)
        answered = ~np.isnan(values)
        return Statement(values, answered.astype(np.float64), answered.astype(np.int64))

    def _right(self, said: Statement, rows: Int, truth: Float, without: list[Int] | None) -> Bool:
        """Tell who was guessed right; without evidence the guess is the release's commonest value or median."""
        value = said.value.copy()
        silent = np.flatnonzero(~said.answered)
        if len(silent):
            left_out = None if without is None else [without[i] for i in silent]
            value[silent] = self.secret.prior_guess(left_out, len(silent))
        return self.secret.right(value[rows], truth)

    def _result(
        self,
        entry: Entry,
        parameters: Mapping[str, Any],
        right: Bool,
        control: Bool,
        said: Statement,
    ) -> AttributeResult:
        success, controlled, prior = (float(part.mean()) for part in (right, control, self.prior))
        baseline = max(controlled, prior)
        paired = self.question.outsiders is None
        return AttributeResult(
            success=success,
            success_ci=wilson(int(right.sum()), len(right)),
            control=controlled,
            control_ci=wilson(int(control.sum()), len(control)),
            baseline=baseline,
            advantage=rates.advantage(success, controlled),
            advantage_ci=rates.advantage_interval(right, control, np.zeros_like(self.prior), paired),
            advantage_over_best_guess=rates.advantage(success, baseline),
            advantage_over_best_guess_ci=rates.advantage_interval(right, control, self.prior, paired),
            answered=float(said.answered[self.asked].mean()),
            knows=entry.knows,
            parameters=dict(parameters),
        )

    def _keep_class_answers(self, guess: AttributeGuess, said: Statement, control: Statement) -> None:
        self.class_statement, self.class_control = said, control
        evidence = self.question.members.evidence(guess.start, guess.rows, first_only=False)
        self.own_row = names_own_row(evidence)

    def worst_group(self, attack: str, judgement: Judgement) -> GroupAdvantage | None:
        """Find the group of people about whom the attack learns most."""
        question = self.question
        columns = [name for name in question.known if name in question.original.frame.columns]
        chosen = [*columns, self.name]
        people = question.original.frame.select(chosen)[question.members.rows[self.asked]]
        outside = None
        if question.outsiders is not None and question.holdout is not None:
            outside = question.holdout.frame.select(chosen)[question.outsiders.rows[self.controls]]
        return groups.worst_group(people, attack, judgement.right, judgement.control, self.prior, outside)

    def with_certain(self, column: AttributeColumn) -> tuple[AttributeColumn, pl.Series]:
        """Add whose value is certain by the rows that cover him."""
        assert self.class_statement is not None
        assert self.own_row is not None
        claimed, right = self._claims(self.class_statement, self.asked, self.truth)
        prior = self.secret.prior_share(self.class_statement.value[self.asked])
        people = len(self.asked)
        known = rates.known_for_certain(claimed, right, self.own_row[self.asked], prior, self.question.options.tau)
        share, interval, outside = known / people, wilson(known, people), None
        if self.question.outsiders is not None and self.class_control is not None:
            _, outside_right = self._claims(self.class_control, self.controls, self.control_truth)
            outside = float(outside_right.mean())
            share, interval = rates.beyond_outsiders(share, interval, outside_right)
        column = msgspec.structs.replace(
            column,
            certain=float(right.mean()),
            certain_claimed=float(claimed.mean()),
            certain_known=share,
            certain_known_ci=interval,
            certain_control=outside,
            certain_people=int(right.sum()),
        )
        return column, self._by_released_row(right)

    def _claims(self, said: Statement, rows: Int, truth: Float) -> tuple[Bool, Bool]:
        """Tell about whom the covering rows give one value almost alone, and for whom that is right."""
        tau, value = self.question.options.tau, said.value[rows]
        claimed = said.answered[rows] & (said.share[rows] >= tau - 1e-12) & (self.secret.prior_share(value) < tau)
        return claimed, claimed & self.secret.right(value, truth)

    def _by_released_row(self, certain: Bool) -> pl.Series:
        """Return who is certain, for each row of the released file."""
        members = self.question.members
        rows = self.question.released.height
        own, asked, certainly = members.own_rows(), np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
        for target, is_certain in zip(self.asked, certain, strict=True):
            places = self.question.order[own[target]]
            asked[places], certainly[places] = True, is_certain
        by_row = pl.DataFrame({"asked": asked, "certain": certainly})
        return by_row.select(pl.when(pl.col("asked")).then(pl.col("certain")).alias(self.name)).to_series()
