"""Anonymise a history larger than memory: dummies in partitions of whole clusters, published as a release folder."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from icefire._version import __version__
from icefire.audit.parts.anonymize import NO_OUTPUT, NO_ROOM, RELEASED, SHARE, WrittenRelease
from icefire.audit.parts.history_files import OpenedHistory, open_history, plan_partitions
from icefire.audit.provenance import PACKAGES
from icefire.core import seeds
from icefire.core.errors import IcefireError, ParameterError
from icefire.core.history import History
from icefire.core.scorecard import Provenance, Roles, Scorecard, Table
from icefire.core.types import Progress
from icefire.engines.basket_files import BasketFiles, HistoryMemory
from icefire.engines.bucket_files import told_where_full
from icefire.engines.history_rows import SUBJECT, RowFacts, RowFiles, deal, in_random_order, row_facts
from icefire.engines.memory import available_memory, parse_memory
from icefire.engines.partition_files import joined
from icefire.engines.raw_histories import RawHistory
from icefire.io import files
from icefire.io.folder import SCORECARD, ReleasePlace
from icefire.io.places import SEED, TRUTH
from icefire.io.writing import whole_folders
from icefire.kernels.baskets.missing_goods import missing_counts
from icefire.kernels.types import Int
from icefire.methods.histories.dummies import cluster_facts, cluster_labels, with_dummies
from icefire.recipe.faults import in_step
from icefire.recipe.preflight import check
from icefire.recipe.steps import Recipe, Step

CUSTOMERS = "customers.parquet"


def anonymize_history_in_partitions(
    source: Any,
    recipe: Recipe,
    place: ReleasePlace,
    options: Mapping[str, Any],
    engine: str,
    memory_limit: str | int | None,
    progress: Progress,
) -> WrittenRelease:
    """Add dummies to a history in Parquet or Arrow files, and write the release folder.

    The clusters, the rows, their new names and the truth are those of one process; the order of the rows is drawn
    otherwise.

    Args:
        source: The files.
        recipe: One step, `dummies` with the placement latest, and the seed.
        place: Where the release is written.
        options: Keywords of `read`; they name the columns.
        engine: Only partitioned takes histories.
        memory_limit: Memory that may be used. Default: four fifths of what is free.
        progress: Called with the name of each stage.

    Raises:
        InputError: If the source cannot be read in parts.
        ParameterError: If a step does not work in partitions, or the memory is too little.
        OutputError: If the folder cannot be written.
    """
    step = _only_step(recipe, engine)
    progress("reading")
    opened = open_history(source, options)
    check(opened.head, recipe)
    raw, limit = opened.raw, int(SHARE * available_memory()) if memory_limit is None else parse_memory(memory_limit)
    memory, room = plan_partitions(opened, limit)
    with tempfile.TemporaryDirectory(prefix="icefire-") as scratch, told_where_full(Path(scratch), NO_ROOM):
        facts = row_facts(raw, memory.batch_rows)
        progress(f"ice: {step.name}, clusters")
        labels, added = _clustered(raw, step, recipe.seed, Path(scratch) / "baskets", memory)
        totals = facts.counts + added
        partition_of, count = _partitions(labels, totals, room)
        progress(f"ice: {step.name}, partitions")
        dealt = RowFiles(Path(scratch) / "dealt", count)
        deal(raw, partition_of, dealt, memory.batch_rows)
        order = seeds.generator(recipe.seed, "publish").permutation(len(raw.names))
        frames = _with_dummies(dealt, opened, labels, facts, order)
        parts = in_random_order(frames, Path(scratch) / "published", count, recipe.seed)
        rows = int(added.sum())
        as_run = recipe.as_run([cluster_facts(labels, rows, rows)])
        said = f"partitioned, {count:,} partitions of about {room:,} rows, memory limit {limit / 1e9:.1f} GB"
        card = _scorecard(opened, int(totals.sum()), as_run, said)
        with told_where_full(Path(place.path), NO_OUTPUT):
            _write(parts, opened, order, card, recipe.seed, place)
    return WrittenRelease(Path(place.path), raw.height, int(totals.sum()), as_run, recipe.seed, subjects=len(raw.names))


def _only_step(recipe: Recipe, engine: str) -> Step:
    """Refuse, before any work, what does not work on histories in partitions."""
    if engine != "partitioned":
        raise ParameterError(
            f"histories are not anonymised by the engine {engine}; choose the engine local or partitioned"
        )
    able = "in partitions of a history runs: dummies with the placement latest, as the only step"
    for number, step in recipe.numbered.items():
        if step.entry.partition_way(step.parameters) != "clusters":
            how = "with these parameters needs" if step.entry.in_partitions is not None else "needs"
            raise ParameterError(
                f"recipe step {number}: {step.name} {how} the whole history at once, which only the engine local has; "
                f"{able}"
            )
    if len(recipe.steps) != 1:
        raise ParameterError(f"the recipe has {len(recipe.steps)} steps; {able}; or use the engine local")
    return recipe.steps[0]


def _clustered(raw: RawHistory, step: Step, seed: int, folder: Path, memory: HistoryMemory) -> tuple[Int, Int]:
    """Return the cluster of every subject, and how many rows each gets."""
    codes = pl.DataFrame({"item name": raw.items}).with_row_index("item")
    held = BasketFiles(folder, raw, codes, codes.height, memory)
    given = {name: step.parameters[name] for name in ("clusters", "min_size")}
    try:
        labels = cluster_labels(held.baskets, step.parameters["clustering"], **given, rng=step.generator(seed))
    except IcefireError as error:
        raise in_step(1, error).as_error() from None
    baskets = held.baskets
    return labels, missing_counts(baskets.start, baskets.items, held.goods, labels, int(labels.max(initial=-1)) + 1)


def _partitions(labels: Int, totals: Int, room: int) -> tuple[Int, int]:
    """Put whole clusters into partitions of about so many rows; returns the partition of every subject."""
    inside = labels >= 0
    rows = np.bincount(labels[inside], weights=totals[inside]).astype(np.int64)
    largest = int(rows.max(initial=0))
    if largest > 2 * room:
        raise ParameterError(
            f"--memory-limit: the largest cluster has {largest:,} rows with its dummies, and there is room for "
            f"{room:,}; give more memory, or ask for more clusters or balanced ones"
        )
    before = np.cumsum(rows) - rows
    of_cluster = np.unique(before // room, return_inverse=True)[1]
    partition_of = np.where(inside, of_cluster[labels], 0)
    return partition_of, int(of_cluster.max(initial=0)) + 1


def _with_dummies(
    dealt: RowFiles, opened: OpenedHistory, labels: Int, facts: RowFacts, order: Int
) -> Iterator[pl.DataFrame]:
    """Give the rows of each partition with those that were added, under new names."""
    fields = opened.raw.fields
    new_name = np.empty(len(order), np.int64)
    new_name[order] = np.arange(1, len(order) + 1)
    for frame in dealt.read():
        some = History(frame, fields)
        subject = np.empty(some.subjects, np.int64)
        subject[some.codes] = frame[SUBJECT].to_numpy()
        clusters = np.unique(labels[subject], return_inverse=True)[1]
        released = with_dummies(some, clusters, _prices(some, facts)).frame
        names = pl.Series(fields.subject, new_name[released[SUBJECT].to_numpy()]).cast(pl.String)
        yield released.with_columns(names).drop(SUBJECT)


def _prices(some: History, facts: RowFacts) -> pl.Series | None:
    """Return the latest price in the whole history of every good of some rows."""
    if facts.prices is None:
        return None
    goods, item = some.goods.to_frame(), some.fields.item
    latest = goods.join(facts.prices, on=item, how="left", maintain_order="left")["price"]
    return latest.alias(some.fields.present["price"])


def _write(
    parts: list[Path], opened: OpenedHistory, order: Int, card: Scorecard, seed: int, place: ReleasePlace
) -> None:
    """Write the release folder and its secrets: both whole, or none."""
    place.check()
    with whole_folders(*place.folders) as (draft, secret):
        joined(parts).sink_parquet(draft / RELEASED, maintain_order=True)
        if opened.head.customers is not None:
            names = pl.Series(opened.raw.fields.subject, np.arange(1, len(order) + 1)).cast(pl.String)
            opened.head.customers[order].with_columns(names).write_parquet(draft / CUSTOMERS)
        (draft / SCORECARD).write_text(card.to_json(), encoding="utf-8")
        files.write_integers(order, secret / TRUTH)
        (secret / SEED).write_text(f"{seed}\n", encoding="utf-8")


def _scorecard(opened: OpenedHistory, rows: int, as_run: dict[str, Any], engine: str) -> Scorecard:
    """Say how the release was made; measures are left to an audit."""
    raw = opened.raw
    software = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    return Scorecard(
        provenance=Provenance(
            version=__version__,
            seed=None,
            original=Table(raw.name, raw.height, subjects=len(raw.names)),
            released=Table(RELEASED, rows, subjects=len(raw.names)),
            correspondence="made by the recipe",
            in_original_order=False,
            created="",
            software=software | {"engine": engine},
        ),
        roles=Roles([], [], [], [], "given"),
        measures={},
        left_out={"measures": "not taken while a history is anonymised in partitions; audit the release"},
        recipe=as_run,
    )
