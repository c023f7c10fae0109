"""Likely recipes of a release, for an attacker who was not told the recipe: read from the values of both tables.

Each step is tried on the original and kept if the released rows then agree with it clearly better than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from icefire.core import align, blocks, seeds
from icefire.core.dataset import Dataset, numbers
from icefire.core.errors import IcefireError
from icefire.core.schema import Column, Kind, Role
from icefire.kernels.types import Float
from icefire.recipe.load import load
from icefire.recipe.steps import Recipe, Step

StepTable = Mapping[str, Any]
"""A step as a recipe file has it."""

FITS, BETTER = 0.3, 0.1
"""A step is likely if this share of the released rows agrees with a row of the copy, so much more than before it."""
ENOUGH = 0.95
"""With so much agreement nothing else is tried."""
SUPPRESSED = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Shares of rows that full-domain generalisation may have been allowed to leave out."""
USUAL_K = (2, 3, 5, 10)
LARGEST_CLASS = 200
"""Larger classes are no sign of a k: few values make them by themselves."""
BASES = tuple(m * 10.0**e for e in range(7, -4, -1) for m in (5.0, 2.0, 1.0))
REPEATED = 0.01
"""Share of the values that must be the largest one for it to be a limit that others were clipped to."""
DIGITS = 10


def likely_recipes(original: Dataset, released: pl.DataFrame) -> list[Recipe]:
    """Guess which steps that draw nothing a release went through.

    Args:
        original: The original, as it was read.
        released: The release, with every column it has.

    Returns:
        All likely steps as one recipe, and each kind of step alone; none if no step is likely.
    """
    names = [c.name for c in original.schema.columns if c.role in (Role.QI, Role.SA) and c.name in released.columns]
    qi = [name for name in original.qi if name in names]
    amounts = [name for name in original.numeric_sa if name in names and released[name].dtype.is_numeric()]
    constant = list(_constant_columns(original.frame, released, qi))
    blank: list[StepTable] = [{"method": "suppress_columns", "columns": constant}] if constant else []
    grouped = _best(original, released, _class_steps(original, released, qi, blank), qi)
    limited = [step for name in amounts for step in _limit_step(original, released, name)]
    rounding = list(_rounding_steps(original.frame, released, amounts))
    averaged = _best(
        _applied(original, [*limited, *grouped]), released, _amount_steps(released, qi, amounts, rounding), amounts
    )
    spread = averaged or rounding
    versions = [[*limited, *(grouped or blank), *spread], grouped, [*limited, *spread]]
    distinct = {str(steps): steps for steps in versions if steps}
    return [load({"steps": [dict(step) for step in steps]}) for steps in distinct.values()]


