"""The command line: one file per verb. Results go to standard output, progress and errors to standard error."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interruption while it is still loading is no traceback either."""
    try:
        from icefire.cli import app

        app.main()
    except KeyboardInterrupt:
        print("icefire: error: interrupted; nothing was written: run the command again", file=sys.stderr)
        sys.exit(2)
