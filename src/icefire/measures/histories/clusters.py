"""Number and size of the clusters of customers with the same set of goods."""

from __future__ import annotations

from icefire.core.errors import UndefinedError
from icefire.core.history import HistoryComparison, groups
from icefire.core.registry import measure
from icefire.kernels.types import Int


@measure("clusters", data="history", best="1")
def clusters(comparison: HistoryComparison) -> float:
    """Number of different sets of goods among the released customers.

    By drawing lots among those who look alike, clusters / customers are identified on average.

    Args:
        comparison: The comparison, of which only the released history is looked at.

    Returns:
        The number of different sets.

    Raises:
        UndefinedError: If the release has no customers.
    """
    return float(len(_sizes(comparison)))


@measure("singletons", data="history")
def singletons(comparison: HistoryComparison) -> float:
    """Number of released customers whose set of goods nobody else has.

    Args:
        comparison: The comparison, of which only the released history is looked at.

    Returns:
        The number of customers.

    Raises:
        UndefinedError: If the release has no customers.
    """
    return float((_sizes(comparison) == 1).sum())


@measure("smallest_cluster", data="history", better="higher", best="all")
def smallest_cluster(comparison: HistoryComparison) -> float:
    """Smallest number of released customers with the same set of goods: k-anonymity of the sets.

    Args:
        comparison: The comparison, of which only the released history is looked at.

    Returns:
        The number of customers of the smallest cluster.

    Raises:
        UndefinedError: If the release has no customers.
    """
    return float(_sizes(comparison).min())


@measure("largest_cluster", data="history", best="2")
def largest_cluster(comparison: HistoryComparison) -> float:
    """Largest number of released customers with the same set of goods.

    Made by dummies, one large cluster costs far more rows than several small ones.

    Args:
        comparison: The comparison, of which only the released history is looked at.

    Returns:
        The number of customers of the largest cluster.

    Raises:
        UndefinedError: If the release has no customers.
    """
    return float(_sizes(comparison).max())


def _sizes(comparison: HistoryComparison) -> Int:
    if not comparison.released.subjects:
        raise UndefinedError("the release has no customers, so there are no clusters")
    return groups.sizes(groups.labels(comparison.released.baskets))
