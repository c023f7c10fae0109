"""The group of people about whom an attack learns most: those who share a value of a column with few values."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.audit.attributes.rates import advantage, advantage_interval
from icefire.core.scorecard.attributes import GroupAdvantage
from icefire.kernels.types import Bool, Float, Int

SMALLEST = 20
"""Groups of fewer people are not looked at."""
FEW_VALUES = 20
"""Columns of more different values make no groups."""


def worst_group(
    people: pl.DataFrame, attack: str, right: Bool, control: Bool, prior: Bool, control_people: pl.DataFrame | None
) -> GroupAdvantage | None:
    """Return the group whose advantage over the best guess is largest at the lower end of its interval.

    Args:
        people: Columns of the people asked about; those with few values make groups.
        attack: The attack whose answers these are.
        right: Whose value was guessed right.
        control: The same of the controls.
        prior: For whom the prior's guess is right.
        control_people: The same columns of the controls; None if they are the same people.

    Returns:
        None if no group is large enough.
    """
    best: tuple[float, str, str, Bool, Bool] | None = None
    for name in people.columns:
        values, codes, others = _numbered(people[name], None if control_people is None else control_people[name])
        if not 1 < len(values) <= FEW_VALUES:
            continue
        low = _lower_ends(len(values), codes, others, right, control, prior)
        value = int(np.argmax(low))
        if low[value] > (-np.inf if best is None else best[0]):
            best = float(low[value]), name, values[value], codes == value, others == value
    if best is None:
        return None
    _, name, value_name, inside, outside = best
    success, controlled = float(right[inside].mean()), float(control[outside].mean())
    baseline = max(controlled, float(prior[inside].mean()))
    return GroupAdvantage(
        column=name,
        value=value_name,
        people=int(inside.sum()),
        attack=attack,
        success=success,
        control=controlled,
        baseline=baseline,
        advantage=advantage(success, controlled),
        advantage_over_best_guess=advantage(success, baseline),
        advantage_over_best_guess_ci=advantage_interval(
            right[inside], control[outside], prior[inside], control_people is None
        ),
    )


def _numbered(values: pl.Series, others: pl.Series | None) -> tuple[list[str], Int, Int]:
    """Number the values of a column; returns them, and the number of each person and each control, -1 for missing."""
    joined = (values if others is None else pl.concat([values, others])).cast(pl.String)
    distinct = joined.drop_nulls().unique().sort()
    places = pl.DataFrame({"value": distinct, "number": np.arange(len(distinct))})
    numbers = joined.alias("value").to_frame().join(places, on="value", how="left", maintain_order="left")["number"]
    codes = numbers.fill_null(-1).to_numpy()
    return distinct.to_list(), codes[: len(values)], codes[: len(values)] if others is None else codes[len(values) :]


def _lower_ends(groups: int, codes: Int, others: Int, right: Bool, control: Bool, prior: Bool) -> Float:
    """Return roughly the lower end of the interval of each group's advantage; minus infinity for a small group."""
    people, controls = (np.bincount(part + 1, minlength=groups + 1)[1:] for part in (codes, others))
    large = (people >= SMALLEST) & (controls >= SMALLEST)
    success, expected, outside = (
        np.bincount(part + 1, event, groups + 1)[1:] / np.maximum(1, size)
        for part, event, size in ((codes, right, people), (codes, prior, people), (others, control, controls))
    )
    baseline = np.maximum(outside, expected)
    variance = success * (1 - success) / np.maximum(1, people) + baseline * (1 - baseline) / np.maximum(1, controls)
    left = np.maximum(1e-9, 1 - baseline)
    return np.where(large, np.where(baseline >= 1, 0.0, (success - baseline - 2 * np.sqrt(variance)) / left), -np.inf)
