"""Expected cost and effect of clusters and dummies, by formula.

The model: all m rows of n customers are drawn from l goods, each good equally likely, and the customers are put into c
clusters of equal size. Dummies give everybody all goods of the cluster; an attacker who compares sets can then only
draw lots inside it. Real goods are long-tailed and real clusterings look for customers who are alike, so a measured
figure may well lie below the expected one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from icefire.core.errors import ParameterError
from icefire.kernels.types import Float, Int


@dataclass(frozen=True, slots=True)
class Curve:
    """The theory for every number of clusters from 1 to the number of customers."""

    clusters: Int
    dummies: Float
    """E(Δm), rows."""
    cost: Float
    """E(Δm) as a share of what one single cluster takes."""
    reid: Float
    """E(Reid) = c / n."""

    @property
    def total(self) -> Float:
        """Cost and risk added up: the smaller the better."""
        return self.cost + self.reid

    @property
    def best(self) -> int:
        """The number of clusters with the smallest total, the lowest of several."""
        return int(self.clusters[np.argmin(self.total)])


def expected_dummies(customers: int, rows: int, goods: int, clusters: float) -> float:
    """E(Δm) = n·l·{(1 − 1/l)^(m/n) − (1 − 1/l)^(m/c)}: dummy rows to expect."""
    _check(customers, rows, goods)
    if not 1 <= clusters <= customers:
        raise ParameterError(f"clusters is {clusters}; it must lie between 1 and the {customers} customers")
    return float(customers * goods * (_untouched(goods, rows / customers) - _untouched(goods, rows / clusters)))


def expected_reid(clusters: float, customers: int) -> float:
    """E(Reid) = c / n: the share of customers found by a random draw inside their cluster."""
    if not 0 < clusters <= customers:
        raise ParameterError(f"clusters is {clusters}; it must lie between 1 and the {customers} customers")
    return clusters / customers


def best_clusters(customers: int, rows: int, goods: int) -> int:
    """Return the number of clusters with the smallest total; the lowest of several."""
    return curve(customers, rows, goods).best


def curve(customers: int, rows: int, goods: int) -> Curve:
    """Work the theory out for every number of clusters, 1 to n."""
    _check(customers, rows, goods)
    clusters = np.arange(1, customers + 1)
    alone = _untouched(goods, rows / customers)
    dummies = customers * goods * (alone - _untouched(goods, rows / clusters))
    cost = dummies / dummies[0] if dummies[0] > 0 else np.zeros(customers)
    return Curve(clusters, dummies, cost, clusters / customers)


def shared_goods(mean_goods: float, mean_jaccard: float) -> float:
    """h = 2bμ / (1 + μ): goods two customers share on average, from their mean number b and mean Jaccard μ."""
    if mean_goods < 0 or not 0 <= mean_jaccard <= 1:
        raise ParameterError(
            f"the mean number of goods is {mean_goods} and the mean Jaccard coefficient {mean_jaccard}; "
            "the first is at least 0, the second lies between 0 and 1"
        )
    return 2 * mean_goods * mean_jaccard / (1 + mean_jaccard)


def _untouched(goods: int, rows: float | Float) -> Float:
    """The chance (1 − 1/l)^rows that none of so many rows is of a given good."""
    if goods == 1:
        return np.where(np.asarray(rows) > 0, 0.0, 1.0)
    return np.exp(math.log1p(-1 / goods) * np.asarray(rows))


def _check(customers: int, rows: int, goods: int) -> None:
    for name, value, least in (("customers", customers, 1), ("rows", rows, 0), ("goods", goods, 1)):
        if value < least:
            raise ParameterError(f"the number of {name} is {value}; it must be at least {least}")
