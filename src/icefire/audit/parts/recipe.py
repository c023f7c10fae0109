"""Run a recipe on a table in partitions, which an engine holds: on disk one at a time, or on a cluster.

Every row goes to a partition at random, or by its quasi-identifiers where a step works on whole classes. Steps that
follow the same division run one after another on each partition. A step that needs to know the values or the
combinations of values of the whole table gets them before its partitions are worked on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.audit.parts.whole_table_steps import full_domain_step, recoding_step
from icefire.core import seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import ParameterError, listing
from icefire.core.registry import PartitionWay, entries
from icefire.core.schema import Schema
from icefire.core.types import Progress
from icefire.engines.partitions import Partitions, Worked
from icefire.kernels.types import Int
from icefire.recipe.steps import Recipe, Step

StepWork = Callable[[Dataset, int], Dataset]
"""What a step does to one partition, by its number."""
SUMMED = ("suppressed", "suppressed_cells")
"""Notes that count: they are added up over the partitions."""


def check_ways(recipe: Recipe) -> None:
    """Refuse, before any work, steps that do not work on tables in partitions.

    Raises:
        ParameterError: If one is among them; the message says which methods can.
    """
    for number, step in recipe.numbered.items():
        if step.entry.partition_way(step.parameters) is None:
            able = [entry.name for entry in entries("method", "table") if entry.in_partitions is not None]
            how = "with these parameters needs" if step.entry.in_partitions is not None else "needs"
            raise ParameterError(
                f"recipe step {number}: {step.name} {how} the whole table at once, which only the engine local has; in "
                f"partitions run: {listing(able, most=40)}"
            )


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps that run one after another on each partition."""

    keys: tuple[str, ...]
    """Rows that agree on these columns are in one partition; none: rows are dealt at random."""
    steps: list[tuple[int, Step]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PartitionedRecipe:
    """A recipe, and how many rows of the table are held at a time."""

    recipe: Recipe
    schema: Schema
    rows_at_once: int
    progress: Progress

    def run_steps(self, table: Partitions) -> list[dict[str, Any]]:
        """Run all steps on a table that an engine holds, and shuffle its rows.

        Args:
            table: The rows, which carry their origin; afterwards it holds those to be published, in random order over
                all partitions.

        Returns:
            The notes of every step.

        Raises:
            ParameterError: If too many rows have the same key for the memory.
        """
        notes: list[dict[str, Any]] = [{} for _ in self.recipe.steps]
        stages = self._stages()
        for place, stage in enumerate(stages):
            count = max(1, -(-table.height // self.rows_at_once))
            salt = seeds.generator(self.recipe.seed, "partition", str(place)).integers(0, 2**63)
            self._check_sizes(table.deal(stage.keys, count, int(salt)), stage)
            # What a step asks about the whole table it asks before any partition has been changed.
            works = [self._work(number, step, table) for number, step in stage.steps]
            work = _StageWork(works, self.schema, self.recipe.seed, shuffles=place == len(stages) - 1)
            for done, step_notes in enumerate(table.work(work)):
                self.progress(f"ice: stage {place + 1}, partition {done + 1} of {count}")
                for (number, _), note in zip(stage.steps, step_notes, strict=True):
                    notes[number - 1] = _merged_notes(notes[number - 1], note)
            if not table.height:
                break
        return notes

    def _stages(self) -> list[Stage]:
        """Divide the steps: a new stage begins where another division, or the result of the steps before, is needed."""
        stages = [Stage(())]
        for number, step in self.recipe.numbered.items():
            way = step.entry.partition_way(step.parameters)
            keys = self._keys(step) if way == "classes" else ()
            if way == "classes" or (way in ("values", "counts") and stages[-1].steps):
                stages.append(Stage(keys))
            elif way == "partitions" and stages[-1].keys:
                stages.append(Stage(()))
            stages[-1].steps.append((number, step))
        if stages[-1].keys:
            stages.append(Stage(()))  # rows are published in random order
        return [stage for stage in stages if stage.steps or not stage.keys]

    def _keys(self, step: Step) -> tuple[str, ...]:
        return self.schema.pick(step.parameters.get("qi"), self.schema.qi, "qi")

    def _check_sizes(self, rows: Sequence[int], stage: Stage) -> None:
        if stage.keys and max(rows) > 4 * self.rows_at_once:
            raise ParameterError(
                f"--memory-limit: recipe step {stage.steps[0][0]}: {stage.steps[0][1].name} needs {max(rows):,} "
                f"rows at once, because so many have the same values of {listing(stage.keys)}; there is room for "
                f"{self.rows_at_once:,}: give more memory, or coarsen fewer columns"
            )

    def _work(self, number: int, step: Step, table: Partitions) -> StepWork:
        """Return what a step does to a partition."""
        way = step.entry.partition_way(step.parameters)
        if way == "values":
            return recoding_step(step, number, table, self.schema)
        if way == "counts":
            return full_domain_step(step, table, self.schema)
        return partial(_step_work, step=step, number=number, way=way, seed=self.recipe.seed)


@dataclass(frozen=True, slots=True)
class _StageWork:
    """The steps of a stage on one partition: what an engine runs, wherever the partition is."""

    works: Sequence[StepWork]
    schema: Schema
    seed: int
    shuffles: bool

    def __call__(self, frame: pl.DataFrame, number: int) -> Worked:
        """Run the steps on the rows of a partition."""
        data, notes = Dataset(frame, self.schema), []
        for work in self.works:
            data = work(data.noted(), number)
            notes.append(data.notes)
        if self.shuffles:
            order = seeds.generator(self.seed, "publish", str(number)).permutation(data.height)
            data = data.take(order)
        return data.frame, notes


def _step_work(
    data: Dataset, partition: int, *, step: Step, number: int, way: PartitionWay | None, seed: int
) -> Dataset:
    """Run a step that asks nothing about the whole table on one partition."""
    rng = seeds.generator(seed, *step.stream, str(partition))
    try:
        changed: Dataset = step.apply(data, number, rng)
    except ParameterError:
        # A partition may lose all its rows; of a whole table that would be a mistake.
        if way == "partitions" or not step.drops_rows:
            raise
        return data.take(np.empty(0, np.int64)).noted(suppressed=data.height)
    return changed.noted(**changed.notes, within_partitions=True) if way == "partitions" else changed


def _merged_notes(held: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Add up what is counted; of other facts the first partition speaks for all."""
    merged = {**more, **held}
    for name in SUMMED:
        if isinstance(held.get(name), int) and isinstance(more.get(name), int):
            merged[name] = held[name] + more[name]
    return merged


def origins(files: Sequence[Path]) -> Int:
    """Return the original row of every row of some files."""
    rows = [pl.read_parquet(file, columns=[ORIGIN])[ORIGIN].to_numpy() for file in files]
    return np.concatenate(rows).astype(np.int64) if rows else np.empty(0, np.int64)
