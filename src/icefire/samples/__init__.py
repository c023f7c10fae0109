"""Synthetic data to try every part of icefire on, without touching anyone's real data.

Each sample is one folder of this package, found by its name and imported only when asked for. Every one has
`DEFAULT_ROWS`, `DEFAULT_SEED`, `chunks(n, seed)` and `frame(n, seed)`; the same seed gives the same bytes. A table also
has `QI` and `SA`; a history has `FIELDS`, `COUNTED` (the column whose values n counts), `customers(n, seed)` and
`history(n, seed)`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

from icefire.core.errors import ParameterError, UnknownNameError, did_you_mean


def available() -> list[str]:
    """Return the names of the samples, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def load(name: str) -> ModuleType:
    """Return the package that makes the sample of this name."""
    if name not in available():
        raise UnknownNameError(f"no sample is called {name!r}; {did_you_mean(name, available())}")
    return import_module(f"{__name__}.{name}")


def checked_rows(module: ModuleType, rows: int) -> int:
    """Return how many rows or customers were asked for.

    Raises:
        ParameterError: If it is less than 1.
    """
    if rows < 1:
        raise ParameterError(
            f"a sample of {rows} {getattr(module, 'COUNTED', 'row')}s cannot be made; ask for at least 1"
        )
    return rows
