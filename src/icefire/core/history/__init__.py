"""Histories: many rows per person (purchases, trips, views). A subject here is what a row is in a table.

A `History` is a file of transactions with the meaning of its columns and, where there is one, a table of the
customers. Methods, measures and attacks for histories are registered with `data="history"` and receive a `History`,
a `HistoryComparison` or a `HistoryCase`; truth and guess name subjects instead of rows, and the judge is the same.
"""

from icefire.core.history.baskets import Baskets
from icefire.core.history.case import HistoryCase, HistoryComparison
from icefire.core.history.fields import Fields
from icefire.core.history.history import History
from icefire.core.history.publishing import publish

__all__ = ["Baskets", "Fields", "History", "HistoryCase", "HistoryComparison", "publish"]
