"""How much a command says besides its result: --quiet and --verbose, anywhere among the words typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from icefire.cli import console
from icefire.core.errors import ParameterError

END_OF_OPTIONS = "--"
QUIET, VERBOSE = "--quiet", "--verbose"


def split_manners(arguments: Sequence[str]) -> tuple[bool, bool, list[str]]:
    """Return whether --quiet and --verbose were asked for, and the other words typed.

    Raises:
        ParameterError: If both were asked for.
    """
    words = list(arguments)
    end = words.index(END_OF_OPTIONS) if END_OF_OPTIONS in words else len(words)
    options, rest = words[:end], words[end:]
    quiet, verbose = QUIET in options, VERBOSE in options
    if quiet and verbose:
        raise ParameterError(f"{QUIET} and {VERBOSE} contradict each other; give one of them")
    return quiet, verbose, [word for word in options if word not in (QUIET, VERBOSE)] + rest


@contextmanager
def manners(quiet: bool, verbose: bool) -> Iterator[None]:
    """Say nothing but results and errors, or also every step with its time, while this runs."""
    console.err.quiet, console.settings.verbose = quiet, verbose
    try:
        yield
    finally:
        console.err.quiet, console.settings.verbose = False, False
