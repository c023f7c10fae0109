"""Errors of icefire: each message says what happened, the value, what is allowed and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from icefire.core.option_names import in_words_of_surface


class IcefireError(Exception):
    """Wrong use: the command line prints it on one line and exits with 2.

    As text it names options in the words of the surface in use; `message` always names those of the command line.
    """

    @property
    def message(self) -> str:
        """The message with the options of the command line."""
        return str(self.args[0]) if self.args else ""

    def __str__(self) -> str:
        return in_words_of_surface(self.message)


class InputError(IcefireError):
    """A file or table that cannot be read or used as it is."""


class SchemaError(IcefireError):
    """Columns or roles that do not fit the table."""


class UnknownNameError(IcefireError):
    """A method, measure, attack, sample or study nobody registered."""


class ParameterError(IcefireError):
    """A parameter that does not exist or a value it does not take."""


class OutputError(IcefireError):
    """A place that cannot be written."""


class MissingPackageError(IcefireError):
    """A package that comes with an extra of icefire and is not installed."""


class UndefinedError(IcefireError):
    """A measure that has no value on these tables; the scorecard says why instead of a number."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like the one received, if any is like it."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    matches = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    longer = (candidate for lower, candidate in by_lower.items() if lower.startswith(f"{name.lower()}_"))
    return by_lower[matches[0]] if matches else next(longer, None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Say what is allowed and, where one is close, what was probably meant."""
    names = list(known)
    close = nearest(name, names)
    allowed = listing(names) if names else "none"
    return f"did you mean {close!r}? allowed: {allowed}" if close else f"allowed: {allowed}"


def listing(names: Iterable[str], most: int = 12) -> str:
    """Join names for a message, cutting a long list short."""
    every = [str(name) for name in names]
    shown = ", ".join(every[:most])
    return shown if len(every) <= most else f"{shown}, … ({len(every)} in all)"
