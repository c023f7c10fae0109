"""The packages that the arena needs beyond the rest of icefire: whoever has not installed them is told how."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from icefire.cli.commands import Command, Declared
from icefire.core.errors import IcefireError

PACKAGES = (
    "alembic",
    "cryptography",
    "fastapi",
    "httpx",
    "prometheus_client",
    "pwdlib",
    "python_multipart",
    "sqlalchemy",
    "sse_starlette",
    "uvicorn",
)


ONLY_UNIX = ("fcntl", "pwd", "resource")
"""Modules of Python that Windows has not, which the judge needs to confine what it runs."""


class NotInstalled(IcefireError):  # noqa: N818 - it is about the machine, not about the program
    """A package is missing."""


def requiring_packages(commands: Iterable[Declared]) -> list[Declared]:
    """Return the commands with a check, before each runs, that the packages of the arena are there."""
    return [
        replace(command, function=_checked(command.function))
        if isinstance(command, Command)
        else replace(command, commands=requiring_packages(command.commands))
        for command in commands
    ]


def _checked(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> None:
        missing = [name for name in PACKAGES if find_spec(name) is None]
        if missing:
            raise NotInstalled(f"the arena needs {', '.join(missing)}; install with: pip install 'icefire[arena]'")
        try:
            function(*args, **kwargs)
        except ModuleNotFoundError as error:
            if error.name not in ONLY_UNIX:
                raise
            raise NotInstalled(
                f"the arena's judge confines what it runs by means that this system lacks ({error.name}); "
                "run the arena on Linux"
            ) from None

    return checked
