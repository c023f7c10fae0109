"""What a notebook shows of audits, scorecards, verdicts and scores."""

from __future__ import annotations

from icefire.audit.run import Audit
from icefire.core.formatting import count, counted, number, number_interval, percent, short_interval
from icefire.core.option_names import in_words_of_surface
from icefire.core.scorecard import Scorecard, Verdict
from icefire.core.scorecard.scores import MembershipScores, Score
from icefire.report.notebook.fragment import Fragment, FragmentTable, NumberCell, ShareBar
from icefire.report.sentences import attacks, limits, verdict
from icefire.words import said, t

ALARMS = "0.01"
"""Share of the outsiders who are taken for members."""


def audit_fragment(audit: Audit) -> Fragment:
    """Show the scorecard, and what else an audit holds."""
    card = scorecard_fragment(audit.scorecard)
    return Fragment(
        card.title, card.state, card.points, card.lines, card.tables, f"{card.note} {t('notebook.records')}"
    )


def scorecard_fragment(card: Scorecard) -> Fragment:
    """Show the verdict with its reasons, the limits, the attacks and the measures."""
    judged = verdict_fragment(card.verdict)
    tables = (_limits(card), _attacks(card), _members(card), _measures(card))
    return Fragment(judged.title, judged.state, judged.points, judged.lines, tables, _source(card))


def verdict_fragment(judged: Verdict) -> Fragment:
    """Show the outcome, each reason, what the attacks achieved and what was lost."""
    lines = (verdict.achieved(judged), judged.lost, verdict.policy(judged))
    return Fragment(
        judged.headline,
        judged.state,
        [in_words_of_surface(reason.text) for reason in judged.reasons],
        [in_words_of_surface(line) for line in lines if line],
    )


def score_fragment(score: Score) -> Fragment:
    """Show how many answers were right, beside random guesses; of scores alone, how well they tell members."""
    if score.scores is not None and score.membership is None:
        return _scores_fragment(score.scores)
    title = f"{count(score.hits)} of {count(score.targets)} right: {percent(score.rate)}"
    more = {"recall": score.recall, "precision": score.precision, "right row among the answers": score.top_k}
    rows = [("95 % interval", NumberCell(short_interval(score.ci))), ("random guesses", _percent(score.baseline))]
    rows += [(name, _percent(share)) for name, share in more.items() if share is not None]
    return Fragment(title, tables=[FragmentTable("", ("", ""), rows)])


def _scores_fragment(scores: MembershipScores) -> Fragment:
    title = f"{count(scores.members)} members and {count(scores.outsiders)} outsiders: AUC {number(scores.auc)}"
    rows = [
        ("95 % interval", NumberCell(number_interval(scores.auc_ci))),
        *((f"recognised at {float(at) * 100:g} %", _percent(share)) for at, share in scores.tpr_at_fpr.items()),
        ("advantage", _percent(scores.advantage)),
    ]
    return Fragment(title, tables=[FragmentTable("", ("", ""), rows)])


def _bar(share: float) -> ShareBar:
    return ShareBar(share, percent(share))


def _percent(share: float) -> NumberCell:
    return NumberCell(percent(share))


def _limits(card: Scorecard) -> FragmentTable:
    rows = []
    for limit in card.limits:
        value, allowed = limits.numbers(card, limit)
        rows.append((limit.name, NumberCell(value), NumberCell(allowed), limits.result(limit)))
    return FragmentTable("Limits", ("limit on", "value", "allowed", ""), rows)


def _attacks(card: Scorecard) -> FragmentTable:
    unit = attacks.unit(card)
    rows = [
        (
            name,
            _bar(result.rate),
            NumberCell(short_interval(result.ci)),
            _percent(result.baseline),
        )
        for name, result in attacks.ranked(card)
    ]
    return FragmentTable(
        "Attacks", ("attack", t("notebook.identified", units=unit), "95 % interval", "random guesses"), rows
    )


def _members(card: Scorecard) -> FragmentTable:
    results = {} if card.membership is None else card.membership.attacks
    rows = [
        (
            name,
            _bar(result.tpr_at_fpr[ALARMS]),
            NumberCell(number(result.auc, 3)),
        )
        for name, result in results.items()
    ]
    return FragmentTable("Membership", ("attack", "members recognised at 1 % false alarms", "AUC"), rows)


def _measures(card: Scorecard) -> FragmentTable:
    rows = [
        (
            name,
            result.code,
            NumberCell(t("numbers.none") if result.value is None else number(result.value)),
            said(result.better),
        )
        for name, result in card.measures.items()
    ]
    return FragmentTable(counted(len(rows), "measure"), ("measure", "code", "value", "better"), rows, folded=True)


def _source(card: Scorecard) -> str:
    source = card.provenance
    return t(
        "notebook.source",
        released=source.released.name,
        rows=source.released.rows,
        original=source.original.name,
        people=source.original.rows,
        version=source.version,
    )
