"""Synthetic purchase histories, like the Online Retail data of PWS Cup 2016.

One row is one line of a receipt: who, when, what, at which price, how many. Customers are private people, small shops
and wholesalers with favourite departments; a few goods sell often and most hardly ever, some only in their season, and
customers come back for what they bought before. A second table holds the customers. No row describes anyone: all are
drawn from tables made up for this sample, tuned so that 400 customers have about as many rows (38,000), receipts
(1,760), goods (2,800), goods per customer (65) and goods in common (mean Jaccard coefficient 0.03) as the contest's.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from icefire.core.errors import ParameterError
from icefire.core.history import Fields, History
from icefire.samples.draw import Draws, check_size, chunk_sizes, join_chunks
from icefire.samples.shop import people, purchases
from icefire.samples.shop.people import DrawnCustomers

DEFAULT_ROWS = 400
DEFAULT_SEED = 2016
COUNTED = "customer"
"""The size of the sample counts customers, not rows."""
CHUNK_CUSTOMERS = 1024
STREAMS = 3  # of random numbers in every chunk: customers, receipts, lines

FIELDS = Fields("customer", "goods", "receipt", "date", "time", "price", "number")


def chunks(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the purchases of n customers, CHUNK_CUSTOMERS at a time; fewer customers are a prefix of more."""
    return _purchases(_customers(n, seed), seed)


def customers(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> Iterator[pl.DataFrame]:
    """Return the table of n customers, CHUNK_CUSTOMERS at a time."""
    return (some.table() for some in _customers(n, seed))


def frame(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> pl.DataFrame:
    """Return all purchases as one frame."""
    return join_chunks(chunks(n, seed))


def history(n: int = DEFAULT_ROWS, seed: int = DEFAULT_SEED) -> History:
    """Return purchases and customers as a history."""
    as_text = pl.col("customer").cast(pl.String)
    rows = frame(n, seed).with_columns(as_text, pl.col("receipt").cast(pl.String))
    return History(rows, FIELDS, pl.concat(customers(n, seed)).with_columns(as_text), "shop")


def _customers(n: int, seed: int) -> Iterator[DrawnCustomers]:
    check_size(n, seed)
    if n == 1:
        raise ParameterError("a shop with 1 customer is no sample of a history; ask for at least 2")
    sizes = chunk_sizes(n, CHUNK_CUSTOMERS)
    return (people.draw(Draws(seed, STREAMS * i, size), i * CHUNK_CUSTOMERS) for i, size in enumerate(sizes))


def _purchases(customers_in_chunks: Iterator[DrawnCustomers], seed: int) -> Iterator[pl.DataFrame]:
    receipts = 0
    for i, some in enumerate(customers_in_chunks):
        rows, count = purchases.draw(some, seed, STREAMS * i + 1, receipts)
        receipts += count
        yield rows
