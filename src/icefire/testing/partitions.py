"""The contract of methods on tables in partitions: what they say follows rows, values, classes or counts does so."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from polars.testing import assert_frame_equal

from icefire.audit.parts.recipe import PartitionedRecipe
from icefire.core import seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import IcefireError
from icefire.core.registry import Entry
from icefire.core.types import no_progress
from icefire.engines.partition_files import PartitionFiles, joined
from icefire.recipe.steps import Recipe, Step
from icefire.recipe.tables import with_origin
from icefire.testing.examples import Example
from icefire.testing.methods import variants


def check_partitions(entry: Entry, examples: Sequence[Example]) -> None:
    """Check that a method gives the same rows in partitions as in one process where it says so and draws nothing."""
    if entry.sort != "method" or entry.data != "table":
        return
    for bound in variants(entry):
        if entry.partition_way(bound) in (None, "partitions") or entry.draws_with(bound) is not False:
            continue
        for example in examples:
            data = with_origin(example.original)
            try:
                whole = entry.function(data, rng=seeds.generator(1), **bound).frame
            except IcefireError:
                continue  # these data do not allow the choice
            parts = in_partitions(Step(entry, dict(bound), entry.name), data)
            try:
                assert_frame_equal(whole.sort(ORIGIN), parts.sort(ORIGIN), check_column_order=False)
            except AssertionError as error:
                raise AssertionError(
                    f"{entry.name}: it declares to work by {entry.partition_way(bound)}, but gives other rows in "
                    f"partitions with {dict(bound)}: {error}"
                ) from None


def in_partitions(step: Step, data: Dataset) -> pl.DataFrame:
    """Return what a step makes of a table in three partitions; rows carry their origin."""
    with tempfile.TemporaryDirectory() as folder:
        rows = max(1, -(-data.height // 3))
        table = PartitionFiles(data.frame.lazy(), Path(folder), rows)
        PartitionedRecipe(Recipe((step,)), data.schema, rows, no_progress).run_steps(table)
        files = table.files()
        return joined(files).collect() if files else data.frame.clear()
