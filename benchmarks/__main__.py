"""Run all benchmarks, or those named, and list every bar that was missed."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from benchmarks.race import Row, console

NAMES = (
    "group_sizes",
    "one_value",
    "euclid",
    "tables",
    "anonymity",
    "perturbation",
    "recoding",
    "covering",
    "uniques",
    "jaccard",
    "clustering",
    "candidates",
    "rlink",
    "umark",
    "whole_audit",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help="default: all")
    parser.add_argument("--rows", type=int, help="instead of each benchmark's own sizes")
    given = parser.parse_args()
    rows: list[Row] = []
    for name in given.names or NAMES:
        rows += import_module(f"benchmarks.{name}").run(given.rows)
    missed = [row for row in rows if row.bar is not None and row.ratio < row.bar]
    barred = sum(row.bar is not None for row in rows)
    console.print(f"{barred - len(missed)} of {barred} bars reached")
    for row in missed:
        console.print(f"missed: {row.job}, {row.name}: {row.ratio:.1f} instead of {row.bar:g}")
    if any(row.same is False for row in rows):
        sys.exit("answers differ: " + "; ".join(f"{row.job}, {row.name}" for row in rows if row.same is False))


if __name__ == "__main__":
    main()
