"""Put the question of hidden values to the attacks, and judge the answers against people outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from icefire.attacks.attributes.known_columns import TargetColumn, column_of_people, keep_known_columns
from icefire.audit.attributes import groups
from icefire.audit.attributes.code_book import in_original_values
from icefire.audit.attributes.column_judge import CLASS_ATTACK, ColumnJudge
from icefire.audit.attributes.control_notes import check_controls
from icefire.audit.attributes.known_codes import known_codes, written_for_attacks
from icefire.audit.attributes.secret_column import NumberSecret, read_secret
from icefire.audit.attributes.targets import (
    AskedPeople,
    AttributeOptions,
    AttributeQuestion,
    ControlPeople,
    asked_people,
    columns_known,
    draw_people,
    known_part,
    most_asked,
    people_behind,
)
from icefire.core import seeds
from icefire.core.attribute import AttributeCase
from icefire.core.dataset import Dataset
from icefire.core.registry import Entry
from icefire.core.release import NO_ANSWER
from icefire.core.scorecard.attributes import AttributeColumn, AttributeFindings, ValueKind
from icefire.core.types import Progress, no_progress
from icefire.core.views import View
from icefire.hierarchy.coverage import Coverage
from icefire.kernels.common import threads
from icefire.kernels.types import Int


@dataclass(frozen=True, slots=True)
class AttributeAnswers:
    """What was found, and whose value is certain."""

    findings: AttributeFindings
    certain: dict[str, pl.Series] = field(default_factory=dict)
    """By column, for each row of the released file: whether the person's value is certain; missing if not asked."""

    def certain_columns(self) -> list[pl.Series]:
        """Return whose value is certain, as columns of the secret records."""
        return [column.alias(f"certain_{name}") for name, column in self.certain.items()]


def pose_question(
    original: Dataset,
    released: Dataset,
    origin: Int | None,
    options: AttributeOptions,
    seed: int,
    *,
    controls: ControlPeople | None = None,
    view: View[Dataset] | None = None,
    read: Callable[[Sequence[str]], Mapping[str, Coverage]] | None = None,
) -> AttributeQuestion:
    """Shuffle the release, draw the people asked about, and hide everything but their known columns.

    Args:
        original: The people the release was made from.
        released: The release.
        origin: For each released row its original row; None for a release whose rows are nobody's.
        options: Tolerance and certainty.
        seed: Seed of the draws.
        controls: People of the same population who are not in the data.
        view: What the attacker knows, and of whom. Default: the quasi-identifiers of everybody as they are; where
            there are none, all columns but the one asked about.
        read: Returns what the released labels of columns cover, where others need that, too.
    """
    if view is None:
        columns, place = columns_known(original, released), np.arange(original.height)
        everybody = known_part(original, columns)
    else:
        columns = tuple(name for name in view.known.schema.names if name in released.frame.columns)
        everybody, place = known_part(view.known, columns), view.places
    order = seeds.generator(seed, "shuffle").permutation(released.height)
    shuffled = released.take(order)
    origins = np.full(released.height, -1, np.int64) if origin is None else origin[order]
    inside = np.arange(original.height) if origin is None else people_behind(origin, original.height)
    inside = inside[place[inside] != NO_ANSWER]
    most = most_asked(released, len(columns))
    # What a label stands for is common knowledge: attackers see the values of all people, also of those not known.
    codes = known_codes(original, shuffled, origins, columns)
    everybody = written_for_attacks(everybody, codes)
    shown = written_for_attacks(shuffled, codes, released=True)
    case = AttributeCase(everybody, shown, "", written_for_attacks(known_part(original, columns), codes))
    rows = draw_people(inside, most, seed, "hidden values")
    members = asked_people(everybody.take(place[rows]), rows, case, origins, in_data=True)
    if view is None and read is not None:
        of_everybody = read([name for name in columns if name not in codes])
        keep_known_columns(members.case, _columns_asked(original, released, of_everybody, rows, order))
    outsiders = None
    if controls is not None:
        rows = draw_people(np.arange(controls.people.height), most, seed, "hidden values, controls")
        known = written_for_attacks(known_part(controls.as_known or controls.people, columns), codes)
        outsiders = asked_people(known.take(rows), rows, case, origins, in_data=False)
    holdout = None if controls is None else controls.people
    return AttributeQuestion(original, shuffled, members, outsiders, holdout, options, len(inside), order)


