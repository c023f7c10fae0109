"""Add purchases until all customers of a cluster have bought the same goods."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl

from icefire.core.history import History
from icefire.core.history.baskets import Baskets
from icefire.core.parameters import Bounds
from icefire.core.registry import PartitionWay, method
from icefire.kernels.baskets import missing_goods
from icefire.kernels.types import Int
from icefire.methods.histories import clustering as clusterings
from icefire.methods.histories import placement as placements
from icefire.methods.histories.clustering import Clustering

USUAL_SIZE = 5


def _check_clusters(data: History, parameters: Mapping[str, Any], known: Collection[str] | None) -> None:
    """Refuse more clusters than the customers can fill, if no step before changes who they are or what they bought."""
    if parameters["clusters"] is not None and {data.fields.subject, data.fields.item} <= set(known or ()):
        customers = int(np.count_nonzero(data.baskets.sizes))
        clusterings.least_size(parameters["clustering"], customers, parameters["clusters"], parameters["min_size"])


def _way(parameters: Mapping[str, Any]) -> PartitionWay | None:
    """With plausible placement a buyer from another cluster is copied."""
    return "clusters" if parameters["placement"] == "latest" else None


@method(
    "dummies",
    data="history",
    draws=True,
    drops_rows=False,
    check=_check_clusters,
    defaults={"clusters": "one for five customers"},
    in_partitions=_way,
)
def dummies(
    data: History,
    *,
    rng: np.random.Generator,
    clustering: Clustering = "minimal",
    clusters: Annotated[int, Bounds(1)] | None = None,
    min_size: Annotated[int, Bounds(1)] | None = None,
    placement: Literal["latest", "plausible"] = "latest",
    repeats: bool = True,
) -> History:
    """Put similar customers into clusters and add rows until all customers of a cluster have the same goods.

    Rows that were there stay as they are, in front; added ones copy all other columns from the receipt they join.
    Customers without purchases have no receipt to add to: they stay as they are and are counted.

    Args:
        data: The history.
        rng: Random generator.
        clustering: simple (k-means, Jaccard), tfidf (k-means, cosine of rarity weights), balanced (tfidf, then small
            clusters are filled up), smallest_first (the same, but the smallest are filled first, each from the cluster
            that is largest when its turn comes), minimal (the fewest added rows that annealing finds).
        clusters: Number of clusters. Default: one for five customers.
        min_size: Least size of balanced, smallest_first and minimal clusters. Default: the most there can be.
        placement: latest adds to the customer's latest receipt one piece at the good's latest price; plausible takes
            after a real buyer of the good who usually buys about as many at a time: his number and price, spread over
            the customer's receipts, rather those near in time.
        repeats: With plausible placement, add the good as many times as that buyer came back for it, though not twice
            on one receipt.

    Returns:
        The history with added rows; the notes count them, and describe the clusters.

    Raises:
        ParameterError: If there are too few customers for the clusters, or `min_size` is given for clusters without
            one.
    """
    labels = cluster_labels(data.baskets, clustering, clusters, min_size, rng)
    who, wanted = _wanted(data, labels)
    if placement == "latest":
        added = placements.latest(data, who, wanted)
    else:
        added = placements.plausible(data, who, wanted, repeats, rng)
    return data.with_frame(pl.concat([data.frame, added])).noted(**cluster_facts(labels, len(who), added.height))


def cluster_labels(
    baskets: Baskets, how: Clustering, clusters: int | None, min_size: int | None, rng: np.random.Generator
) -> Int:
    """Return the cluster of every customer as `dummies` makes them; -1 for one without purchases."""
    if clusters is None:
        clusters = max(1, int(np.count_nonzero(baskets.sizes)) // max(USUAL_SIZE, min_size or 0))
    return clusterings.labels(baskets, how, clusters, min_size, rng)


def with_dummies(data: History, labels: Int, prices: pl.Series | None) -> History:
    """Add the rows that customers lack of given clusters, placed on their latest receipts.

    Args:
        data: All rows of the customers of some clusters.
        labels: Cluster of each customer, from 0.
        prices: Latest price of every good of `data`, in the whole history; None where there are no prices.
    """
    added = placements.latest(data, *_wanted(data, labels), prices)
    return data.with_frame(pl.concat([data.frame, added]))


def _wanted(data: History, labels: Int) -> tuple[Int, Int]:
    """Return customer and good of every good that a customer lacks of the cluster."""
    baskets, count = data.baskets, int(labels.max(initial=-1)) + 1
    first, goods = missing_goods.missing_goods(baskets.start, baskets.items, baskets.goods, labels, count)
    return np.repeat(np.arange(data.subjects), np.diff(first)), goods.astype(np.int64)


def cluster_facts(labels: Int, goods: int, rows: int) -> dict[str, Any]:
    """Describe the clusters, and count what was added.

    Args:
        labels: Cluster of each customer; -1 for one without purchases.
        goods: Goods that were added to customers.
        rows: Rows that were added for them.
    """
    sizes = np.bincount(labels[labels >= 0])
    facts = {
        "rows_added": rows,
        "goods_added": goods,
        "clusters": len(sizes),
        "customers_without_rows": int((labels < 0).sum()),
    }
    if len(sizes):
        facts |= {"smallest_cluster": int(sizes.min()), "largest_cluster": int(sizes.max())}
    return facts | {"customers_alone": int((sizes == 1).sum())}
