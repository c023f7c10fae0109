"""A recipe in words: what each step does, to which columns, by which chance, and what it did to data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from icefire.core import formatting
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.parameters import Bounds, Parameter
from icefire.core.registry import Entry
from icefire.recipe import rehearsal
from icefire.recipe.adapters import StepEffect, adapter_of
from icefire.recipe.hints import hints
from icefire.recipe.preflight import check
from icefire.recipe.review import observed_hints
from icefire.recipe.steps import Recipe, Step, plain
from icefire.recipe.tables import EquivalenceClassCounts

FORMAT_VERSION = 1
SHARE = Bounds(0, 1)
FEW = 3
"""Columns named of a whole role; its title says the rest."""


class ExplainedParameter(msgspec.Struct, frozen=True):
    """One parameter of a step."""

    name: str
    value: Any
    words: str


class ExplainedStep(msgspec.Struct, frozen=True):
    """One step."""

    number: int
    method: str
    summary: str
    settings: list[ExplainedParameter]
    chance: str
    stream: list[str]
    """Labels of the stream it draws from; empty if it draws nothing."""
    rows: str
    """Whether rows can disappear."""
    effect: StepEffect | None = None
    """What it did to the data, if there were some."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A whole recipe."""

    format_version: int = FORMAT_VERSION
    seed: int
    table: str | None = None
    rows: int | None = None
    """Rows of the table at the start."""
    classes: EquivalenceClassCounts | None = None
    """Classes of the table at the start."""
    subjects: int | None = None
    """Subjects of the history at the start."""
    steps: list[ExplainedStep]
    hints: list[str]

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


def explain(recipe: Recipe, data: Dataset | History | None = None) -> Explanation:
    """Say what a recipe does; with data, run it and say what it did.

    Args:
        recipe: The recipe.
        data: A table or a history to try it on.

    Returns:
        The steps in words, and hints.
    """
    remarks = hints(recipe.numbered)
    if data is None:
        steps = [_step(number, step, recipe.seed) for number, step in recipe.numbered.items()]
        return Explanation(seed=recipe.seed, steps=steps, hints=[str(hint) for hint in remarks])
    check(data, recipe)
    adapter = adapter_of(data)
    effects = list(rehearsal.effects(data, recipe))
    roles = adapter.role_titles(data)
    numbered = zip(recipe.numbered.items(), effects, strict=True)
    return Explanation(
        seed=recipe.seed,
        table=data.name,
        rows=data.height,
        steps=[_step(number, step, recipe.seed, effect, roles) for (number, step), effect in numbered],
        hints=[str(hint) for hint in observed_hints(recipe, effects, remarks, data.kind)],
        **adapter.described(data),
    )


ColumnsByRole = Mapping[str, tuple[str, ...]]
"""Columns of whole roles, by what they are called."""


def _step(
    number: int, step: Step, seed: int, effect: StepEffect | None = None, roles: ColumnsByRole | None = None
) -> ExplainedStep:
    draws = effect.drew if effect else step.draws
    values = plain(step.parameters)
    settings = [
        ExplainedParameter(name, values[name], _words(step, parameter, effect, roles or {}))
        for name, parameter in step.entry.parameters.items()
    ]
    return ExplainedStep(
        number,
        step.name,
        step.entry.summary,
        settings,
        _chance(step, seed) if draws else "Draws nothing: the same table gives the same result.",
        list(step.stream) if draws else [],
        _ROWS[step.drops_rows],
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


def _words(step: Step, parameter: Parameter, effect: StepEffect | None, roles: ColumnsByRole) -> str:
    """Write the value of a parameter, and where nothing was given, what that means."""
    value = step.parameters[parameter.name]
    if parameter.is_names:
        names = effect.columns.get(parameter.name, value) if effect else value
        return default_words(step.entry, parameter.name) if names is None else column_words(names, roles)
    if value is None:
        return default_words(step.entry, parameter.name)
    text = formatting.plain(value)
    if parameter.bounds == SHARE:
        text += f" ({formatting.percent(value)})"
    return text + (", the default" if value == parameter.default else "")


def column_words(names: Iterable[str], roles: ColumnsByRole) -> str:
    """Name columns, and the role they fill if they are all of it."""
    listed = tuple(names)
    if not listed:
        return "none"
    what = next((title for title, columns in roles.items() if set(columns) == set(listed)), None)
    if what:
        return f"{what}: {', '.join(listed[:FEW])}" + (", …" if len(listed) > FEW else "")
    return f"{len(listed)} columns: {', '.join(listed)}" if len(listed) > 1 else listed[0]


def default_words(entry: Entry, name: str) -> str:
    """Say what it means that a parameter is not given, as the method declares it."""
    return entry.defaults.get(name, "not given")
