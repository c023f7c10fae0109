"""The command line: one file per verb. Results go to standard output, progress and errors to standard error."""

from __future__ import annotations

import os
import sys

LINEAR_ALGEBRA_THREADS = "OPENBLAS_NUM_THREADS"
"""Read by numpy when it is imported. The matrices of an audit are small: more threads would wait for one another for
longer than they compute, and end in other last digits. The kernels of icefire have threads of their own."""


def main() -> None:
    """Run the command line; an interruption while it is still loading is no traceback either."""
    os.environ.setdefault(LINEAR_ALGEBRA_THREADS, "1")
    try:
        from icefire.cli import app

        app.main()
    except KeyboardInterrupt:
        print("icefire: error: interrupted; nothing was written: run the command again", file=sys.stderr)
        sys.exit(2)
