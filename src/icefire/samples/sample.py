"""Make synthetic data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from icefire import samples
from icefire.core import roles
from icefire.io.read import read_table


def sample(name: str = "households", rows: int | None = None, *, seed: int | None = None) -> Any:
    """Make synthetic data with their roles: the same name, rows and seed give the same data.

    Returns a `Dataset`, or for a shop a `History`, of which `rows` counts the customers.
    """
    module = samples.load(name)
    wanted, drawn = rows or module.DEFAULT_ROWS, module.DEFAULT_SEED if seed is None else seed
    if hasattr(module, "history"):
        return module.history(wanted, drawn)
    frame = module.frame(wanted, drawn)
    chosen = roles.choose(frame, module.QI, module.SA)
    return replace(read_table(frame, None, None, (), chosen, None, None), name=name)
