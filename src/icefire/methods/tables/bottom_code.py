"""Bottom coding: limit values from below."""

from __future__ import annotations

import numpy as np

from icefire.core.dataset import Dataset
from icefire.core.parameters import Columns, Share
from icefire.core.registry import method
from icefire.methods.common import outliers
from icefire.methods.common.columns import NUMBERS_BY_ROLE, numeric, numeric_check


@method(
    "bottom_code",
    draws=False,
    drops_rows=lambda parameters: parameters["how"] == "drop",
    check=numeric_check("bottom_code"),
    defaults={"columns": NUMBERS_BY_ROLE},
    in_partitions=lambda parameters: None if parameters["value"] is None else "rows",
)
def bottom_code(
    data: Dataset,
    *,
    rng: np.random.Generator,
    value: float | None = None,
    quantile: Share = 0.05,
    how: outliers.OutlierTreatment = "clip",
    columns: Columns = None,
) -> Dataset:
    """Clip numbers below a limit to it, or leave out the rows that hold one.

    Only values strictly below the limit change; in a column of whole numbers the limit is rounded up. Missing values
    stay missing.

    Args:
        data: The table.
        rng: Unused; part of every method's signature.
        value: The limit. Default: the quantile of each column.
        quantile: The limit as a share: the smallest value of a column that this share of it does not exceed.
        how: Clip the values, or drop every row with such a value in any of the columns.
        columns: Columns to limit. Default: the numeric sensitive attributes, or else the numeric quasi-identifiers.

    Returns:
        The table within the limits; the notes count the values changed or the rows left out.

    Raises:
        ParameterError: If a column holds no numbers, there is none to work on, or every row would go.
    """
    return outliers.code(data, "bottom", numeric(data, "bottom_code", columns), value, quantile, how)
