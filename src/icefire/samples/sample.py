"""The verb `sample`: make synthetic data."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, overload

from icefire import samples
from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.io.read import read_table


@overload
def sample(
    name: Literal["households", "hospital", "survey"] = "households",
    rows: int | None = None,
    *,
    seed: int | None = None,
) -> Dataset: ...
@overload
def sample(name: Literal["shop"], rows: int | None = None, *, seed: int | None = None) -> History: ...
@overload
def sample(name: str, rows: int | None = None, *, seed: int | None = None) -> Dataset | History: ...
def sample(name: str = "households", rows: int | None = None, *, seed: int | None = None) -> Dataset | History:
    """Make synthetic data with their roles: the same name, rows and seed give the same data.

    Args:
        name: Which sample: "households", "hospital" and "survey" are tables, "shop" is a history.
        rows: How many rows; of a shop, how many customers. Default: as many as in the contest it resembles.
        seed: Seed of the draws. Default: the sample's own.

    Returns:
        A `Dataset`, or for a shop a `History`.

    Raises:
        UnknownNameError: If there is no sample of this name.
        ParameterError: If so many rows, or this seed, cannot be drawn.
    """
    module = samples.load(name)
    size = module.DEFAULT_ROWS if rows is None else samples.checked_rows(module, rows)
    drawn_seed = module.DEFAULT_SEED if seed is None else seed
    if hasattr(module, "history"):
        history: History = module.history(size, drawn_seed)
        return history
    frame = module.frame(size, drawn_seed)
    chosen = roles.choose(frame, module.QI, module.SA, getattr(module, "ID", ()))
    return replace(read_table(frame, schema=chosen), name=name)
