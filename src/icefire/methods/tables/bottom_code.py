"""Bottom coding: no value below a limit."""

from __future__ import annotations

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns, Share
from icefire.core.registry import method
from icefire.methods.common import outliers
from icefire.methods.common.columns import numeric


@method("bottom_code")
def bottom_code(
    data: Dataset,
    *,
    rng: np.random.Generator,
    value: float | None = None,
    quantile: Share = 0.05,
    how: outliers.How = "clip",
    columns: Columns = None,
) -> Dataset:
    """Clip numbers below a limit to it, or leave out the rows that hold one.

    `columns` default to the numeric sensitive attributes, or else the numeric quasi-identifiers. The limit is
    `value`, or else the `quantile` of each column: the smallest value that this share of it does not exceed. Only
    values strictly below change; in a column of whole numbers the limit is rounded up. `how` = drop leaves out
    every row with such a value in any of the columns. Missing values stay missing.
    """
    return outliers.code(data, "bottom", numeric(data, "bottom_code", columns), value, quantile, how)
