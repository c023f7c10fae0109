"""Run all benchmarks, or those named, and list every bar that was missed."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from benchmarks.results import Timing, console

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
    "known_points",
    "clustering",
    "candidates",
    "linkage",
    "rlink",
    "umark",
    "distributions",
    "synthetic",
    "whole_audit",
    "attack_costs",
    "engines",
    "larger_than_memory",
    "large_histories",
    "compilation",
)


def main() -> None:
    """Run the benchmarks named on the command line; exits with an error if answers differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help="default: all")
    parser.add_argument("--rows", type=int, help="instead of each benchmark's own sizes")
    arguments = parser.parse_args()
    timings: list[Timing] = []
    for name in arguments.names or NAMES:
        timings += timings_of(name, arguments.rows)
    missed = [timing for timing in timings if timing.bar is not None and timing.ratio < timing.bar]
    barred = sum(timing.bar is not None for timing in timings)
    console.print(f"{barred - len(missed)} of {barred} bars reached")
    for timing in missed:
        console.print(f"missed: {timing.job}, {timing.name}: {timing.ratio:.1f} instead of {timing.bar:g}")
    differing = [f"{timing.job}, {timing.name}" for timing in timings if timing.same is False]
    if differing:
        sys.exit("answers differ: " + "; ".join(differing))


def timings_of(name: str, rows: int | None) -> list[Timing]:
    """Run one benchmark; it is skipped where a peer that it needs is not installed."""
    try:
        timings: list[Timing] = import_module(f"benchmarks.{name}").benchmark(rows)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith(("benchmarks", "icefire")):
            raise
        console.print(f"{name}: skipped, {error.name} is not installed\n")
        return []
    return timings


if __name__ == "__main__":
    main()
