"""Refusals of the arena, each with its HTTP status; the text is shown to the user."""

from __future__ import annotations

from icefire.core.errors import IcefireError


class Refused(IcefireError):  # noqa: N818 - it is an answer, not a mistake of the program
    """Not now, or not you."""

    status = 403


class Absent(Refused):
    """Nothing here, or nothing you may see: the same answer for both."""

    status = 404

    def __init__(self) -> None:
        super().__init__("there is nothing here")


class NotLoggedIn(Refused):
    """Log in first."""

    status = 401


class TermsFirst(Refused):
    """The terms of the data are to be accepted before it is handed out."""


class WrongInput(Refused):
    """What was sent cannot be used; the quota is not touched."""

    status = 422

    def __init__(self, text: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.problems = problems or (text,)


class Clash(Refused):
    """Already there, or already used up."""

    status = 409


class TooLarge(Refused):
    """More than is taken."""

    status = 413


class TooSlow(Refused):
    """It took too long to send."""

    status = 408


class Unavailable(Refused):
    """The server cannot do this now through no fault of the user; nothing was taken."""

    status = 503
    seconds = 60
    """After which to try again."""


class TooMany(Refused):
    """Too often; try again later."""

    status = 429

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many attempts; try again in {seconds} seconds")
        self.seconds = seconds
