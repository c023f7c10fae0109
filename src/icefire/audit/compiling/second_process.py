"""A second process that compiles, while the first one reads and calculates, what that one needs next.

Numba compiles one function at a time in a process; what another process has compiled it reads from the cache. This
module imports nothing heavy, so that the second process starts before the first one has imported anything.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

CODE = "from icefire.audit.compiling.compile_ahead import compile_for_link_if_worth; compile_for_link_if_worth()"

SMALL = 100
"""Nothing need be compiled for tables of at most so many rows."""


@contextmanager
def compiling_ahead(rows: int) -> Iterator[None]:
    """Compile in a second process, while the block runs, what the first audit of a table of so many rows needs.

    It is left out for small tables and where there is one core, and ended with the block.
    """
    if rows <= SMALL or (os.cpu_count() or 1) < 2:
        yield
        return
    with subprocess.Popen(
        [sys.executable, "-c", CODE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as other:
        try:
            yield
        finally:
            other.terminate()
