"""An explained recipe: its steps in words, and what they did to the data."""

from __future__ import annotations

import textwrap

from rich.console import Console, RenderableType
from rich.text import Text

from icefire.core.formatting import count, counted
from icefire.recipe.adapters import StepEffect
from icefire.recipe.explain import ExplainedStep, Explanation
from icefire.recipe.histories import HistoryEffect
from icefire.recipe.tables import EquivalenceClassCounts, TableEffect
from icefire.report.text.notes import safe
from icefire.report.text.tables import TextColumn, table

INDENT = "   "


def show(explanation: Explanation, console: Console) -> None:
    """Print the steps in words and, if there was a table, what happened to it."""
    many = f"{len(explanation.steps)} step{'s' if len(explanation.steps) > 1 else ''}"
    lines = [f"A recipe of {many}, seed {explanation.seed}", ""]
    for step in explanation.steps:
        lines += [*_step(step, console.width), ""]
    console.print(Text("\n".join(safe(line) for line in lines)), soft_wrap=True)
    if explanation.rows is not None:
        console.print((_table if explanation.subjects is None else _history_table)(explanation, console.width))
        console.print()
    for hint in explanation.hints:
        console.print(Text(f"hint: {safe(hint)}"))


def _step(step: ExplainedStep, width: int) -> list[str]:
    lines = [f"{step.number}. {step.method}", *_wrapped(step.summary, width)]
    label = max((len(setting.name) for setting in step.settings), default=0)
    for setting in step.settings:
        start = f"{INDENT}  {setting.name:<{label}}  "
        lines += _wrapped(setting.words, width, start, " " * len(start))
    lines += _wrapped(f"{step.chance} {step.rows}", width)
    return lines + (_wrapped(_changes(step.effect), width) if step.effect else [])


def _wrapped(text: str, width: int, first: str = INDENT, rest: str = INDENT) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _changes(effect: StepEffect) -> str:
    """Say what a step did to the data."""
    if isinstance(effect, HistoryEffect):
        return _history_changes(effect)
    changes = []
    if effect.dropped:
        changes.append(f"{_rows_were(effect.dropped)} left out")
    if effect.rows_changed:
        changes.append(f"{count(effect.rows_changed)} of {count(effect.rows)} rows changed; {_cells(effect)}")
    if effect.traded:
        changes.append(f"{counted(effect.traded, 'row')} kept every value and claimed another origin")
    return f"Here {', and '.join(changes) or 'nothing changed'}."


def _history_changes(effect: HistoryEffect) -> str:
    rows = {"added": effect.added, "left out": effect.dropped, "changed": effect.changed}
    changes = [f"{_rows_were(number)} {what}" for what, number in rows.items() if number]
    changes += ["the customer table changed"] if effect.profile_changed else []
    return f"Here {', and '.join(changes) or 'no row changed'}."


def _rows_were(number: int) -> str:
    return f"{counted(number, 'row')} {'was' if number == 1 else 'were'}"


def _cells(effect: TableEffect) -> str:
    """Count the changed cells by column, most first."""
    cells = effect.cells_changed
    if len(cells) > 1 and len(set(cells.values())) == 1:
        return f"cells changed: {count(next(iter(cells.values())))} in each of {', '.join(cells)}"
    ranked = sorted(cells.items(), key=lambda item: -item[1])
    return "cells changed: " + ", ".join(f"{name} {count(number)}" for name, number in ranked)


def _table(explanation: Explanation, width: int) -> RenderableType:
    """Draw the rows and classes after each step."""
    effects = [step.effect for step in explanation.steps if isinstance(step.effect, TableEffect)]
    classes = [explanation.classes, *(effect.classes for effect in effects)]
    names = ["before", *(f"{step.number} {step.method}" for step in explanation.steps)]
    columns = [
        TextColumn("after step", names, 0, left=True),
        TextColumn("rows", [count(explanation.rows or 0), *(count(effect.rows) for effect in effects)], 0),
        TextColumn("left out", ["", *(count(effect.dropped) for effect in effects)], 1),
        TextColumn("changed", ["", *(count(effect.rows_changed) for effect in effects)], 1),
        TextColumn("cells", ["", *(count(sum(effect.cells_changed.values())) for effect in effects)], 2),
        TextColumn("classes", [_count(c, "count") for c in classes], 2),
        TextColumn("smallest", [_count(c, "smallest") for c in classes], 1),
        TextColumn("alone", [_count(c, "alone") for c in classes], 2),
    ]
    return table(f"What the steps did to {safe(explanation.table or 'the table')}", columns, width)


def _history_table(explanation: Explanation, width: int) -> RenderableType:
    """Draw rows, customers and how many are alone after each step."""
    effects = [step.effect for step in explanation.steps if isinstance(step.effect, HistoryEffect)]
    columns = [
        TextColumn(
            "after step", ["before", *(f"{step.number} {step.method}" for step in explanation.steps)], 0, left=True
        ),
        TextColumn("rows", [count(explanation.rows or 0), *(count(effect.rows) for effect in effects)], 0),
        TextColumn("added", ["", *(count(effect.added) for effect in effects)], 1),
        TextColumn("left out", ["", *(count(effect.dropped) for effect in effects)], 1),
        TextColumn("changed", ["", *(count(effect.changed) for effect in effects)], 1),
        TextColumn("customers", [count(explanation.subjects or 0), *(count(effect.subjects) for effect in effects)], 1),
        TextColumn("sets", ["", *(count(effect.sets) for effect in effects)], 2),
        TextColumn("alone", ["", *(count(effect.alone) for effect in effects)], 2),
    ]
    return table(f"What the steps did to {safe(explanation.table or 'the history')}", columns, width)


def _count(classes: EquivalenceClassCounts | None, name: str) -> str:
    return count(getattr(classes, name)) if classes else ""
