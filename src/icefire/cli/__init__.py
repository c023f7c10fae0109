"""The command line: one thin function per verb. Result on standard output, progress on standard error."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interruption while it is still loading is no traceback either."""
    try:
        from icefire.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("icefire: error: interrupted; nothing was written: run the command again", file=sys.stderr)
        sys.exit(2)
