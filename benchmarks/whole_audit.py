"""A full audit from Parquet in a process of its own: seconds and peak memory, and the start-up of the command."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import survey
from benchmarks.results import Timing, console

AUDIT = """
import resource, time, icefire
from icefire.samples import households as h
started = time.perf_counter()
card = icefire.audit("{place}/x.parquet", "{place}/release", qi=h.QI, sa=h.SA).scorecard
seconds = time.perf_counter() - started
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, len(card.attacks), len(card.measures))
"""

RECIPES = {
    "noise": '[[step]]\nmethod = "noise"\n',
    "k_anonymize + swap": '[[step]]\nmethod = "k_anonymize"\nk = 5\n[[step]]\nmethod = "swap"\n',
}


def benchmark(rows: int | None) -> list[Timing]:
    """8,333, a hundred thousand and a million rows; all measures and attacks."""
    for size in [rows] if rows else [8_333, 100_000, 1_000_000]:
        for name, recipe in RECIPES.items():
            seconds, memory, attacks, measures = _audit(size, recipe)
            console.print(
                f"audit of {size:,} × 25 from Parquet ({name}): {float(seconds):.2f} s, {float(memory):.2f} GB peak, "
                f"{attacks} attacks, {measures} measures"
            )
    console.print(f"icefire --help: {_help():.2f} s\n")
    return []


def _audit(rows: int, recipe: str) -> list[str]:
    import icefire

    with tempfile.TemporaryDirectory() as place:
        data = survey(rows)
        data.frame.write_parquet(f"{place}/x.parquet")
        path = Path(place, "r.toml")
        path.write_text(recipe)
        icefire.anonymize(data, path, output=f"{place}/release", kind="parquet")
        script = AUDIT.format(place=place)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def _help() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "icefire", "--help"], capture_output=True, check=True)
    return time.perf_counter() - started
