"""The request to k_anonymize: its parameters, read and checked before classes are searched."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from icefire import hierarchy, models
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.registry import PartitionWay
from icefire.hierarchy import Fitted, Unseen
from icefire.methods.tables.k_anonymize import fitted_columns
from icefire.models import PopulationBounds, PrivacyModel

Mode = Literal["local", "full_domain"]

BOUNDS = (
    "l_distinct",
    "l_entropy",
    "l_recursive",
    "t_equal",
    "t_ordered",
    "t_hierarchical",
    "alpha",
    "beta",
    "beta_enhanced",
    "delta",
)
"""Parameters that bound a model of sensitive attributes, by the names `models.build` knows them under."""


@dataclass(frozen=True, slots=True)
class AnonymityRequest:
    """The parameters that say what classes must keep, and by which hierarchies they are made."""

    k: int
    mode: Mode
    max_suppressed: float
    hierarchies: str | None
    unseen: Unseen
    qi: Sequence[str] | None
    sa: Sequence[str] | None
    bounds: Mapping[str, Any]
    c: float
    sa_hierarchies: str | None
    k_map: int | None
    delta_presence: float | None
    population: str | None

    @staticmethod
    def from_parameters(given: Mapping[str, Any]) -> AnonymityRequest:
        """Take the parameters of a step."""
        named = {name: given[name] for name in AnonymityRequest.__dataclass_fields__ if name != "bounds"}
        return AnonymityRequest(bounds={name: given[name] for name in BOUNDS}, **named)

    def names(self, data: Dataset) -> tuple[str, ...]:
        """Return the columns treated, if parameters go together."""
        names = data.schema.pick(self.qi, data.qi, "qi")
        about_population = [name for name in ("k_map", "delta_presence") if getattr(self, name) is not None]
        if not names:
            raise ParameterError("k_anonymize: qi is empty; name at least one column")
        if about_population and self.population is None:
            raise ParameterError(
                f'k_anonymize: {about_population[0]} needs the people the table was drawn from; add population = "FILE"'
            )
        if self.population is not None and not about_population:
            raise ParameterError("k_anonymize: a population is given, but no k_map and no delta_presence; add one")
        if about_population and self.mode == "local" and self.hierarchies is None:
            raise ParameterError(
                f'k_anonymize: {about_population[0]} in mode "local" needs hierarchies, so that a released value says '
                'whom it covers; name their folder, or take mode = "full_domain"'
            )
        if self.k == 1 and not about_population and all(limit is None for limit in self.bounds.values()):
            raise ParameterError("k_anonymize: k is 1 and no model is asked for; raise k to 2 or more, or add a model")
        return names

    def models(self, data: Dataset) -> list[PrivacyModel]:
        """Make the models of sensitive attributes; one that no table could keep is refused."""
        wanted = models.build(data, **self.bounds, c=self.c, sa=self.sa, hierarchies=self.sa_hierarchies)
        if not self.max_suppressed:
            models.check_possible(wanted)
        return wanted

    def columns(self, data: Dataset, names: Sequence[str]) -> tuple[list[Fitted] | None, PopulationBounds | None]:
        """Fit the hierarchies, None where values that occur are released, and gather the population."""
        if self.population is not None:
            people = fitted_columns.read_population(self.population, names, data.height, data.text_columns)
            fitted, population = fitted_columns.with_population(data, people, names, self.hierarchies, self.unseen)
            self._check_population_bounds(data.height, population.rows)
            return fitted, PopulationBounds(population, self.k_map, self.delta_presence)
        if self.mode == "local" and self.hierarchies is None:
            return None, None
        return fitted_columns.fitted(data, names, self.hierarchies, self.unseen), None

    def _check_population_bounds(self, rows: int, people: int) -> None:
        if self.k_map is not None and self.k_map > people:
            raise ParameterError(
                f"k_anonymize: k_map is {self.k_map}, but the population has {people:,} people; give a smaller one"
            )
        stay = rows - math.floor(self.max_suppressed * rows + 1e-9)
        if self.delta_presence is not None and stay / people > self.delta_presence + models.TOLERANCE:
            raise ParameterError(
                f"k_anonymize: delta_presence is {self.delta_presence:g}, but {rows:,} of {people:,} people are in the "
                f"table, everybody with a chance of {rows / people:.4g}; give at least that, or let max_suppressed "
                "leave more rows out"
            )


def check(data: Dataset, given: Mapping[str, Any], known: Collection[str] | None) -> None:
    """Refuse, before the steps ahead of it run, what k_anonymize would refuse.

    `known` are the columns that those steps leave as they are, with all rows; of the others only what does not depend
    on their values is checked.
    """
    known = known or ()
    request = AnonymityRequest.from_parameters(given)
    names = request.names(data)
    sensitive = data.sa if request.sa is None else request.sa
    request.models(data if set(sensitive) <= set(known) else data.with_frame(data.frame.clear()))
    trees = fitted_columns.hierarchies(request.hierarchies, names)
    for name in names:
        tree = trees[name]
        if tree is not None and name in known:
            hierarchy.fit(tree, data.frame[name], request.unseen)
    if request.population is not None:
        people = fitted_columns.read_population(
            request.population, names, data.height if known else 1, data.text_columns
        )
        fitted_columns.check_population(people, trees, request.unseen)


def in_partitions(given: Mapping[str, Any]) -> PartitionWay | None:
    """Say how classes are found in partitions: full-domain levels from counts, local classes in each partition.

    Classes of at least k rows in every partition are classes of at least k rows, and have at least as many different
    sensitive values. Other models compare with all rows.
    """
    compares = any(given[name] is not None for name in BOUNDS if name != "l_distinct")
    if compares or given["population"] is not None:
        return None
    if given["mode"] == "local":
        return "partitions"
    return "counts" if given["l_distinct"] is None else None
