"""A mistake in a recipe as a value, so that all mistakes can be listed instead of raising the first."""

from __future__ import annotations

from dataclasses import dataclass

from icefire.core.errors import IcefireError, InputError


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake: the sentence, the step it is in (None for the recipe as a whole), the error it would be."""

    text: str
    step: int | None = None
    error: type[IcefireError] = InputError

    def as_error(self) -> IcefireError:
        """Return the error to raise where one mistake is enough."""
        return self.error(self.text)


def in_step(number: int, error: IcefireError) -> Fault:
    """Say in which step an error lies."""
    return Fault(f"recipe step {number}: {error.message}", number, type(error))
