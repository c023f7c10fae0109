"""A scorecard in the terminal: verdict, limits, tables of attacks and measures, and notes."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from icefire.core.formatting import bits, count, number, number_interval, percent, points, seconds, short_interval
from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.attributes import AttributeColumn
from icefire.report.sentences import (
    attackers,
    attacks,
    correspondence,
    criteria,
    hidden_values,
    histories,
    limits,
    linking,
    measures,
    membership,
    people,
    replay,
    risks,
    surveys,
    synthetic,
    usefulness,
    verdict,
)
from icefire.report.sentences import points as known_points
from icefire.report.text import roles
from icefire.report.text.notes import note, notes, safe
from icefire.report.text.tables import TextColumn, table
from icefire.words import said, said_text, t

COLUMNS_NAMED = 5
"""Contributing columns named in the terminal; the page has all."""
PEOPLE_NAMED = 3
STYLES = {True: "green", False: "red", None: "yellow"}


def show(card: Scorecard, console: Console, brief: bool = False) -> None:
    """Print everything a person needs before deciding, or the verdict and the limits alone; the page has the rest."""
    if brief:
        for part in (_verdict(card), _limits(card)):
            if part is not None:
                _print(console, part)
        return
    if card.history is None:
        _print(console, roles.counted(card.roles))
    _print(console, _verdict(card))
    for part in (
        _limits(card),
        _standing(card),
        _attackers(card, console),
        _attacks(card, console),
        _membership(card, console),
        _hidden_values(card, console),
        _criteria(card, console),
        _linking(card, console),
        _measures(card, console),
    ):
        if part is not None:
            _print(console, part)
    lines = _notes(card)
    if lines:
        _print(console, Group(*lines))


def _print(console: Console, part: RenderableType) -> None:
    console.print(part, highlight=False)
    console.print()


def _verdict(card: Scorecard) -> Panel:
    style = STYLES[card.verdict.passed]
    text = Text(overflow="fold")
    text.append(safe(card.verdict.headline), style=f"bold {style}")
    for line in verdict.lines(card.verdict):
        text.append("\n" + safe(line))
    title = t("numbers.title", title=said("Verdict")) + limits.status(card.verdict.passed).lower()
    return Panel(text, title=title, title_align="left", border_style=style)


def _limits(card: Scorecard) -> RenderableType | None:
    lines = []
    for limit in card.limits:
        value, bound = limits.numbers(card, limit)
        text = Text.assemble((limits.result(limit), STYLES[limit.passed]), t("limits.line", bound=bound, value=value))
        lines.append(Text.assemble((f"{safe(limit.name)} ", "bold"), text, overflow="fold"))
    return Group(Text(t("limits.title"), style="bold"), *lines) if lines else None


def _attackers(card: Scorecard, console: Console) -> RenderableType | None:
    listed = attackers.shown(card)
    if not listed:
        return None
    columns = [
        TextColumn("attacker", [one.name for one in listed], 0, left=True),
        TextColumn("rate", ["" if one.rate is None else percent(one.rate) for one in listed], 0),
        TextColumn("95 % interval", ["" if one.ci is None else short_interval(one.ci) for one in listed], 4),
        TextColumn("precision", ["" if one.precision is None else percent(one.precision) for one in listed], 1),
        TextColumn("best attack", [one.worst_attack or "" for one in listed], 3, left=True),
        TextColumn("members recognised at 1 %", [attackers.members_recognised(one) for one in listed], 0),
        TextColumn("most learned", [attackers.learned(one) for one in listed], 2),
        TextColumn("people", [count(one.people) for one in listed], 2),
        TextColumn("released", [count(one.targets) for one in listed], 5),
        TextColumn("columns", [count(len(one.columns)) for one in listed], 2),
    ]
    lines = [note(one.name, f"knows {one.words}") for one in listed]
    drawn = table(attackers.TITLE, [column for column in columns if any(column.cells)], console.width)
    return Group(drawn, *lines, Text(said_text(attackers.scope(card)), overflow="fold"))


def _attacks(card: Scorecard, console: Console) -> RenderableType | None:
    ranked = attacks.ranked(card)
    if not ranked:
        return None
    names, results = [name for name, _ in ranked], [result for _, result in ranked]
    title = f"Attacks of {safe(attackers.main(card))}" if attackers.shown(card) else "Attacks"
    return table(title, [TextColumn("attack", names, 0, left=True), *_attack_columns(results)], console.width)


def _attack_columns(results: list[AttackResult]) -> list[TextColumn]:
    """Columns in reading order; the higher the number, the sooner one is dropped when there is little room."""
    columns = [
        TextColumn("code", [r.code for r in results], 4, left=True),
        TextColumn("rate", [percent(r.rate) for r in results], 0),
        TextColumn("95 % interval", [short_interval(r.ci) for r in results], 2),
        TextColumn("hits/targets", [f"{count(r.hits)}/{count(r.targets)}" for r in results], 1),
        TextColumn("answered", [count(r.answered) for r in results], 6),
        TextColumn("by chance", [percent(r.baseline) for r in results], 3),
        TextColumn("expected", ["" if r.expected is None else percent(r.expected) for r in results], 5),
        TextColumn("seconds", [seconds(r.seconds) for r in results], 7),
    ]
    return [column for column in columns if any(column.cells)]


def _standing(card: Scorecard) -> RenderableType | None:
    if card.contest is None or not card.contest.figures:
        return None
    figures = ", ".join(f"{name} {number(value)}" for name, value in card.contest.figures.items())
    return note(card.contest.title, figures)


def _membership(card: Scorecard, console: Console) -> RenderableType | None:
    if card.membership is None or not card.membership.attacks:
        return None
    ranked = membership.ranked(card.membership)
    results = [result for _, result in ranked]
    columns = [
        TextColumn("attack", [name for name, _ in ranked], 0, left=True),
        TextColumn("recognised at 1 %", [percent(r.tpr_at_fpr["0.01"]) for r in results], 0),
        TextColumn("95 % interval", [short_interval(r.tpr_at_fpr_ci["0.01"]) for r in results], 1),
        TextColumn("at 0.1 %", [percent(r.tpr_at_fpr["0.001"]) for r in results], 2),
        TextColumn("AUC", [number(r.auc, 3) for r in results], 0),
        TextColumn("95 % interval", [number_interval(r.auc_ci) for r in results], 3),
        TextColumn("advantage", [points(r.advantage) for r in results], 4),
    ]
    by_scores = table("Who is in the release", columns, console.width)
    named = membership.naming_rows(card.membership)
    return Group(by_scores, Text(), _rows_named(named, console)) if named else by_scores


def _rows_named(ranked: membership.RankedScores, console: Console) -> RenderableType:
    scores = [score for _, score in ranked]
    columns = [
        TextColumn("attack", [name for name, _ in ranked], 0, left=True),
        TextColumn("recall", [percent(s.recall) for s in scores], 1),
        TextColumn("precision", [percent(s.precision) for s in scores], 1),
        TextColumn("own row", [percent(s.top_k) for s in scores], 0),
        TextColumn("advantage", [points(s.advantage) for s in scores], 2),
        TextColumn("95 % interval", [short_interval(s.advantage_ci) for s in scores], 4),
        TextColumn("danger", [number(s.danger) for s in scores], 3),
        TextColumn("danger, final", [number(s.danger_final) for s in scores], 0),
    ]
    return table("Which row is theirs", columns, console.width)


def _linking(card: Scorecard, console: Console) -> RenderableType | None:
    if card.linking is None or not card.linking.attacks:
        return None
    scores = [result.score for result in card.linking.attacks.values()]
    columns = [
        TextColumn("attack", list(card.linking.attacks), 0, left=True),
        TextColumn("recall", [percent(s.recall) for s in scores], 0),
        TextColumn("95 % interval", [short_interval(s.recall_ci) for s in scores], 3),
        TextColumn("linked/present", [f"{count(s.linked)}/{count(s.present)}" for s in scores], 1),
        TextColumn("precision", [percent(s.precision) for s in scores], 2),
        TextColumn("right/answered", [f"{count(s.right)}/{count(s.answered)}" for s in scores], 4),
        TextColumn("by chance", [percent(s.chance) for s in scores], 1),
    ]
    return table("Pseudonyms linked from one period to the next", columns, console.width)


def _hidden_values(card: Scorecard, console: Console) -> RenderableType | None:
    judged = [(name, column, hidden_values.worst(column)) for name, column in _sensitive(card)]
    rows = [(name, column, result) for name, column, result in judged if result is not None]
    if not rows:
        return None
    columns = [
        TextColumn("column", [name for name, _, _ in rows], 0, left=True),
        TextColumn("attack", [column.worst_attack or "" for _, column, _ in rows], 1, left=True),
        TextColumn("prior", [percent(column.prior) for _, column, _ in rows], 3),
        TextColumn("right", [percent(result.success) for _, _, result in rows], 0),
        TextColumn("control", [percent(result.control) for _, _, result in rows], 0),
        TextColumn("advantage", [percent(result.advantage) for _, _, result in rows], 0),
        TextColumn("over best guess", [percent(result.advantage_over_best_guess) for _, _, result in rows], 2),
        TextColumn("95 % interval", [short_interval(result.advantage_over_best_guess_ci) for _, _, result in rows], 4),
        TextColumn("certain", [percent(column.certain_known) for _, column, _ in rows], 0),
        TextColumn("l", ["" if column.distinct_l is None else str(column.distinct_l) for _, column, _ in rows], 5),
        TextColumn("t", ["" if column.t is None else number(column.t, 2) for _, column, _ in rows], 5),
    ]
    return table("Hidden values", columns, console.width)


def _sensitive(card: Scorecard) -> list[tuple[str, AttributeColumn]]:
    return [] if card.attributes is None else list(card.attributes.columns.items())


def _criteria(card: Scorecard, console: Console) -> RenderableType | None:
    if card.criteria is None:
        return None
    rows = card.criteria.criteria
    columns = [
        TextColumn("criterion", [said(row.name) for row in rows], 0, left=True),
        TextColumn("value", [t("numbers.none") if row.value is None else percent(row.value) for row in rows], 0),
        TextColumn("control", ["" if row.control is None else percent(row.control) for row in rows], 0),
        TextColumn("advantage", ["" if row.advantage is None else percent(row.advantage) for row in rows], 2),
        TextColumn("limit", [said(criteria.limit(row)) for row in rows], 1, left=True),
    ]
    return table(criteria.TITLE, columns, console.width)


def _measures(card: Scorecard, console: Console) -> RenderableType | None:
    if not card.measures:
        return None
    results = list(card.measures.values())
    columns = [
        TextColumn("measure", list(card.measures), 0, left=True),
        TextColumn("code", [r.code for r in results], 1, left=True),
        TextColumn("value", [t("numbers.none") if r.value is None else number(r.value) for r in results], 0),
        TextColumn("direction", [said(measures.direction(r)) for r in results], 2, left=True),
        TextColumn("best", [said(r.best) for r in results], 3),
    ]
    return table("Measures", columns, console.width)


def _notes(card: Scorecard) -> list[Text]:
    """The one-liners below the tables."""
    lines = _people(card)
    lines += [
        note(f"{name} has no value", result.note, "yellow")
        for name, result in card.measures.items()
        if result.value is None and result.note
    ]
    if card.usefulness and card.usefulness.distances:
        lines.append(note("Distributions that moved most", usefulness.most_moved(card.usefulness.distances)))
    task = card.measures.get("task_score")
    if task is not None and task.value is not None:
        lines.append(note("Task", task.note))
    if card.class_sizes:
        lines.append(note("Class sizes", measures.alone(card)))
    lines += notes(risks.lines(card))
    if card.risks:
        lines += notes(surveys.lines(card.risks.weighted, card.risks.household, card.risks.keys))
    lines += notes(surveys.lost(card.usefulness))
    if card.synthetic:
        lines += notes(synthetic.lines(card.synthetic))
    if card.membership:
        lines += notes(membership.lines(card.membership))
    if card.attributes:
        lines += notes(hidden_values.lines(card.attributes))
    if card.history:
        lines += notes(histories.lines(card.history))
    if card.linking:
        lines += notes(linking.lines(card.linking))
    if card.points:
        lines += notes(known_points.lines(card.points))
    if card.replay:
        lines.insert(0, note(replay.TITLE, replay.line(card)))
    lines += _aya(card)
    if "engine" in card.provenance.software:
        lines.append(note("Engine", card.provenance.software["engine"]))
    if card.provenance.in_original_order:
        lines.append(note("Order", correspondence.SHUFFLED))
    return lines + [note(f"Left out {name}", reason) for name, reason in card.left_out.items()]


def _aya(card: Scorecard) -> list[Text]:
    """The AYA check matters where the correspondence is in doubt; an honest release has nothing to learn from it."""
    warning = correspondence.warning(card)
    if card.aya is None or not warning:
        return []
    check = f"{correspondence.farther(card, card.aya)} {correspondence.credited(card, card.aya)}"
    return [note("AYA check", check), note("Warning", warning, "yellow")]


def _people(card: Scorecard) -> list[Text]:
    """Who is recognised, and by which columns."""
    lines = [note("People", people.recognised(card))] if card.recognition else []
    if card.at_risk:
        one, named = "row" if card.history is None else "customer", card.at_risk[:PEOPLE_NAMED]
        listed = ", ".join(said(f"{one} {count(person.original_row)} {percent(person.risk)}") for person in named)
        values = people.by_what(card.at_risk[0])
        lines.append(note("At highest risk", t("page.people_by", people=listed, values=values)))
    if card.learned_columns:
        lines.append(_learned_columns(card))
    return lines


def _learned_columns(card: Scorecard) -> Text:
    telling = [column for column in card.learned_columns if column.bits > 0][:COLUMNS_NAMED]
    listed = ", ".join(f"{column.column} {bits(column.bits)}" for column in telling)
    return note("Columns that give people away (bits)", listed or "none; nothing was learned about any column")
