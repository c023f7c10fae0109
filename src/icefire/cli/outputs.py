"""Files that commands write: never over an input, and over another file only with --force and if it is of its kind."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from icefire.cli.console import note, tolerated_closing

OUTPUTS = (
    "output",
    "html",
    "json",
    "records",
    "secret",
    "write_schema",
    "junit",
    "sarif",
    "summary",
    "picture",
    "candidates",
)
"""Parameters of commands that name what is written; every other that names an existing file or folder is read."""

_given: ContextVar[Mapping[str, Any] | None] = ContextVar("given", default=None)


def recorded(command: Callable[..., None]) -> Callable[..., None]:
    """Keep the values that a command was given, so that its outputs can be compared with all its inputs."""

    @functools.wraps(command)
    def keeping(*args: Any, **given: Any) -> None:
        _given.set(given)
        command(*args, **given)

    return keeping


def inputs() -> list[str | Path]:
    """Return the files and folders that the present command was told to read."""
    values = [value for name, value in (_given.get() or {}).items() if name not in OUTPUTS]
    single = [one for value in values for one in (value if isinstance(value, list | tuple) else [value])]
    return [one for one in single if isinstance(one, str | Path) and _exists(one)]


def _exists(value: str | Path) -> bool:
    try:
        return Path(value).exists()
    except (OSError, ValueError):
        return False


def check_files(*paths: str | Path | None, force: bool, secret: bool = False) -> None:
    """Refuse, before any work is done, a file that must not be written; - is standard output."""
    from icefire.core.errors import OutputError
    from icefire.io.places import check_file

    named = [Path(path) for path in paths if path is not None and path != "-"]
    for path in named:
        check_file(path, force, inputs(), secret)
    for place, path in enumerate(named):
        if path.resolve() in [other.resolve() for other in named[:place]]:
            raise OutputError(f"{str(path)!r} is named for two outputs; give each its own file")


@contextmanager
def new_file(path: str | Path, force: bool, secret: bool = False) -> Iterator[Path]:
    """Give a temporary path that becomes the file when all went well."""
    from icefire.io.writing import output_file

    with output_file(path, force, inputs(), secret) as draft:
        yield draft


def write_json(content: str, target: str | None, force: bool) -> None:
    """Write JSON to a file, or to standard output if that is -."""
    if target == "-":
        with tolerated_closing(sys.stdout):
            sys.stdout.write(content)
            sys.stdout.flush()
    elif target is not None:
        with new_file(target, force) as draft:
            draft.write_text(content, encoding="utf-8")
        note(f"json: {target}")
