"""The classes of two tables in parts, as a small table: how many classes have so many rows in each of the two."""

from __future__ import annotations

import numpy as np
import polars as pl

from icefire.core.parts import WEIGHT, Bucket, Job, PartedTables, merged_groups

SIZES = {"original": pl.Int64, "released": pl.Int64, "classes": pl.Int64}


def class_table(tables: PartedTables, keys: tuple[str, ...]) -> pl.DataFrame:
    """Count the classes by their rows in the original and in the release; those of one table alone have 0 in the other.

    Args:
        tables: The tables.
        keys: Columns that make the classes.

    Returns:
        The columns original, released and classes, in ascending order.
    """

    def part(bucket: Bucket) -> pl.DataFrame:
        blocks = bucket.blocks(keys)
        sizes = {}
        for name, frame, rows, own in (
            ("original", bucket.x, blocks.x_rows, blocks.x_sizes),
            ("released", bucket.y, blocks.y_rows, blocks.y_sizes),
        ):
            sizes[name] = np.zeros(blocks.count, np.int64)
            sizes[name][own > 0] = frame[WEIGHT].to_numpy()[rows]
        return pl.DataFrame(sizes).group_by("original", "released").agg(pl.len().cast(pl.Int64).alias("classes"))

    def compute() -> pl.DataFrame:
        job = Job("class sizes", keys, part, SIZES, distinct=True)
        counted = merged_groups(tables.run_job(job), ["original", "released"], pl.col("classes").sum())
        return counted.sort("original", "released")

    return tables.cached(("class table", keys), compute)
