"""A Spark session for tests, on this machine alone; tests are skipped, with the reason, where there is none."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from icefire.core.errors import MissingPackageError
from icefire.engines.spark_session import LOCAL, check_java

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
