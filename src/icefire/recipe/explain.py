"""A recipe in words: what each step does, to which columns, by which chance, and what it did to a table."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from icefire.core import formatting
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.parameters import Bounds, Parameter
from icefire.core.registry import Entry
from icefire.recipe import Recipe, Step, check, habits, histories, history_rehearsal, rehearsal
from icefire.recipe.hints import hints
from icefire.recipe.history_rehearsal import HistoryEffect
from icefire.recipe.rehearsal import Classes, Effect
from icefire.recipe.reviewing import measured
from icefire.recipe.steps import plain

FORMAT_VERSION = 1
SHARE = Bounds(0, 1)
FEW = 3
"""Columns named of a whole role; its title says the rest."""


class Setting(msgspec.Struct, frozen=True):
    """One parameter of a step."""

    name: str
    value: Any
    words: str


class Explained(msgspec.Struct, frozen=True):
    """One step."""

    number: int
    method: str
    summary: str
    settings: list[Setting]
    chance: str
    stream: list[str]
    """Labels of the stream it draws from; empty if it draws nothing."""
    rows: str
    """Whether rows can disappear."""
    effect: Effect | HistoryEffect | None = None
    """What it did to the data, if there were some."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A whole recipe."""

    format_version: int = FORMAT_VERSION
    seed: int
    table: str | None = None
    rows: int | None = None
    """Rows of the table at the start."""
    classes: Classes | None = None
    """Classes of the table at the start."""
    subjects: int | None = None
    """Subjects of the history at the start."""
    steps: list[Explained]
    hints: list[str]

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


def explain(recipe: Recipe, data: Dataset | History | None = None) -> Explanation:
    """Say what a recipe does; with data, run it and say what it did."""
    if isinstance(data, History):
        return _explain_history(recipe, data)
    remarks = hints(dict(enumerate(recipe.steps, 1)))
    if data is None:
        steps = [_step(number, step, recipe.seed) for number, step in enumerate(recipe.steps, 1)]
        return Explanation(seed=recipe.seed, steps=steps, hints=[str(hint) for hint in remarks])
    check(data, recipe)
    effects = list(rehearsal.walk(data, recipe))
    told = enumerate(zip(recipe.steps, effects, strict=True), 1)
    return Explanation(
        seed=recipe.seed,
        table=data.name,
        rows=data.height,
        classes=rehearsal.classes(data),
        steps=[_step(number, step, recipe.seed, effect, data) for number, (step, effect) in told],
        hints=[str(hint) for hint in measured(recipe, effects, remarks)],
    )


def _explain_history(recipe: Recipe, data: History) -> Explanation:
    for fault in histories.faults(data, dict(enumerate(recipe.steps, 1))):
        raise fault.as_error()
    told = enumerate(zip(recipe.steps, history_rehearsal.walk(data, recipe), strict=True), 1)
    return Explanation(
        seed=recipe.seed,
        table=data.name,
        rows=data.height,
        subjects=data.subjects,
        steps=[_step(number, step, recipe.seed, effect) for number, (step, effect) in told],
        hints=[],
    )


def _step(
    number: int,
    step: Step,
    seed: int,
    effect: Effect | HistoryEffect | None = None,
    data: Dataset | None = None,
) -> Explained:
    draws = effect.drew if effect else habits.draws(step)
    values = plain(step.parameters)
    settings = [
        Setting(name, values[name], _words(step, parameter, effect, data))
        for name, parameter in step.entry.parameters.items()
    ]
    return Explained(
        number,
        step.entry.name,
        step.entry.summary,
        settings,
        _chance(step, seed) if draws else "Draws nothing: the same table gives the same result.",
        list(step.stream) if draws else [],
        _ROWS[habits.drops(step)],
        effect,
    )


_ROWS = {
    True: "Rows can disappear.",
    False: "No row disappears.",
    None: "Whether rows disappear is not known before it runs.",
}


def _chance(step: Step, seed: int) -> str:
    """Name the stream by a few digits; it is the step itself, so nobody else's draws come from it."""
    name = hashlib.sha256(step.key.encode()).hexdigest()[:8]
    return f"Draws at random from its own stream {name} of seed {seed}."


def _words(step: Step, parameter: Parameter, effect: Effect | HistoryEffect | None, data: Dataset | None) -> str:
    """Write the value of a parameter, and where nothing was given, what that means."""
    value = step.parameters[parameter.name]
    if parameter.many:
        names = effect.columns.get(parameter.name, value) if isinstance(effect, Effect) else value
        return default(step.entry, parameter.name) if names is None else columns(names, data)
    if value is None:
        return default(step.entry, parameter.name)
    text = formatting.plain(value)
    if parameter.bounds == SHARE:
        text += f" ({formatting.percent(value)})"
    return text + (", the default" if value == parameter.default else "")


def columns(names: Iterable[str], data: Dataset | None = None) -> str:
    """Name columns, and the role they fill if they are all of it."""
    listed = tuple(names)
    if not listed:
        return "none"
    whole = {} if data is None else _groups(data)
    what = next((title for title, group in whole.items() if set(group) == set(listed)), None)
    if what:
        return f"{what}: {', '.join(listed[:FEW])}" + (", …" if len(listed) > FEW else "")
    return f"{len(listed)} columns: {', '.join(listed)}" if len(listed) > 1 else listed[0]


def _groups(data: Dataset) -> dict[str, tuple[str, ...]]:
    titles = {
        "quasi-identifiers": data.qi,
        "sensitive attributes": data.sa,
        "numeric sensitive attributes": data.numeric_sa,
    }
    return {f"all {len(names)} {title}": names for title, names in titles.items() if len(names) > 1}


def default(entry: Entry, name: str, otherwise: str = "not given") -> str:
    """Read off the docstring what a parameter defaults to: "`x` default to …" or "`x` (default …)"."""
    text = " ".join((entry.function.__doc__ or "").split())
    others = r"(?:, `\w+`| and `\w+`)*"
    found = re.search(rf"`{name}`{others}(?:[^.`(]* \(default:? ([^)]*)\)| defaults? to ([^.;:]*))", text)
    return next((part.strip() for part in found.groups() if part), otherwise) if found else otherwise
