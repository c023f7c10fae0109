"""Channels to begin learning with: what columns may have gone through, guessed before any row is matched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icefire.attacks.tables.link.channels import SHARES, Channel, is_renaming_possible
from icefire.attacks.tables.link.columns import NUMBER_LEVELS, CodedLevels, LinkColumn
from icefire.kernels.types import Bool, Float

SURE = 0.9
START = ((0.9, 0.01), (0.6, 0.05), (0.3, 0.15))
"""Shares of equal values and scales of rank to start from."""
MOVED = 0.1
"""Columns were replaced by others if values have another place in the original than in their own table by so much."""
ROWS = 5000
"""Rows that correlations are computed from."""
UNCHANGED = 0.995
"""A column has labels if a smaller share of its values are values of the original."""
QUANTILES = np.linspace(0.01, 0.99, 50)
ORDER = 0.02
"""Scale of rank to start from where only the order may have been kept."""


def plain_starts(columns: Sequence[LinkColumn]) -> list[list[Channel]]:
    """List where to begin with values that still are values of the original: sharp, middling and broad channels."""
    return [[first_channel(column, same, rank) for column in columns] for same, rank in START]


def first_channel(column: LinkColumn, same: float, rank: float, swapped: bool = False) -> Channel:
    """Return the channel to begin with if so many values are the same, or moved by so much in rank."""
    if column.covers is not None and not swapped:
        return Channel("covers", 0.0, 0.05)
    if has_many_numbers(column):
        return Channel("rank", rank, 0.05, swapped)
    return Channel("same", SURE + 0.01 if swapped else same, swapped=swapped)


def has_many_numbers(column: LinkColumn) -> bool:
    """Tell whether a column holds numbers whose places and distances are worth comparing."""
    return column.numeric and column.x.count > NUMBER_LEVELS


def starts_of_replaced_values(columns: Sequence[LinkColumn]) -> list[list[Channel]]:
    """List where to begin if columns were replaced by others: another unit, a secret factor or code, reversed order.

    Nothing is listed where the values of every column have the place in their own table that they have in the original.
    """
    moved = np.array([_is_moved(column) for column in columns], np.bool_)
    reversed_order = _is_reversed(columns)
    starts = []
    if moved.any():
        starts.append([_same_order(column) if column.numeric else _renamed(column) for column in columns])
        starts.append(
            [_renamed(column) if m else _same_order(column) for column, m in zip(columns, moved, strict=True)]
        )
    if reversed_order.any():
        order = zip(starts[0] if starts else map(_same_order, columns), reversed_order, strict=True)
        starts.append([Channel("reversed_rank", ORDER) if is_reversed else other for other, is_reversed in order])
    return [start for place, start in enumerate(starts) if start not in starts[:place]]


def _same_order(column: LinkColumn) -> Channel:
    return Channel("own_rank", ORDER) if column.numeric else first_channel(column, *START[0])


def _renamed(column: LinkColumn) -> Channel:
    return Channel("renamed", SHARES[1], 0.02) if is_renaming_possible(column) else _same_order(column)


def _is_moved(column: LinkColumn) -> bool:
    """Tell whether the released values are distributed otherwise than the original ones."""
    if column.numeric:
        far = np.abs(column.y.own_rank - column.y.rank)
        return bool(np.nanmax(np.where(column.y.share > 0, far, 0.0)) > MOVED)
    if _labels_are_read(column) or not is_renaming_possible(column):
        return False
    same_share = np.where(column.same, column.x.share[None, :], 0.0).sum(axis=1)
    return bool(np.abs(column.y.share - same_share).sum() / 2 > MOVED)


def _labels_are_read(column: LinkColumn) -> bool:
    """Tell whether there are released labels that are known to cover some values and not others."""
    if column.covers is None or column.kept > UNCHANGED:
        return False
    known = column.covers[column.y.share > 0][:, column.x.share > 0]
    return not bool(known.all())


def _is_reversed(columns: Sequence[LinkColumn]) -> Bool:
    """Tell which columns seem to be in reversed order, by their correlations with others and by their shape.

    Correlations tell it for columns relative to one another, shapes for each by itself; the signs that agree best with
    both are those of an eigenvector.
    """
    places = [place for place, column in enumerate(columns) if column.numeric]
    is_reversed = np.zeros(len(columns), np.bool_)
    if not places:
        return is_reversed
    numbers = [columns[place] for place in places]
    agreement = np.zeros((len(places) + 1, len(places) + 1))
    agreement[1:, 1:] = _correlations([c.x for c in numbers]) * _correlations([c.y for c in numbers])
    agreement[0, 1:] = agreement[1:, 0] = [_agreement_of_shapes(column) for column in numbers]
    np.fill_diagonal(agreement, 0.0)
    signs = np.linalg.eigh(agreement)[1][:, -1]
    is_reversed[places] = signs[1:] * (signs[0] or 1.0) < 0
    return is_reversed


def _correlations(sides: Sequence[CodedLevels]) -> Float:
    """Return the rank correlations of the columns of one table."""
    step = max(1, len(sides[0].codes) // ROWS)
    ranks = np.stack([np.nan_to_num(side.own_rank[side.codes[::step]] - 0.5) for side in sides])
    size = np.sqrt((ranks**2).sum(axis=1))
    correlations: Float = ranks @ ranks.T / np.maximum(np.outer(size, size), 1e-12)
    return correlations


def _agreement_of_shapes(column: LinkColumn) -> float:
    """Return how much nearer the distributions are as they stand than with one of them reversed; at most 1."""
    one, other = (_standard_quantiles(side) for side in (column.x, column.y))
    return float(np.clip(np.abs(one + other[::-1]).mean() - np.abs(one - other).mean(), -1.0, 1.0))


def _standard_quantiles(side: CodedLevels) -> Float:
    known = side.share > 0
    value, share = side.value[known], side.share[known]
    mean = float(value @ share)
    spread = float(np.sqrt(((value - mean) ** 2) @ share))
    at = np.minimum(np.searchsorted(np.cumsum(share), QUANTILES), len(value) - 1)
    quantiles: Float = (value[at] - mean) / max(spread, 1e-300)
    return quantiles
