"""Audit a release on a Spark cluster, and write the scorecard.

    spark-submit audit_on_cluster.py ORIGINAL RELEASED TRUTH SCORECARD

ORIGINAL and RELEASED are Parquet files or folders that every machine of the cluster can read; TRUTH (for each released
row the number of its original row) and SCORECARD are files of the machine that submits.
"""

import sys
from pathlib import Path

import icefire

QI = ["age", "town", "sex"]
SA = ["income", "rent"]


def main(original: str, released: str, truth: str, scorecard: str) -> None:
    """Audit with every measure and attack that runs on Spark."""
    audited = icefire.audit(original, released, truth=truth, qi=QI, sa=SA, engine="spark")
    Path(scorecard).write_text(audited.scorecard.to_json(), encoding="utf-8")
    print(audited.scorecard.verdict.text)


if __name__ == "__main__":
    main(*sys.argv[1:])
