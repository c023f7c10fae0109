"""Steps of a recipe in partitions that ask the whole table first: recoding of values, and full-domain levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.schema import Schema
from icefire.engines.partitions import ROWS, Partitions
from icefire.methods.tables.k_anonymize.full_domain import best_levels
from icefire.methods.tables.k_anonymize.requested_models import AnonymityRequest
from icefire.recipe.steps import Step


def recoding_step(step: Step, number: int, table: Partitions, schema: Schema) -> Callable[[Dataset, int], Dataset]:
    """Run a method that recodes values on the distinct values of each column, and return how rows are recoded by them.

    Args:
        step: The step.
        number: Its number in the recipe.
        table: The whole table.
        schema: Columns and roles.
    """
    maps, notes = {}, {}
    for name in schema.pick(step.parameters["columns"], schema.qi, "columns"):
        values = table.counts([name]).select(name)
        one = Step(step.entry, {**step.parameters, "columns": (name,)}, step.key, step.is_optional)
        recoded = one.apply(Dataset(values, schema), number, seeds.generator(0))
        maps[name] = (values[name], recoded.frame[name])
        notes[name] = recoded.notes.get("values", {}).get(name)

    def recode(data: Dataset, partition: int) -> Dataset:
        return _recoded(data, maps).noted(values=notes)

    return recode


def full_domain_step(step: Step, table: Partitions, schema: Schema) -> Callable[[Dataset, int], Dataset]:
    """Search the levels of a full-domain generalisation on the counts of the classes; returns how rows are recoded.

    Args:
        step: The step, a k_anonymize of mode full_domain without models other than k.
        table: The whole table.
        schema: Columns and roles.

    Raises:
        ParameterError: If no levels will do.
    """
    request = AnonymityRequest.from_parameters(step.parameters)
    names = list(request.names(Dataset(pl.DataFrame(), schema)))
    counted = table.counts(names)
    fitted, _ = request.columns(Dataset(counted.select(names), schema), names)
    assert fitted is not None
    best, kept = best_levels(fitted, counted[ROWS].to_numpy().astype(np.int32), request.k, request.max_suppressed)
    maps = {}
    for column, level in zip(fitted, best.levels, strict=True):
        if level:
            maps[column.name] = (counted[column.name], column.released(level))
    released = counted.select(names).filter(pl.Series(kept))
    facts = {
        "levels": {column.name: level for column, level in zip(fitted, best.levels, strict=True)},
        "loss": best.loss,
        "optimal": best.optimal,
    }

    def generalise(data: Dataset, partition: int) -> Dataset:
        before = data.height
        if best.suppressed:
            staying = data.frame.join(released, on=names, how="semi", nulls_equal=True, maintain_order="left")
            data = data.with_frame(staying)
        return _recoded(data, maps).noted(**facts, suppressed=before - data.height)

    return generalise


def _recoded(data: Dataset, maps: Mapping[str, tuple[pl.Series, pl.Series]]) -> Dataset:
    """Replace the values of some columns."""
    columns = []
    for name, (values, labels) in maps.items():
        pairs = pl.DataFrame({name: values, "label": labels}).unique()
        known = data.frame.select(name).join(pairs, on=name, how="left", nulls_equal=True, maintain_order="left")
        columns.append(known["label"].alias(name))
    return data.with_columns(*columns)