def _columns_asked(
    original: Dataset, released: Dataset, read: Mapping[str, Coverage], rows: Int, order: Int
) -> dict[str, TargetColumn]:
    """Return the columns of some people, and of the release in another order, as attacks read them."""
    x, y = original.frame, released.frame
    asked = [(x[name], y[name], covered, rows, order) for name, covered in read.items()]
    return dict(zip(read, threads.starmap(column_of_people, asked), strict=True))


def answer_question(
    question: AttributeQuestion,
    entries: Sequence[Entry],
    bind: Callable[[Entry], Mapping[str, Any]],
    seed: int,
    progress: Progress = no_progress,
) -> AttributeAnswers:
    """Let every attack answer about every sensitive column, and judge."""
    columns, certain = {}, {}
    for secret in question.secrets:
        progress(f"hidden values: {secret}")
        columns[secret], certain[secret] = _column(question, secret, entries, bind, seed)
    outsiders = question.outsiders
    findings = AttributeFindings(
        known=list(question.known),
        people=len(question.members.rows),
        people_in_release=question.people_in_release,
        control="leave-one-out" if outsiders is None else "hold-out",
        controls=len(question.members.rows if outsiders is None else outsiders.rows),
        tau=question.options.tau,
        columns=columns,
        smallest_group=groups.SMALLEST,
    )
    return AttributeAnswers(findings, certain)


def _column(
    question: AttributeQuestion,
    name: str,
    entries: Sequence[Entry],
    bind: Callable[[Entry], Mapping[str, Any]],
    seed: int,
) -> tuple[AttributeColumn, pl.Series]:
    """Judge all attacks on one column."""
    question = _with_secret_hidden(question, name)
    controls = None if question.holdout is None else question.holdout.frame[name]
    if question.holdout is not None:
        check_controls(question.holdout, name)
    people, cells = question.original.frame[name], question.released.frame[name]
    secret = read_secret(people, cells, question.options.tolerance, controls)
    reach = secret.reach if isinstance(secret, NumberSecret) else 0.0
    meant = in_original_values(people, cells, question.members.origin, reach)
    if meant is not None:
        secret = read_secret(people, meant, question.options.tolerance, controls)
    kind: ValueKind = "category" if secret.tolerance is None else "number"
    nobody = pl.Series(name, [None], dtype=pl.Boolean).new_from_index(0, question.released.height)
    if secret.is_constant:
        note = "Everybody has the same value: there is nothing to learn."
        return AttributeColumn(kind=kind, prior=1.0, tolerance=secret.tolerance, note=note), nobody
    judge = ColumnJudge(question, name, secret)
    if not question.known:
        note = "No other column is known: nothing but the commonest value can be guessed."
        return AttributeColumn(
            kind=kind, prior=float(judge.prior.mean()), tolerance=secret.tolerance, note=note
        ), nobody
    judged = {entry.name: judge.judged(entry, bind(entry), seed) for entry in entries}
    worst = max(judged, key=lambda attack: judged[attack].result.advantage_over_best_guess, default=None)
    column = AttributeColumn(
        kind=kind,
        prior=float(judge.prior.mean()),
        attacks={attack: judgement.result for attack, judgement in judged.items()},
        worst_attack=worst,
        tolerance=secret.tolerance,
        worst_group=None if worst is None else judge.worst_group(worst, judged[worst]),
    )
    if CLASS_ATTACK not in judged:
        return column, nobody
    return judge.with_certain(column)


def _with_secret_hidden(question: AttributeQuestion, name: str) -> AttributeQuestion:
    """Take the column asked about out of the known ones, where everything else is known."""
    if name not in question.known:
        return question
    columns = tuple(column for column in question.known if column != name)

    def hidden(asked: AskedPeople) -> AskedPeople:
        case = asked.case
        known, everybody = known_part(case.known, columns), known_part(case.everybody, columns)
        return replace(asked, case=replace(case, known=known, everybody=everybody, _cache={}))

    outsiders = None if question.outsiders is None else hidden(question.outsiders)
    return replace(question, members=hidden(question.members), outsiders=outsiders)
