"""Bounds on a statistic of every class: the privacy models an anonymiser has to keep.

    wanted = models.build(data, l_distinct=3, t_equal=0.2)
    fine = np.logical_and.reduce([model.satisfied(rows, start) for model in wanted])

Classes are given as in `Blocks`: rows sorted by class, and where each class begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, listing
from icefire.kernels.grouping import class_statistics
from icefire.kernels.types import Bool, Float, Int
from icefire.models.coding import CodedAttribute, encode
from icefire.models.statistics import DEFAULT_C, STATISTICS, TOLERANCE, Statistic
from icefire.models.value_tree import ValueTree, place_in_tree, read_hierarchies


@dataclass(frozen=True, slots=True)
class PrivacyModel:
    """One bound on one statistic of one sensitive attribute, for every class."""

    statistic: Statistic
    column: str
    limit: float
    coded: CodedAttribute
    c: float = DEFAULT_C
    tree: ValueTree | None = None
    source: pl.Series | None = None
    """The column, where the tree is the one that its values suggest: other rows may suggest another."""

    def __str__(self) -> str:
        return f"{self.statistic.name} of {self.column!r} {'≥' if self.statistic.higher else '≤'} {self.limit:g}"

    def values(self, rows: Int, start: Int) -> Float:
        """Return the statistic of every class."""
        if self.tree is not None:
            return self.tree.distances(self.coded, rows, start)
        wanted = np.array([self.statistic.place])
        return class_statistics.statistics_per_class(self.coded.codes, self.coded.totals, rows, start, wanted, self.c)[
            :, 0
        ]

    def satisfied(self, rows: Int, start: Int) -> Bool:
        """Tell for every class whether it keeps the bound; an empty one does."""
        slack = TOLERANCE * max(1.0, self.limit)
        values = self.values(rows, start)
        kept: Bool = values >= self.limit - slack if self.statistic.higher else values <= self.limit + slack
        return kept

    def over(self, rows: Int) -> PrivacyModel:
        """Return the model against the distribution of these rows: of those that stay, when some are left out.

        t, β and δ compare a class with the table. Leaving out rows changes the table, so the classes that stay
        must be checked again.
        """
        if len(rows) == len(self.coded.codes):
            return self
        if self.tree is None:
            return replace(self, coded=self.coded.over(rows))
        if self.source is None:
            totals = np.bincount(self.coded.codes[rows], minlength=self.tree.leaves)
            return replace(self, coded=replace(self.coded, totals=totals))
        coded, tree = place_in_tree(self.source[rows])
        codes = np.zeros_like(self.coded.codes)
        codes[rows] = coded.codes
        return replace(self, coded=replace(coded, codes=codes), tree=tree)


def build(
    data: Dataset,
    *,
    l_distinct: int | None = None,
    l_entropy: float | None = None,
    l_recursive: int | None = None,
    c: float = DEFAULT_C,
    t_equal: float | None = None,
    t_ordered: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    beta_enhanced: float | None = None,
    delta: float | None = None,
    t_hierarchical: float | None = None,
    hierarchies: str | None = None,
    sa: Sequence[str] | None = None,
) -> list[PrivacyModel]:
    """Make a model for every bound given and every sensitive attribute (`sa`, default all).

    The ordered distance is meant for numbers: by default it is asked of the numeric attributes only. The hierarchical
    one takes the trees in the folder (or file) `hierarchies`, default those that the values suggest.
    """
    asked = {
        "l_distinct": l_distinct,
        "l_entropy": l_entropy,
        "l_recursive": l_recursive,
        "alpha_k": alpha,
        "t_equal": t_equal,
        "t_ordered": t_ordered,
        "beta_likeness": beta,
        "beta_enhanced": beta_enhanced,
        "delta_disclosure": delta,
    }
    if c <= 0 or not np.isfinite(c):
        raise ParameterError(f"c of recursive (c, l)-diversity is {c:g}; it takes a number above 0")
    limits = {name: STATISTICS[name].check(limit) for name, limit in asked.items() if limit is not None}
    coded: dict[str, CodedAttribute] = {}
    models = []
    for name, limit in limits.items():
        for column in _columns(data, name, sa):
            coded.setdefault(column, encode(data.frame[column]))
            models.append(PrivacyModel(STATISTICS[name], column, limit, coded[column], c))
    if t_hierarchical is None:
        if hierarchies is not None:
            raise ParameterError("hierarchies of sensitive attributes are given, but t_hierarchical is not; give both")
        return models
    return [*models, *_by_hierarchy(data, STATISTICS["t_hierarchical"].check(t_hierarchical), hierarchies, sa)]


def _by_hierarchy(data: Dataset, limit: float, place: str | None, sa: Sequence[str] | None) -> Iterator[PrivacyModel]:
    statistic = STATISTICS["t_hierarchical"]
    for column, known in read_hierarchies(place, _columns(data, statistic.name, sa)).items():
        values = data.frame[column]
        coded, tree = place_in_tree(values, known)
        yield PrivacyModel(statistic, column, limit, coded, tree=tree, source=values if known is None else None)


def hierarchical(data: Dataset, column: str, tree: ValueTree, limit: float) -> PrivacyModel:
    """Make the model of t-closeness by hierarchical distance; the tree is over the codes of the column."""
    statistic = STATISTICS["t_hierarchical"]
    coded = encode(data.frame[column])
    return PrivacyModel(statistic, column, statistic.check(limit), tree.checked(coded, column), tree=tree)


def _columns(data: Dataset, name: str, sa: Sequence[str] | None) -> tuple[str, ...]:
    """Name the attributes a model is about; one at least."""
    numeric = name == "t_ordered" and sa is None
    chosen = data.schema.pick(sa, data.numeric_sa if numeric else data.sa, "sa")
    if not chosen:
        kind = "numeric sa" if numeric else "sa"
        raise SchemaError(
            f"the model {name} needs at least one {kind} column; name it with --sa, from: {listing(data.schema.names)}"
        )
    return chosen


def check_possible(models: Sequence[PrivacyModel]) -> None:
    """Refuse a model that no grouping of all rows can keep, because not even the whole table as one class does.

    Where classes keep a bound on diversity or frequency, so does their union; t, β and δ always hold for the whole.
    """
    for model in models:
        rows = np.arange(len(model.coded.codes))
        whole = np.array([0, len(rows)])
        if not model.satisfied(rows, whole)[0]:
            value = float(model.values(rows, whole)[0])
            side = "at most" if model.statistic.higher else "at least"
            raise ParameterError(
                f"the model {model.statistic.name} got {model.limit:g}, but the whole table as one class has "
                f"{value:.4g} for {model.column!r}; give {side} that, or leave the column out of sa"
            )
