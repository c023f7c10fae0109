"""The Spark session of an engine: the one that is there, or one of this machine alone; what it takes to start it."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from icefire.core.errors import InputError, MissingPackageError
from icefire.core.extras import needed

OLDEST = 4
"""First version of Spark whose grouped functions take Arrow tables."""
LOCAL = {
    "spark.master": "local[*]",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
    "spark.log.level": "FATAL",  # what stops a task is told as one error
}
"""Settings of a session that nobody configured: this machine alone, nothing to be seen from others."""


def spark_session() -> Any:
    """Return the active session, the one that spark-submit configures, or a new one on this machine.

    Raises:
        MissingPackageError: If pyspark or Java is missing, or too old.
        InputError: If the session cannot be started.
    """
    needed("pyspark", "spark", "the engine spark")
    needed("pyarrow", "spark", "the engine spark")
    check_version(version("pyspark"))
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    if "SPARK_REMOTE" not in os.environ:
        check_java()
    builder: Any = SparkSession.builder.appName("icefire")
    if "SPARK_REMOTE" not in os.environ and SparkConf().get("spark.master") is None:
        for name, value in LOCAL.items():
            builder = builder.config(name, value)
        # The workers of this machine are the same Python, with the same packages.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        return builder.getOrCreate()
    except Exception as error:  # Py4J, Java and Spark Connect each have errors of their own
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"Spark cannot be started: {reason}; check the master, Java and the settings") from None


def check_version(installed: str) -> None:
    """Refuse a version of Spark whose grouped functions do not take Arrow tables.

    Raises:
        MissingPackageError: If it is too old.
    """
    if int(installed.partition(".")[0]) < OLDEST:
        raise MissingPackageError(
            f"the engine spark needs pyspark {OLDEST}.0 or newer, but {installed} is installed; install with: "
            "pip install 'icefire[spark]', and use a cluster of the same version"
        )


def check_java() -> None:
    """Refuse a machine without Java, before Spark does so in many lines.

    Raises:
        MissingPackageError: If there is none.
    """
    home = os.environ.get("JAVA_HOME")
    results = (Path(home) / "bin" / "java").exists() if home else shutil.which("java") is not None
    if not results:
        where = f"JAVA_HOME names {home!r}, which has none" if home else "none was found"
        raise MissingPackageError(
            f"the engine spark needs Java 17 or newer, and {where}; install a headless Java (Debian: "
            "openjdk-17-jre-headless), or use the engine partitioned"
        )
