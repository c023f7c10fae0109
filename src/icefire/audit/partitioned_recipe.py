"""Run a recipe on a table in partitions: files on disk, of which one at a time is held in memory.

Every row goes to a partition at random, or by its quasi-identifiers where a step works on whole classes. Steps that
follow the same division run one after another on each partition. A step that needs to know the values or the
combinations of values of the whole table gets them before its partitions are worked on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire.audit.whole_table_steps import full_domain_step, recoding_step
from icefire.core import seeds
from icefire.core.dataset import ORIGIN, Dataset
from icefire.core.errors import ParameterError, listing
from icefire.core.registry import PartitionWay, entries
from icefire.core.schema import Schema
from icefire.core.types import Progress
from icefire.kernels.types import Int
from icefire.recipe.steps import Recipe, Step

Work = Callable[[Dataset, int], Dataset]
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
    folder: Path
    """Where partitions are kept meanwhile."""
    progress: Progress

    def run_steps(self, table: pl.LazyFrame) -> tuple[list[Path], list[dict[str, Any]]]:
        """Run all steps on a table that carries the hidden origin, and shuffle the rows.

        Args:
            table: The table.

        Returns:
            Files with the rows, in random order over all files and with their origin, none if no row is left; and the
            notes of every step.

        Raises:
            ParameterError: If too many rows have the same key for the memory.
        """
        notes: list[dict[str, Any]] = [{} for _ in self.recipe.steps]
        stages = self._stages()
        files: list[Path] = []
        for place, stage in enumerate(stages):
            partitions = self._deal(table, stage, place)
            # What a step asks about the whole table it asks before any partition has been changed.
            works = [self._work(number, step, table) for number, step in stage.steps]
            files = self._worked(partitions, stage, works, place, notes, shuffles=place == len(stages) - 1)
            if not files:
                break
            table = joined(files)
        return files, notes

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

    def _deal(self, table: pl.LazyFrame, stage: Stage, place: int) -> list[Path]:
        """Write every row into the folder of its partition."""
        height = int(table.select(pl.len()).collect().item())
        count = max(1, -(-height // self.rows_at_once))
        rng = seeds.generator(self.recipe.seed, "partition", str(place))
        folders = [self.folder / f"{place}-{number}" for number in range(count)]
        for folder in folders:
            folder.mkdir(parents=True)
        for piece, frame in enumerate(_chunks(table, height, max(1, self.rows_at_once // 2))):
            numbers = _by_key(frame, stage.keys, count) if stage.keys else rng.integers(0, count, frame.height)
            for number, part in enumerate(_divided(frame, numbers, count)):
                if part.height:
                    part.write_parquet(folders[number] / f"{piece:06d}.parquet", compression="lz4")
        return folders

    def _worked(
        self, partitions: list[Path], stage: Stage, works: Sequence[Work], place: int, notes: list[Any], shuffles: bool
    ) -> list[Path]:
        """Run the steps of a stage on every partition; its rows are deleted when they are done."""
        files = []
        for number, folder in enumerate(partitions):
            self.progress(f"ice: stage {place + 1}, partition {number + 1} of {len(partitions)}")
            parts = sorted(folder.iterdir())
            if not parts:
                continue
            frame = pl.concat([pl.read_parquet(part) for part in parts], rechunk=True)
            self._check_size(frame, stage)
            data = Dataset(frame, self.schema)
            for (step, _), work in zip(stage.steps, works, strict=True):
                data = work(data.noted(), number)
                notes[step - 1] = _merged_notes(notes[step - 1], data.notes)
            if shuffles:
                order = seeds.generator(self.recipe.seed, "publish", str(number)).permutation(data.height)
                data = data.take(order)
            if data.height:
                files.append(self.folder / f"{place}-{number}.parquet")
                data.frame.write_parquet(files[-1])
            for part in parts:
                part.unlink()
        return files

    def _check_size(self, frame: pl.DataFrame, stage: Stage) -> None:
        if stage.keys and frame.height > 4 * self.rows_at_once:
            raise ParameterError(
                f"--memory-limit: recipe step {stage.steps[0][0]}: {stage.steps[0][1].name} needs {frame.height:,} "
                f"rows at once, because so many have the same values of {listing(stage.keys)}; there is room for "
                f"{self.rows_at_once:,}: give more memory, or coarsen fewer columns"
            )

    def _work(self, number: int, step: Step, table: pl.LazyFrame) -> Work:
        """Return what a step does to a partition."""
        way: PartitionWay | None = step.entry.partition_way(step.parameters)
        if way == "values":
            return recoding_step(step, number, table, self.schema)
        if way == "counts":
            return full_domain_step(step, table, self.schema)

        def work(data: Dataset, partition: int) -> Dataset:
            rng = seeds.generator(self.recipe.seed, *step.stream, str(partition))
            try:
                changed: Dataset = step.apply(data, number, rng)
            except ParameterError:
                # A partition may lose all its rows; of a whole table that would be a mistake.
                if way == "partitions" or not step.drops_rows:
                    raise
                return data.take(np.empty(0, np.int64)).noted(suppressed=data.height)
            return changed.noted(**changed.notes, within_partitions=True) if way == "partitions" else changed

        return work


def joined(files: Sequence[Path]) -> pl.LazyFrame:
    """Return all rows of some files, each column with one type that holds the values of all of them."""
    return pl.concat([pl.scan_parquet(file) for file in files], how="vertical_relaxed")


def _chunks(table: pl.LazyFrame, height: int, rows: int) -> Iterator[pl.DataFrame]:
    for first in range(0, height, rows):
        yield table.slice(first, rows).collect()


def _by_key(frame: pl.DataFrame, keys: Sequence[str], count: int) -> Int:
    """Return the partition of every row by a hash of its key; missing values are equal."""
    mixed = np.zeros(frame.height, np.uint64)
    for name in keys:
        text = frame[name].cast(pl.String).fill_null("\0")
        mixed = mixed * np.uint64(31) + text.hash(17).to_numpy()
    return (mixed % np.uint64(count)).astype(np.int64)


def _divided(frame: pl.DataFrame, numbers: Int, count: int) -> Iterator[pl.DataFrame]:
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=count))
    sorted_rows = frame[order]
    for start, stop in zip([0, *ends[:-1]], ends, strict=True):
        yield sorted_rows[int(start) : int(stop)]


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
