"""Give customers a new pseudonym in every period."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from icefire.core.errors import ParameterError
from icefire.core.history import History
from icefire.core.registry import method
from icefire.methods.histories.periods import Period, first_days

RENAMED = "__renamed__"


@method("change_pseudonyms", data="history", needs=("date",), draws=False, drops_rows=False)
def change_pseudonyms(
    data: History,
    *,
    rng: np.random.Generator,
    period: Literal["receipt", "week", "month", "quarter", "year"] = "month",
) -> History:
    """Give every customer a new name in every period, so that a long history becomes several short ones.

    In the customer table the customer's row is repeated for each name. Customers without purchases keep their one name.
    Publishing renames all of them at random.

    Args:
        data: The history.
        rng: Unused; part of every method's signature.
        period: How long a name lasts. A receipt of its own is the shortest period; weeks begin on Monday.

    Returns:
        The history with new names; the notes count customers before and after.

    Raises:
        ParameterError: If `period` is receipt and there is no receipt column.
    """
    old, sign = data.frame[data.fields.subject], "/"
    while data.names.str.contains(sign, literal=True).any():
        sign += "/"
    new = (old + sign + _parts(data, period).fill_null("")).alias(data.fields.subject)
    changed = data.with_frame(data.frame.with_columns(new)).with_customers(_customers(data, old, new))
    return changed.noted(customers_before=data.subjects, customers_after=changed.subjects)


def _parts(data: History, period: Literal["receipt"] | Period) -> pl.Series:
    """What tells the periods of a customer apart, as text."""
    if period != "receipt":
        return first_days(data.when, period).cast(pl.String)
    receipts = data.column("receipt")
    if receipts is None:
        raise ParameterError(
            'change_pseudonyms: period "receipt" needs a receipt column; name it, or choose a period of time'
        )
    return receipts.cast(pl.String)


def _customers(data: History, old: pl.Series, new: pl.Series) -> pl.DataFrame | None:
    """Repeat each customer's row for all new names, in the order of the table and then of the names."""
    if data.customers is None:
        return None
    subject = data.fields.subject
    names = pl.DataFrame({subject: old, RENAMED: new}).unique().sort(RENAMED)
    joined = data.customers.join(names, on=subject, how="left", maintain_order="left_right")
    return joined.with_columns(pl.coalesce(RENAMED, subject).alias(subject)).drop(RENAMED)
