"""Synthetic data to try every part of icefire on, without touching anyone's real data.

Each sample is one module of this package, found by name and imported only when asked for. Every module has
`DEFAULT_ROWS`, `DEFAULT_SEED`, `chunks(n, seed)` and `frame(n, seed)`; the same seed gives the same bytes. One that
makes a history also has `FIELDS`, `COUNTED` (the column whose values n counts), `customers(n, seed)` and
`history(n, seed)`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from icefire.core.errors import UnknownNameError, did_you_mean

_MODULES = {
    "households": "icefire.samples.households",
    "shop": "icefire.samples.shop",
    "survey": "icefire.samples.survey",
}


def available() -> list[str]:
    """Return the names of the samples, in alphabetical order."""
    return sorted(_MODULES)


def load(name: str) -> ModuleType:
    """Return the module that makes the sample of this name."""
    if name not in _MODULES:
        raise UnknownNameError(f"no sample is called {name!r}; {did_you_mean(name, available())}")
    return import_module(_MODULES[name])
