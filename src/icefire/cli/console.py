"""Output: results to standard output, progress and errors to standard error; exit codes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from icefire.core.errors import IcefireError
from icefire.core.types import Progress
from icefire.words import said

WRONG_USE = 2
INTERRUPTED = 130
"""How the command framework reports that the user pressed Ctrl-C."""
OVER_A_LIMIT = 1


@contextmanager
def tolerated_closing(stream: Any) -> Iterator[None]:
    """Go on when whoever reads a stream stops reading (`| head -1`): the rest is dropped, the exit code stays."""
    try:
        yield
    except BrokenPipeError:
        _drop(stream)


def _drop(stream: Any) -> None:
    """Send whatever is still written to a stream nowhere."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


class _Output(Console):
    """A console that goes on when its reader has gone."""

    def on_broken_pipe(self) -> None:
        """Drop the rest of the output, instead of ending the program with code 1."""
        _drop(self.file)


out = _Output(soft_wrap=False, highlight=False)
err = _Output(stderr=True, highlight=False)


def note(text: str) -> None:
    """Print a remark that is not part of the result, in the language in use."""
    err.print(said(text), style="dim", markup=False)


def as_json(value: Any) -> str:
    """Write a value as indented JSON."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


@dataclass
class Settings:
    """How much is said besides results."""

    verbose: bool = False


settings = Settings()


def detail(text: str) -> None:
    """Print a remark that is only for who asked for --verbose."""
    if settings.verbose:
        note(text)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show the stages of work that takes over a second on a terminal; elsewhere a line per stage with --verbose."""
    started = time.perf_counter()
    if err.is_terminal and not settings.verbose:
        from rich.live import Live

        from icefire.cli.stages import Stages

        stages = Stages()
        with Live(stages, console=err, transient=True, refresh_per_second=4):
            yield stages
        return
    yield lambda stage: detail(f"[{time.perf_counter() - started:.1f} s] {stage}")
    detail(f"[{time.perf_counter() - started:.1f} s] done")


def guarded(command: Callable[[], None]) -> None:
    """Run a command; wrong use and interruption become one line and exit code 2, never a traceback."""
    try:
        try:
            command()
        finally:
            for stream in (sys.stdout, sys.stderr):
                with tolerated_closing(stream):
                    stream.flush()
    except IcefireError as error:
        fail(str(error))
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != INTERRUPTED:
            # Help whose reader has gone: the command framework ends with 1 and leaves this wrapper behind.
            sys.exit(0 if type(sys.stdout).__name__ == "PacifyFlushWrapper" else stop.code)
        fail("interrupted; nothing was written: run the command again")
    except MemoryError:
        fail("out of memory; give fewer rows or columns, or a larger machine")
    except BrokenPipeError:
        # The reader of our output went away; nothing is left to say to it.
        _drop(sys.stdout)
        sys.exit(0)
    except OSError as error:
        place = f" {error.filename!r}" if error.filename else ""
        # What polars raises has no strerror.
        reason = error.strerror or next(iter(str(error).splitlines()), "") or type(error).__name__
        fail(f"the system refused{place}: {reason}; check the path, the rights and the free space")
    except Exception as error:
        if os.environ.get("ICEFIRE_DEBUG"):
            raise
        fail(f"internal error, please report it: {type(error).__name__}: {error} (ICEFIRE_DEBUG=1 shows where)")


def fail(message: str) -> None:
    """Print one line and leave with the exit code for wrong use."""
    line = " ".join(_translated(message).split())
    with tolerated_closing(sys.stderr):
        print(f"icefire: error: {line}", file=sys.stderr, flush=True)
    sys.exit(WRONG_USE)


def _translated(message: str) -> str:
    """Put a message into the current language; one about the language itself stays English."""
    try:
        return said(" ".join(message.split()))
    except ValueError:
        return message
