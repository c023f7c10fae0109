"""The verb `anonymize`: apply a recipe and publish the result."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack, overload

from icefire import recipe as recipes
from icefire.audit.adapter import ReleaseFiles
from icefire.audit.kinds import adapter_of, describe_roles
from icefire.audit.parts.anonymize import WrittenRelease, anonymize_in_partitions
from icefire.audit.parts.anonymize_histories import anonymize_history_in_partitions
from icefire.audit.parts.histories import described_history
from icefire.audit.plan import AuditPlan
from icefire.audit.provenance import provenance
from icefire.audit.steps import run_measures
from icefire.core import seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, listing
from icefire.core.registry import ENGINES
from icefire.core.release import Release
from icefire.core.scorecard import Scorecard
from icefire.core.types import Progress, no_progress
from icefire.io import folder
from icefire.io.folder import ReleaseFormat, ReleasePlace
from icefire.io.given_roles import read_for_use
from icefire.io.options import DataSource, ReadOptions, takes_read_options
from icefire.recipe.load import RecipeSource


@overload
def anonymize(
    data: DataSource,
    recipe: RecipeSource,
    *,
    output: str | Path | None = None,
    kind: ReleaseFormat | None = None,
    seed: int | None = None,
    secret: str | Path | None = None,
    force: bool = False,
    engine: Literal["local"] = "local",
    memory_limit: None = None,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> Release[Any]: ...


@overload
def anonymize(
    data: DataSource,
    recipe: RecipeSource,
    *,
    output: str | Path,
    kind: ReleaseFormat | None = None,
    seed: int | None = None,
    secret: str | Path | None = None,
    force: bool = False,
    engine: Literal["partitioned", "spark"],
    memory_limit: str | int | None = None,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> WrittenRelease: ...


@takes_read_options
def anonymize(
    data: DataSource,
    recipe: RecipeSource,
    *,
    output: str | Path | None = None,
    kind: ReleaseFormat | None = None,
    seed: int | None = None,
    secret: str | Path | None = None,
    force: bool = False,
    engine: Literal["local", "partitioned", "spark"] = "local",
    memory_limit: str | int | None = None,
    progress: Progress = no_progress,
    **reading: Unpack[ReadOptions],
) -> Release[Any] | WrittenRelease:
    """Apply a recipe and publish the result: shuffled, without identifiers, the truth kept apart.

    Args:
        data: The original data.
        recipe: A TOML file, a name of the gallery, its content, a list of steps, or a `Recipe`.
        output: Release folder to write, to be handed out. Default: nothing is written.
        kind: Kind of the released file: csv, parquet, arrow, json, jsonl or xlsx. Default: that of the original; CSV
            where it is another.
        seed: Seed of every random step. Default: the recipe's own; if it has none, one is drawn that nobody can guess.
            A fixed seed makes the release repeatable by whoever knows it; `Release.seed_was_drawn` tells which it was.
        secret: Folder for the truth and the seed, readable by its owner alone. Default: `output` with .secret.
        force: Replace folders that icefire wrote and nobody changed since; never other files.
        engine: "partitioned" takes Parquet and Arrow files larger than memory in partitions, "spark" Parquet files on a
            cluster; both need `output` and roles.
        memory_limit: Memory that the engine partitioned may use, as 6GB. Default: four fifths of what is free.
        progress: Called with the name of each stage.

    Returns:
        The released data, their truth, the recipe as it was run, and the seed; of a table in partitions only where it
        was written, how many rows it has, and the recipe.

    Raises:
        InputError: If the data or the recipe cannot be read.
        ParameterError: If a step does not fit the data.
        MissingPackageError: If the package that writes workbooks is not installed.
        OutputError: If the release folder cannot be written.
    """
    steps = recipes.load(recipe, seed)
    is_drawn = not steps.is_seeded
    if is_drawn:
        steps = replace(steps, seed=seeds.drawn_seed())
    place = _place(output, secret, force, (data, recipe, *reading.values()))
    if engine != "local" or memory_limit is not None:
        _check_engine(engine, place, kind, memory_limit)
        assert place is not None
        assert engine != "local"
        is_history = described_history(data, reading) is not None
        in_partitions = anonymize_history_in_partitions if is_history else anonymize_in_partitions
        written_release = in_partitions(data, steps, place, reading, engine, memory_limit, progress)
        return replace(written_release, seed_was_drawn=is_drawn)
    original = read_for_use(data, **reading)
    written = folder.release_format(kind, original.reading)
    release: Release[Any] = recipes.run_recipe(original, steps, progress)
    if not release.released.height:
        raise ParameterError(
            f"the recipe leaves out all {original.height:,} rows of {original.name!r}; loosen the steps that leave "
            "rows out: icefire recipe explain RECIPE DATA says how many each takes"
        )
    release = replace(release, seed_was_drawn=is_drawn)
    if place is not None:
        source = original.reading if isinstance(original, Dataset) else None
        folder.write(release, _scorecard(original, release, f"released.{written}", progress), place, written, source)
    return release


def _check_engine(
    engine: str, place: ReleasePlace | None, kind: ReleaseFormat | None, memory_limit: str | int | None
) -> None:
    """Refuse engines that do not anonymise, and what does not go with partitions."""
    if engine not in ENGINES:
        raise ParameterError(f"--engine: {engine!r} does not anonymise; choose from: {listing(ENGINES)}")
    if engine != "partitioned" and memory_limit is not None:
        raise ParameterError("--memory-limit is for the engine partitioned; leave it out, or add --engine partitioned")
    if place is None:
        raise ParameterError(f"the engine {engine} writes the release as it goes; name a folder with --output")
    if kind not in (None, "parquet"):
        raise ParameterError(f"--format: the engine {engine} writes parquet, not {kind}; leave it out")


def _place(
    output: str | Path | None, secret: str | Path | None, force: bool, given: Sequence[Any]
) -> ReleasePlace | None:
    """Say where the release is written, and check that it may be."""
    if output is None:
        return None
    place = ReleasePlace(output, secret, force, [Path(one) for one in given if isinstance(one, str | os.PathLike)])
    place.check()
    return place


def _scorecard(original: Any, release: Release[Any], name: str, progress: Progress) -> Scorecard:
    """Measure a release for its own folder: no date and no seconds, so that the same seed gives the same bytes."""
    adapter = adapter_of(original)
    loaded = adapter.load(ReleaseFiles(release), original)
    case = adapter.case(loaded.original, replace(loaded.released, name=name))
    comparison = adapter.compare(case, release.truth)
    measures = run_measures(comparison, AuditPlan(), progress)
    return Scorecard(
        provenance=provenance(original, comparison.released, None, "made by the recipe", dated=False),
        roles=describe_roles(original),
        measures=measures.by_name,
        left_out=measures.left_out,
        recipe=release.recipe,
    )
