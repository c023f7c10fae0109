"""Output: results to standard output, progress and errors to standard error; exit codes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from icefire.core.errors import IcefireError
from icefire.core.types import Progress

WRONG_USE = 2
INTERRUPTED = 130
"""How the command framework reports that the user pressed Ctrl-C."""
OVER_A_LIMIT = 1

out = Console(soft_wrap=False, highlight=False)
err = Console(stderr=True, highlight=False)


def note(text: str) -> None:
    """Print a remark that is not part of the result."""
    err.print(text, style="dim", markup=False)


def as_json(value: Any) -> str:
    """Write a value as indented JSON."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


@contextmanager
def progress() -> Iterator[Progress]:
    """Show the current stage: a spinner on a terminal, else a line per stage once it takes over a second."""
    started = time.perf_counter()
    if err.is_terminal:
        with err.status("starting …") as status:
            yield lambda stage: status.update(f"{stage} … ({time.perf_counter() - started:.0f} s)")
        return

    def line(stage: str) -> None:
        seconds = time.perf_counter() - started
        if seconds > 1:
            note(f"[{seconds:.0f} s] {stage}")

    yield line


def guarded(command: Callable[[], None]) -> None:
    """Run a command; wrong use and interruption become one line and exit code 2, never a traceback."""
    try:
        command()
    except IcefireError as error:
        fail(str(error))
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != INTERRUPTED:
            raise
        fail("interrupted; nothing was written: run the command again")
    except MemoryError:
        fail("out of memory; give fewer rows or columns, or a larger machine")
    except BrokenPipeError:
        # The reader of our output went away; nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        place = f" {error.filename!r}" if error.filename else ""
        fail(f"the system refused{place}: {error.strerror}; check the path, the rights and the free space")
    except Exception as error:
        if os.environ.get("ICEFIRE_DEBUG"):
            raise
        fail(f"internal error, please report it: {type(error).__name__}: {error} (ICEFIRE_DEBUG=1 shows where)")


def fail(message: str) -> None:
    """Print one line and leave with the exit code for wrong use."""
    line = " ".join(message.split())
    print(f"icefire: error: {line}", file=sys.stderr)
    sys.exit(WRONG_USE)
