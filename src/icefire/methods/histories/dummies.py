"""Add purchases until all customers of a cluster have bought the same goods."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import polars as pl

from icefire.core.history import History
from icefire.core.parameters import Bounds
from icefire.core.registry import method
from icefire.kernels.baskets import missing_goods
from icefire.kernels.types import Int
from icefire.methods.histories import clustering as clusterings
from icefire.methods.histories import placement as placements
from icefire.methods.histories.clustering import Clustering

USUAL_SIZE = 5


@method("dummies", data="history")
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

    `clusters` default to one for five customers. `clustering`: simple (k-means, Jaccard), tfidf (k-means, cosine of
    rarity weights), balanced (tfidf, then small clusters are filled up), minimal (the fewest added rows that annealing
    finds). `min_size` is the least size of balanced and minimal clusters, by default the most there can be.

    `placement` latest adds to the customer's latest receipt one piece at the good's latest price. plausible takes after
    a real buyer of the good who usually buys about as many at a time: his number and price, spread over the customer's
    receipts, rather those near in time; with `repeats` as many times as he came back for it, though not twice on one
    receipt, without it once.

    Rows that were there stay as they are, in front; added ones copy all other columns from the receipt they join.
    Customers without purchases have no receipt to add to: they stay as they are and are counted.
    """
    labels = _labels(data, clustering, clusters, min_size, rng)
    count = int(labels.max(initial=-1)) + 1
    baskets = data.baskets
    first, goods = missing_goods.missing_goods(baskets.start, baskets.items, baskets.goods, labels, count)
    who = np.repeat(np.arange(data.subjects), np.diff(first))
    wanted = goods.astype(np.int64)
    if placement == "latest":
        added = placements.latest(data, who, wanted)
    else:
        added = placements.plausible(data, who, wanted, repeats, rng)
    return data.with_frame(pl.concat([data.frame, added])).noted(**_facts(labels, len(who), added.height))


def _labels(
    data: History, how: Clustering, clusters: int | None, min_size: int | None, rng: np.random.Generator
) -> Int:
    if clusters is None:
        clusters = max(1, int(np.count_nonzero(data.baskets.sizes)) // max(USUAL_SIZE, min_size or 0))
    return clusterings.labels(data.baskets, how, clusters, min_size, rng)


def _facts(labels: Int, goods: int, rows: int) -> dict[str, Any]:
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
