"""The scorecard in the terminal. Names come from other people's files, so they are never read as markup."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from icefire.core import formatting
from icefire.core.history import History
from icefire.core.scorecard import AttackResult, Roles, Scorecard
from icefire.core.scorecard.scores import Membership, Score
from icefire.report import history_words, membership_words, risk_words, words
from icefire.report.columns import Column, safe, table

TELLING = 5
"""Contributing columns named in the terminal; the page has all."""
STYLES = {True: "green", False: "red", None: "yellow"}


def show(card: Scorecard, console: Console) -> None:
    """Print everything a person needs before deciding; the HTML page has the rest."""
    if card.history is None:
        _print(console, _roles(card.roles))
    _print(console, _verdict(card))
    parts = (_limits(card), _standing(card), _attacks(card, console), _members(card, console), _measures(card, console))
    for part in parts:
        if part is not None:
            _print(console, part)
    notes = _notes(card)
    if notes:
        _print(console, Group(*notes))


def show_roles(roles: Roles, console: Console) -> None:
    """Print which column plays which role, and where that comes from."""
    listed = (
        ("Quasi-identifiers", roles.qi),
        ("Sensitive attributes", roles.sa),
        ("Identifiers", roles.id),
        ("Other", roles.other),
    )
    lines = [_note(f"{title} ({len(names)})", ", ".join(names)) for title, names in listed if names]
    _print(console, Group(*lines, _source(roles)))


def show_fields(data: History, console: Console) -> None:
    """Print what the columns of a history mean, and what was left out on reading."""
    meanings = ", ".join(f"{meaning} = {column}" for meaning, column in data.fields.present.items())
    lines = [_note("History", f"{data.subjects:,} customers, {data.height:,} rows"), _note("Columns", meanings)]
    if data.customers is not None:
        lines.append(_note("Customer table", ", ".join(data.customers.columns[1:]) or "no columns"))
    if data.dropped:
        lines.append(_note("Left out", f"{data.dropped:,} rows that could not be used", "yellow"))
    _print(console, Group(*lines))


def show_score(score: Score, console: Console) -> None:
    """Print how well one guess did."""
    lines = {
        "Rate": f"{formatting.percent(score.rate)}, 95 % interval {formatting.short_interval(score.ci)}",
        "Hits": f"{score.hits:,} of {score.targets:,} targets, {score.answered:,} answered",
        "By chance": formatting.percent(score.baseline),
    }
    more = {
        "Expected": score.expected,
        "Recall": score.recall,
        "Precision": score.precision,
        "Top k": score.top_k,
        **({} if score.membership is None else _membership(score.membership)),
    }
    lines |= {title: formatting.percent(share) for title, share in more.items() if share is not None}
    if score.membership is not None:
        final = formatting.number(score.membership.danger_final)
        lines["Danger"] = f"{formatting.number(score.membership.danger)}, by the final round's formula {final}"
    console.print(Group(*(_note(title, text) for title, text in lines.items())), highlight=False)


def _membership(score: Membership) -> dict[str, float]:
    return {
        "Balanced accuracy": score.balanced_accuracy,
        "Advantage": score.advantage,
    }


def _roles(roles: Roles) -> Group:
    many = {"quasi-identifiers": roles.qi, "sensitive": roles.sa, "identifiers": roles.id, "other": roles.other}
    counts = ", ".join(f"{len(names)} {title}" for title, names in many.items() if names)
    return Group(_note("Columns", counts or "none"), _source(roles))


def _source(roles: Roles) -> Text:
    return Text(safe(words.role_source(roles.source)), style="yellow" if words.inferred(roles.source) else "dim")


def _print(console: Console, part: RenderableType) -> None:
    console.print(part, highlight=False)
    console.print()


def _note(title: str, text: str, style: str = "") -> Text:
    return Text.assemble((f"{title}: ", "bold"), (safe(text), style), overflow="fold")


def _verdict(card: Scorecard) -> Panel:
    style = STYLES[card.verdict.passed]
    words_of_it = Text(overflow="fold")
    words_of_it.append(safe(card.verdict.headline), style=f"bold {style}")
    if card.verdict.text:
        words_of_it.append("\n" + safe(card.verdict.text))
    title = f"Verdict: {words.status(card.verdict.passed).lower()}"
    return Panel(words_of_it, title=title, title_align="left", border_style=style)


def _limits(card: Scorecard) -> RenderableType | None:
    lines = []
    for limit in card.limits:
        value, bound = words.limit_numbers(card, limit)
        text = Text.assemble((words.limit_result(limit), STYLES[limit.passed]), f": {bound}, found {value}")
        lines.append(Text.assemble((f"{safe(limit.name)} ", "bold"), text, overflow="fold"))
    return Group(Text("Limits", style="bold"), *lines) if lines else None


def _attacks(card: Scorecard, console: Console) -> RenderableType | None:
    ranked = words.ranked(card)
    if not ranked:
        return None
    names, results = [name for name, _ in ranked], [result for _, result in ranked]
    return table("Attacks", [Column("attack", names, 0, left=True), *_attack_columns(results)], console.width)


def _attack_columns(results: list[AttackResult]) -> list[Column]:
    """Columns in reading order; the higher the number, the sooner one is dropped when there is little room."""
    columns = [
        Column("code", [r.code for r in results], 4, left=True),
        Column("rate", [formatting.percent(r.rate) for r in results], 0),
        Column("95 % interval", [formatting.short_interval(r.ci) for r in results], 2),
        Column("hits/targets", [f"{formatting.count(r.hits)}/{formatting.count(r.targets)}" for r in results], 1),
        Column("answered", [formatting.count(r.answered) for r in results], 6),
        Column("by chance", [formatting.percent(r.baseline) for r in results], 3),
        Column("expected", ["" if r.expected is None else formatting.percent(r.expected) for r in results], 5),
        Column("seconds", [formatting.seconds(r.seconds) for r in results], 7),
    ]
    return [column for column in columns if any(column.cells)]


def _standing(card: Scorecard) -> RenderableType | None:
    if card.contest is None or not card.contest.figures:
        return None
    told = ", ".join(f"{name} {formatting.number(value)}" for name, value in card.contest.figures.items())
    return _note(card.contest.title, told)


def _members(card: Scorecard, console: Console) -> RenderableType | None:
    if card.membership is None or not card.membership.attacks:
        return None
    ranked = membership_words.ranked(card.membership)
    scores = [result.score for _, result in ranked]
    columns = [
        Column("attack", [name for name, _ in ranked], 0, left=True),
        Column("recall", [formatting.percent(s.recall) for s in scores], 1),
        Column("precision", [formatting.percent(s.precision) for s in scores], 1),
        Column("own row", [formatting.percent(s.top_k) for s in scores], 0),
        Column("advantage", [formatting.points(s.advantage) for s in scores], 2),
        Column("95 % interval", [formatting.short_interval(s.advantage_ci) for s in scores], 4),
        Column("danger", [formatting.number(s.danger) for s in scores], 3),
        Column("danger, final", [formatting.number(s.danger_final) for s in scores], 0),
    ]
    return table("Who is in the release", columns, console.width)


def _measures(card: Scorecard, console: Console) -> RenderableType | None:
    if not card.measures:
        return None
    results = list(card.measures.values())
    columns = [
        Column("measure", list(card.measures), 0, left=True),
        Column("code", [r.code for r in results], 1, left=True),
        Column("value", ["none" if r.value is None else formatting.number(r.value) for r in results], 0),
        Column("direction", [words.direction(r) for r in results], 2, left=True),
        Column("best", [r.best for r in results], 3),
    ]
    return table("Measures", columns, console.width)


def _notes(card: Scorecard) -> list[Text]:
    """The one-liners below the tables."""
    notes = [
        _note(f"{name} has no value", result.note, "yellow")
        for name, result in card.measures.items()
        if result.value is None and result.note
    ]
    if card.class_sizes:
        notes.append(_note("Class sizes", words.alone(card)))
    notes += [_note(title, told) for title, told in risk_words.lines(card).items()]
    if card.membership:
        notes += [_note(title, told) for title, told in membership_words.lines(card.membership).items()]
    if card.history:
        notes += [_note(title, told) for title, told in history_words.lines(card.history).items()]
    if card.contributions and card.contributions.columns:
        notes.append(_telling(card))
    if card.aya:
        warning = words.aya_warning(card)
        told = f"{words.farther(card, card.aya)} {words.credited(card, card.aya)}"
        notes += [_note("AYA check", told), *([_note("Warning", warning, "yellow")] if warning else [])]
    if card.provenance.in_original_order:
        notes.append(_note("Order", words.SHUFFLED))
    return notes + [_note(f"Left out {safe(name)}", reason) for name, reason in card.left_out.items()]


def _telling(card: Scorecard) -> Text:
    assert card.contributions
    best = [column for column in card.contributions.columns if column.gain > formatting.NOISE][:TELLING]
    listed = ", ".join(f"{column.column} {formatting.points(column.gain)}" for column in best)
    return _note("Columns that give people away (points of EUC1's rate)", listed or "none alone")
