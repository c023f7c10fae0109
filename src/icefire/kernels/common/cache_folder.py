"""Where compiled functions are kept: a folder of the user's cache for each version of their sources.

Numba keeps what it compiled beside the module and asks only whether that module has changed. A function that calls one
of another module, which has changed, would be loaded as it was. So the folder is named by a digest of the module and of
all modules of kernels that it imports. `NUMBA_CACHE_DIR` comes first; where the user's cache cannot be written, Numba's
own places follow.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from icefire._version import __version__

PACKAGE = Path(__file__).parents[2]
"""The folder of icefire."""
KERNELS = PACKAGE / "kernels"
IMPORTS = re.compile(r"^from icefire\.(kernels[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


def cache_folder() -> Path:
    """Return the folder of all compiled functions of this version of icefire."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "icefire" / "kernels" / __version__


@cache
def source_digest(module: Path) -> str:
    """Return a digest of a module of kernels and of all modules of kernels that it imports, directly or not."""
    files = sorted(_with_imported(module), key=str)
    digest = hashlib.blake2b(digest_size=10)
    for file in files:
        digest.update(f"{file.relative_to(KERNELS).as_posix()}\n".encode() + _source(file))
    return digest.hexdigest()


def _with_imported(module: Path) -> set[Path]:
    """Return the module and the modules of kernels that it imports, directly or not."""
    modules, left = {module}, [module]
    while left:
        fresh = _imported(left.pop()) - modules
        modules |= fresh
        left += fresh
    return modules


@cache
def _imported(module: Path) -> frozenset[Path]:
    """Return the modules of kernels that one imports itself."""
    names = set()
    for place, several, one in IMPORTS.findall(_source(module).decode()):
        names |= {place, *(f"{place}.{name.split()[0]}" for name in (several or one).split(",") if name.strip())}
    files = (PACKAGE / Path(*name.split(".")).with_suffix(".py") for name in names)
    return frozenset(file for file in files if file.is_file())


@cache
def _source(module: Path) -> bytes:
    return module.read_bytes()


def _make(folder: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()


@cache
def _can_be_written(folder: str) -> bool:
    """Tell it once for all functions of a module."""
    try:
        _make(folder)
    except OSError:
        return False
    return True


@cache
def _digest_of_ours(file: str) -> str | None:
    """Return the digest of a module of kernels, once for all its functions; None for other modules."""
    module = Path(file)
    return source_digest(module) if module.is_relative_to(KERNELS) and module.is_file() else None


def _folder(digest: str) -> str:
    return str(cache_folder() / digest)


class SourceLocator:
    """Tells Numba where the compiled versions of a function are kept; see `numba.core.caching`."""

    def __init__(self, line: int, digest: str) -> None:
        self.line = line
        self.digest = digest

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> SourceLocator | None:
        """Return the locator of a function of ours, or None for others and where the folder cannot be written."""
        digest = _digest_of_ours(file)
        if digest is None or not _can_be_written(_folder(digest)):
            return None
        return cls(function.__code__.co_firstlineno, digest)

    def ensure_cache_path(self) -> None:
        """Make the folder; raises OSError where nothing can be written to it."""
        _make(self.get_cache_path())

    def get_cache_path(self) -> str:
        """Return the folder."""
        return _folder(self.digest)

    def get_source_stamp(self) -> str:
        """Return what must be equal for a compiled version to be used."""
        return self.digest

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one module apart."""
        return str(self.line)


def use_cache_folder() -> None:
    """Let Numba look for our functions in our folder, after the one that `NUMBA_CACHE_DIR` names."""
    from numba.core import caching

    locators = getattr(getattr(caching, "CacheImpl", None), "_locator_classes", None)
    if isinstance(locators, list) and SourceLocator not in locators:
        locators.insert(1, SourceLocator)
