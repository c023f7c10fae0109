"""Packages that come with an extra of icefire: are they installed?"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from icefire.core.errors import MissingPackageError


def require(package: str, extra: str, purpose: str) -> None:
    """Check that a package is installed, before any work that needs it.

    Args:
        package: Name under which it is imported.
        extra: Extra of icefire that it comes with.
        purpose: What needs it, as the subject of the message.

    Raises:
        MissingPackageError: If it is not installed; the message says how to install it.
    """
    if find_spec(package) is None:
        raise MissingPackageError(f"{purpose} needs {package}; install with: pip install 'icefire[{extra}]'")


def needed(package: str, extra: str, purpose: str) -> Any:
    """Import a package that comes with an extra; see `require`."""
    require(package, extra, purpose)
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingPackageError(
            f"{purpose} needs {package}, which cannot be loaded ({error}); install with: pip install 'icefire[{extra}]'"
        ) from None
