"""The arena needs more packages than the rest of icefire; whoever has not installed them is told how."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.util import find_spec
from typing import ParamSpec, TypeVar

from icefire.core.errors import IcefireError

P = ParamSpec("P")
R = TypeVar("R")

PACKAGES = (
    "alembic",
    "cryptography",
    "fastapi",
    "httpx",
    "pwdlib",
    "python_multipart",
    "sqlalchemy",
    "sse_starlette",
    "uvicorn",
)


class NotInstalled(IcefireError):  # noqa: N818 - it is about the machine, not about the program
    """Something is missing that pip can bring."""


def needs_arena(command: Callable[P, R]) -> Callable[P, R]:
    """Check, before a command runs, that the packages of the arena are there."""

    @functools.wraps(command)
    def checked(*given: P.args, **options: P.kwargs) -> R:
        missing = [name for name in PACKAGES if find_spec(name) is None]
        if missing:
            raise NotInstalled(f"the arena needs {', '.join(missing)}; install with: pip install 'icefire[arena]'")
        return command(*given, **options)

    return checked
