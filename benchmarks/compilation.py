"""Cold start: what the first `icefire demo` and `icefire warm` after an installation compile, and the seconds of it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.results import Timing, console

CODE = """
import sys, time
from icefire.kernels.common.compilation import counted_compilations
from icefire.cli import main
with counted_compilations() as compilations:
    try:
        main()
    except SystemExit:
        pass
print(len(compilations.functions), compilations.specialisations, compilations.seconds, time.process_time(),
      ",".join(sorted(compilations.repeated)), sep="|", file=sys.stderr)
"""


def benchmark(rows: int | None = None) -> list[Timing]:
    """Run both with an empty cache, then the demo with what was compiled; there is no peer."""
    with tempfile.TemporaryDirectory() as folder:
        demo = ["demo", "-o", str(Path(folder) / "demo"), *(["-n", str(rows)] if rows else [])]
        for title, cache, words in (
            ("icefire demo, nothing compiled", "a", demo),
            ("icefire demo, all compiled", "a", demo),
            ("icefire warm, nothing compiled", "b", ["warm"]),
        ):
            _show(title, words, Path(folder) / cache)
    return []


def _show(title: str, words: list[str], cache: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    functions, specialisations, seconds, total, repeated = done.stderr.splitlines()[-1].split("|")
    console.print(
        f"{title}: {float(total):.1f} CPU s in all; {float(seconds):.1f} CPU s to compile {functions} functions "
        f"for {specialisations} types of arguments",
        highlight=False,
    )
    if repeated:
        console.print(f"  compiled more than once: {repeated}", highlight=False)
