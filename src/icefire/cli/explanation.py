"""An explained recipe in the terminal."""

from __future__ import annotations

import textwrap

from rich.console import Console, RenderableType
from rich.text import Text

from icefire.core.formatting import count
from icefire.recipe.explain import Explained, Explanation
from icefire.recipe.history_rehearsal import HistoryEffect
from icefire.recipe.rehearsal import Classes, Effect
from icefire.report.columns import Column, safe, table

INDENT = "   "


def show(found: Explanation, console: Console) -> None:
    """Print the steps in words and, if there was a table, what happened to it."""
    many = f"{len(found.steps)} step{'s' if len(found.steps) > 1 else ''}"
    lines = [f"A recipe of {many}, seed {found.seed}", ""]
    for step in found.steps:
        lines += [*_step(step, console.width), ""]
    console.print(Text("\n".join(safe(line) for line in lines)), soft_wrap=True)
    if found.rows is not None:
        console.print((_table if found.subjects is None else _history_table)(found, console.width))
        console.print()
    for hint in found.hints:
        console.print(Text(f"hint: {safe(hint)}"))


def _step(step: Explained, width: int) -> list[str]:
    lines = [f"{step.number}. {step.method}", *_wrapped(step.summary, width)]
    label = max((len(setting.name) for setting in step.settings), default=0)
    for setting in step.settings:
        start = f"{INDENT}  {setting.name:<{label}}  "
        lines += _wrapped(setting.words, width, start, " " * len(start))
    lines += _wrapped(f"{step.chance} {step.rows}", width)
    return lines + (_wrapped(_happened(step.effect), width) if step.effect else [])


def _wrapped(text: str, width: int, first: str = INDENT, rest: str = INDENT) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _happened(effect: Effect | HistoryEffect) -> str:
    """Say what a step did to the data."""
    if isinstance(effect, HistoryEffect):
        return _happened_to_history(effect)
    said = []
    if effect.dropped:
        said.append(f"{count(effect.dropped)} rows were left out")
    if effect.rows_changed:
        said.append(f"{count(effect.rows_changed)} of {count(effect.rows)} rows changed; {_cells(effect)}")
    if effect.traded:
        said.append(f"{count(effect.traded)} rows kept every value and claim another origin")
    return f"Here {', and '.join(said) or 'nothing changed'}."


def _happened_to_history(effect: HistoryEffect) -> str:
    counted = {"added": effect.added, "left out": effect.dropped, "changed": effect.changed}
    said = [f"{count(number)} rows were {what}" for what, number in counted.items() if number]
    said += ["the customer table changed"] if effect.profile_changed else []
    return f"Here {', and '.join(said) or 'no row changed'}."


def _cells(effect: Effect) -> str:
    """Count the changed cells by column, most first."""
    cells = effect.cells_changed
    if len(cells) > 1 and len(set(cells.values())) == 1:
        return f"cells changed: {count(next(iter(cells.values())))} in each of {', '.join(cells)}"
    ranked = sorted(cells.items(), key=lambda item: -item[1])
    return "cells changed: " + ", ".join(f"{name} {count(number)}" for name, number in ranked)


def _table(found: Explanation, width: int) -> RenderableType:
    """Draw the rows and classes after each step."""
    effects = [step.effect for step in found.steps if isinstance(step.effect, Effect)]
    classes = [found.classes, *(effect.classes for effect in effects)]
    names = ["before", *(f"{step.number} {step.method}" for step in found.steps)]
    columns = [
        Column("after step", names, 0, left=True),
        Column("rows", [count(found.rows or 0), *(count(effect.rows) for effect in effects)], 0),
        Column("left out", ["", *(count(effect.dropped) for effect in effects)], 1),
        Column("changed", ["", *(count(effect.rows_changed) for effect in effects)], 1),
        Column("cells", ["", *(count(sum(effect.cells_changed.values())) for effect in effects)], 2),
        Column("classes", [_of(c, "count") for c in classes], 2),
        Column("smallest", [_of(c, "smallest") for c in classes], 1),
        Column("alone", [_of(c, "alone") for c in classes], 2),
    ]
    return table(f"What the steps did to {safe(found.table or 'the table')}", columns, width)


def _history_table(found: Explanation, width: int) -> RenderableType:
    """Draw rows, customers and how many are alone after each step."""
    effects = [step.effect for step in found.steps if isinstance(step.effect, HistoryEffect)]
    columns = [
        Column("after step", ["before", *(f"{step.number} {step.method}" for step in found.steps)], 0, left=True),
        Column("rows", [count(found.rows or 0), *(count(effect.rows) for effect in effects)], 0),
        Column("added", ["", *(count(effect.added) for effect in effects)], 1),
        Column("left out", ["", *(count(effect.dropped) for effect in effects)], 1),
        Column("changed", ["", *(count(effect.changed) for effect in effects)], 1),
        Column("customers", [count(found.subjects or 0), *(count(effect.subjects) for effect in effects)], 1),
        Column("sets", ["", *(count(effect.sets) for effect in effects)], 2),
        Column("alone", ["", *(count(effect.alone) for effect in effects)], 2),
    ]
    return table(f"What the steps did to {safe(found.table or 'the history')}", columns, width)


def _of(classes: Classes | None, what: str) -> str:
    return count(getattr(classes, what)) if classes else ""
