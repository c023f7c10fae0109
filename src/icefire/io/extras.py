"""Libraries that are installed with an extra."""

from __future__ import annotations

import importlib
from typing import Any

from icefire.core.errors import InputError


def needed(module: str, extra: str, what: str) -> Any:
    """Import a library of an extra.

    Raises:
        InputError: If it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(
            f"{what} need the library {module!r}, which is not installed; run: pip install 'icefire[{extra}]'"
        ) from None