def _constant_columns(original: pl.DataFrame, released: pl.DataFrame, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if released[name].n_unique() == 1 < original[name].n_unique():
            yield name


def _class_steps(
    original: Dataset, released: pl.DataFrame, qi: Sequence[str], blank: Sequence[StepTable]
) -> Iterator[list[StepTable]]:
    """Steps that make classes of at least as many rows as the smallest class of the release.

    Columns of one value may have been blanked before, or have become so by the step itself.
    """
    if not qi:
        return
    k = int(blocks.class_sizes(released, qi).min())
    lost = 1 - released.height / original.height
    has_k = 1 < k <= LARGEST_CLASS
    steps: list[StepTable] = []
    if any(released[name].null_count() > original.frame[name].null_count() for name in qi):
        # Blank cells that count as a value leave classes of k rows; those that match anything do not.
        counted = {"suppressed": "own_value" if has_k else "wildcard"}
        steps += [{"method": "local_suppress", "k": least, **counted} for least in ((k,) if has_k else USUAL_K)]
    if has_k:
        steps.append({"method": "k_anonymize", "k": k})
        if lost:
            steps.append({"method": "suppress_rows", "k": k})
        if blank or any(_is_relabelled(original.frame[name], released[name]) for name in qi):
            full = {"method": "k_anonymize", "k": k, "mode": "full_domain"}
            allowed = [share for share in SUPPRESSED if share >= lost][: 2 if lost else 1]
            steps += [{**full, "max_suppressed": share} for share in allowed]
    for step in steps:
        yield [step]
        if blank:
            yield [*blank, step]


def _is_relabelled(known: pl.Series, shown: pl.Series) -> bool:
    """Tell whether a column has values that the original does not have."""
    known, shown = align.as_text(known), align.as_text(shown)
    return not shown.unique().drop_nulls().is_in(known.unique().implode()).all()


def _amount_steps(
    released: pl.DataFrame, qi: Sequence[str], amounts: Sequence[str], rounding: Sequence[StepTable]
) -> Iterator[list[StepTable]]:
    """Steps that give groups of rows one value (classes their average, near rows their mean), then rounding."""
    if not amounts:
        return
    steps: list[StepTable] = []
    if qi:
        classes = len(blocks.class_sizes(released, qi))
        if classes < released.height and len(blocks.class_sizes(released, [*qi, *amounts])) == classes:
            steps.append({"method": "average"})
    k = int(blocks.class_sizes(released, amounts).min())
    if 1 < k <= LARGEST_CLASS:
        steps.append({"method": "microaggregate", "k": k, "columns": list(amounts)})
        steps.append({"method": "microaggregate", "k": k, "columns": list(amounts), "algorithm": "vmdav"})
    alone = {name: int(blocks.class_sizes(released, [name]).min()) for name in amounts}
    several = [name for name, size in alone.items() if 1 < size <= LARGEST_CLASS]
    if several:
        least = min(alone[name] for name in several)
        steps.append({"method": "microaggregate", "k": least, "columns": several, "algorithm": "univariate"})
    for step in steps:
        yield [step]
        if rounding:
            yield [step, *rounding]


def _limit_step(original: Dataset, released: pl.DataFrame, name: str) -> list[StepTable]:
    """Steps that clip a column: its largest (smallest) value is inside the original range and occurs often."""
    known, shown = numbers(original.frame[name]), numbers(released[name])
    known, shown = known[~np.isnan(known)], shown[~np.isnan(shown)]
    if not len(shown) or not len(known):
        return []
    ends: list[StepTable] = []
    if shown.max() < known.max() and (shown == shown.max()).mean() >= REPEATED:
        ends.append({"method": "top_code", "value": float(shown.max()), "columns": [name]})
    if shown.min() > known.min() and (shown == shown.min()).mean() >= REPEATED:
        ends.append({"method": "bottom_code", "value": float(shown.min()), "columns": [name]})
    return _best(original, released, [ends] if ends else [], [name], least=REPEATED / 2)


def _rounding_steps(original: pl.DataFrame, released: pl.DataFrame, amounts: Iterable[str]) -> Iterator[StepTable]:
    """Steps that round: all released values are multiples of a base, and those of the original are not."""
    by_base: dict[float, list[str]] = {}
    for name in amounts:
        base = _base(numbers(released[name]))
        if base is not None and _base(numbers(original[name])) != base:
            by_base.setdefault(base, []).append(name)
    for base, columns in by_base.items():
        yield {"method": "round_values", "base": base, "columns": columns}


def _base(values: Float) -> float | None:
    """Return the largest round number that all values are multiples of."""
    values = values[np.isfinite(values)]
    if not values.any():
        return None
    steps = (values / base for base in BASES)
    whole = (bool(np.abs(step - np.rint(step)).max() < 1e-6) for step in steps)
    return next((base for base, fits in zip(BASES, whole, strict=True) if fits), None)


def _best(
    copy: Dataset,
    released: pl.DataFrame,
    options: Iterable[list[StepTable]],
    columns: Sequence[str],
    least: float = BETTER,
) -> list[StepTable]:
    """Return the steps after which most released rows agree with the copy, if that is clearly better than none."""
    best: list[StepTable] = []
    highest = max(FITS, least + _agreement(copy, released, columns))
    for option in options:
        if best and highest > ENOUGH:
            break
        try:
            reached = _agreement(_applied(copy, option), released, columns)
        except IcefireError:
            continue
        if reached > highest:
            best, highest = option, reached
    return best


def _applied(data: Dataset, steps: Sequence[StepTable]) -> Dataset:
    recipe: Mapping[int, Step] = load({"steps": [dict(step) for step in steps]}).numbered if steps else {}
    for number, step in recipe.items():
        data = step.apply(data, number, seeds.generator(0, "replay", step.key))
    return data


def _agreement(copy: Dataset, released: pl.DataFrame, columns: Sequence[str]) -> float:
    """Return the share of released rows that have a row of their own in the copy with the same values."""
    if not columns:
        return 0.0
    pairs = [_comparable(copy.frame[name], released[name]) for name in columns]
    x, y = (pl.DataFrame(list(side)) for side in zip(*pairs, strict=True))
    groups = blocks.blocks_of_tables(x, y, columns)
    return float(np.minimum(groups.x_sizes, groups.y_sizes).sum() / max(released.height, 1))


def _comparable(x: pl.Series, y: pl.Series) -> tuple[pl.Series, pl.Series]:
    x, y = align.harmonise(x, y, Column(x.name, Role.OTHER, Kind.CATEGORY))
    if x.dtype != y.dtype:
        x, y = align.as_text(x), align.as_text(y)
    return (x.round_sig_figs(DIGITS), y.round_sig_figs(DIGITS)) if x.dtype.is_float() else (x, y)
