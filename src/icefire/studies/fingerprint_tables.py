"""Tables to test fingerprints with, none of which the model was trained on: samples, and public data from a folder."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import icefire
from icefire.core import roles
from icefire.core.dataset import Dataset
from icefire.studies.strongest_releases import adult

TableSource = Callable[[np.random.Generator], Dataset]
LEAST, MOST = 400, 1500
"""Rows of a table that is tested with."""
PUBLIC = ("adult.data.gz", "B.csv", "online_retail.csv.gz")
"""Files of public tables, in the folder given or in folders of it."""


def sample_table(name: str) -> TableSource:
    """Draw a sample of the package."""

    def draw(rng: np.random.Generator) -> Dataset:
        table = icefire.sample(name, int(rng.integers(LEAST, MOST)), seed=int(rng.integers(1 << 20)))
        assert isinstance(table, Dataset)
        return table

    return draw


def rows_of(data: Dataset) -> TableSource:
    """Draw rows of a table."""

    def draw(rng: np.random.Generator) -> Dataset:
        count = min(data.height, int(rng.integers(LEAST, MOST)))
        return data.take(np.sort(rng.permutation(data.height)[:count]))

    return draw


def public_tables(folder: Path) -> dict[str, TableSource]:
    """Read the public tables that lie in a folder; those that do not are left out."""
    readers = {"adult": adult_table, "nhanes": nhanes, "retail": retail}
    places = {name: next(iter(sorted(folder.rglob(file))), None) for name, file in zip(readers, PUBLIC, strict=True)}
    return {name: rows_of(readers[name](path)) for name, path in places.items() if path is not None}


def adult_table(path: Path) -> Dataset:
    """UCI Adult."""
    return adult(path.parent)


def nhanes(path: Path) -> Dataset:
    """The survey of PWS Cup 2021, without its two constant columns."""
    names = ["gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia"]
    frame = pl.read_csv(path, has_header=False, new_columns=names).drop("gh", "mets")
    return Dataset(frame, roles.choose(frame, ["gen", "age", "race", "edu", "mar"], ["bmi", "dep", "pir", "qm", "dia"]))


def retail(path: Path) -> Dataset:
    """Customers of an online shop: country and first month, and what they bought, one row each."""
    with gzip.open(path, "rb") as file:
        lines = pl.read_csv(file.read(), infer_schema_length=0, encoding="utf8-lossy")
    lines = lines.rename({name: name.lower().replace(" ", "") for name in lines.columns})
    customer = "customerid" if "customerid" in lines.columns else "customer"
    lines = lines.filter(pl.col(customer).is_not_null() & (pl.col(customer) != ""))
    quantity, price = (
        pl.col("quantity").cast(pl.Float64, strict=False),
        pl.col("unitprice").cast(pl.Float64, strict=False),
    )
    frame = (
        lines.group_by(customer)
        .agg(
            country=pl.col("country").first(),
            receipts=pl.col("invoiceno").n_unique().cast(pl.Int64).clip(0, 12),
            goods=(pl.col("stockcode").n_unique() // 10).cast(pl.Int64).clip(0, 15),
            spent=(quantity * price).sum().round(2),
            pieces=quantity.sum().cast(pl.Int64),
            mean_price=price.mean().round(2),
            largest=quantity.max().cast(pl.Int64),
        )
        .sort(customer)
        .drop(customer)
    )
    return Dataset(
        frame, roles.choose(frame, ["country", "receipts", "goods"], ["spent", "pieces", "mean_price", "largest"])
    )
