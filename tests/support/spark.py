"""A Spark session for tests, on this machine alone; tests are skipped, with the reason, where there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from icefire.core.errors import MissingPackageError
from icefire.core.release import Comparison
from icefire.engines.coding import code_tables
from icefire.engines.spark import SparkTables
from icefire.engines.spark_session import LOCAL, check_java
from icefire.engines.spark_table import SparkTable
from support.engine_tables import skewed

SEVERAL_PARTITIONS = {"spark.sql.files.maxPartitionBytes": "2k"}
"""Small files are read in several partitions, as large ones are."""


def new_session(master: str = "local[2]", **more: str) -> Any:
    """Start a session; the one before must have been stopped."""
    sql = pytest.importorskip("pyspark.sql", reason="the engine spark needs pyspark: pip install 'icefire[spark]'")
    try:
        check_java()
    except MissingPackageError as error:
        pytest.skip(str(error))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("icefire tests")
    for name, value in {**LOCAL, "spark.master": master, "spark.sql.shuffle.partitions": "2", **more}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Comparison]:
    """A skewed table in three files, of which the second has no rows, its release and its truth."""
    folder, comparison = tmp_path_factory.mktemp("cluster"), skewed(400, 3)
    (folder / "original").mkdir()
    for number, (start, stop) in enumerate(((0, 150), (150, 150), (150, 400))):
        comparison.original.frame[start:stop].write_parquet(folder / "original" / f"part-{number}.parquet")
    comparison.released.frame.write_parquet(folder / "released.parquet", row_group_size=100)
    np.savetxt(folder / "truth.csv", comparison.truth.rows, fmt="%d")
    return folder, comparison


def opened(session: Any, folder: Path, comparison: Comparison, bucket_rows: int = 60) -> SparkTables:
    x = SparkTable(session, str(folder / "original"))
    y = SparkTable(session, str(folder / "released.parquet"))
    return SparkTables(x, y, code_tables(x, y, comparison.original.schema), bucket_rows=bucket_rows)
