"""The method k_anonymize: every combination of quasi-identifiers occurs at least k times, and other models hold."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from icefire import models
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import method
from icefire.methods.tables.k_anonymize import requested_models
from icefire.methods.tables.k_anonymize.full_domain import full_domain
from icefire.methods.tables.k_anonymize.local_recoding import local_recoding
from icefire.methods.tables.k_anonymize.requested_models import AnonymityRequest

NotNegative = Annotated[float, Bounds(0)]
AtLeastOne = Annotated[float, Bounds(1)]
Count = Annotated[int, Bounds(1)]


@method(
    "k_anonymize",
    needs=("qi",),
    draws=lambda parameters: parameters["mode"] == "local" and parameters["hierarchies"] is not None,
    drops_rows=lambda parameters: bool(parameters["max_suppressed"]),
    files=("hierarchies", "sa_hierarchies", "population"),
    least_rows="k",
    makes_classes=True,
    check=requested_models.check,
    defaults={"qi": "all quasi-identifiers", "sa": "all"},
    in_partitions=requested_models.in_partitions,
)
def k_anonymize(
    data: Dataset,
    *,
    rng: np.random.Generator,
    k: Count = 3,
    mode: Literal["local", "full_domain"] = "local",
    max_suppressed: Share = 0.0,
    hierarchies: str | None = None,
    unseen: Literal["error", "top"] = "error",
    qi: Columns = None,
    sa: Columns = None,
    l_distinct: Count | None = None,
    l_entropy: AtLeastOne | None = None,
    l_recursive: Count | None = None,
    c: NotNegative = models.DEFAULT_C,
    t_equal: Share | None = None,
    t_ordered: Share | None = None,
    t_hierarchical: Share | None = None,
    sa_hierarchies: str | None = None,
    alpha: Share | None = None,
    beta: NotNegative | None = None,
    beta_enhanced: NotNegative | None = None,
    delta: NotNegative | None = None,
    k_map: Count | None = None,
    delta_presence: Share | None = None,
    population: str | None = None,
) -> Dataset:
    """Give groups of at least k similar rows the same quasi-identifiers.

    mode "local" recodes each group by itself and keeps every row, unless `max_suppressed` lets groups go that lose more
    than half of their detail or break a model. Without `hierarchies` a column of a group takes a value that occurs: the
    middle number, the most frequent category. With them it takes the lowest common ancestor of the group's values
    (docs/local_recoding.md).

    mode "full_domain" generalises each column to one level of its hierarchy, the same for all rows, and leaves out the
    rows of classes that stay smaller than k or break a model: at most the share `max_suppressed` of all rows. Of all
    combinations of levels it finds the one that loses least (the loss of ARX, docs/hierarchies.md). Released values are
    the labels of the hierarchy, as text; a column at level 0 stays as it is.

    The parameters from `l_distinct` on are models every group must keep as well; each compares with the distribution of
    the rows released (docs/models.md).

    Args:
        data: The table.
        rng: Random generator, for local recoding with hierarchies.
        k: Least number of rows in a group; may be 1 if a model is asked for.
        mode: Recode each group by itself, or each column as a whole.
        max_suppressed: Largest share of the rows that may be left out.
        hierarchies: Folder with one file per column, whose name ends in COLUMN.csv. Default: mode "local" takes values
            that occur, mode "full_domain" inferred hierarchies.
        unseen: A value its hierarchy does not list is an error or, with top, becomes * at every level above 0.
        qi: Columns to treat. Default: all quasi-identifiers.
        sa: Sensitive attributes that the models protect. Default: all.
        l_distinct: Distinct l-diversity. Default: not asked for.
        l_entropy: Entropy l-diversity. Default: not asked for.
        l_recursive: Recursive (c, l)-diversity. Default: not asked for.
        c: The c of recursive diversity.
        t_equal: t-closeness with equal distances. Default: not asked for.
        t_ordered: t-closeness with ordered distances. Default: not asked for.
        t_hierarchical: t-closeness with distances in a hierarchy. Default: not asked for.
        sa_hierarchies: Folder or file with the hierarchies of sensitive attributes. Default: inferred.
        alpha: Largest share of one sensitive value in a group. Default: not asked for.
        beta: Basic beta-likeness. Default: not asked for.
        beta_enhanced: Enhanced beta-likeness. Default: not asked for.
        delta: delta-disclosure privacy. Default: not asked for.
        k_map: Least number of people of the population that every group may be. Default: not asked for.
        delta_presence: Largest chance of anybody in the population to be in the release. Default: not asked for.
        population: Table file with all quasi-identifiers, coded as here, for everybody the table was drawn from. Needed
            by `k_map` and `delta_presence` only.

    Returns:
        The k-anonymous table; the notes say what was chosen, how many rows were suppressed and what it cost.

    Raises:
        ParameterError: If parameters do not go together, there are too few rows, or no grouping keeps the models.
        InputError: If a hierarchy or the population cannot be read, or does not list a value.
        SchemaError: If a column does not exist.
    """
    request = AnonymityRequest(
        k=k,
        mode=mode,
        max_suppressed=max_suppressed,
        hierarchies=hierarchies,
        unseen=unseen,
        qi=qi,
        sa=sa,
        bounds={
            "l_distinct": l_distinct,
            "l_entropy": l_entropy,
            "l_recursive": l_recursive,
            "t_equal": t_equal,
            "t_ordered": t_ordered,
            "t_hierarchical": t_hierarchical,
            "alpha": alpha,
            "beta": beta,
            "beta_enhanced": beta_enhanced,
            "delta": delta,
        },
        c=c,
        sa_hierarchies=sa_hierarchies,
        k_map=k_map,
        delta_presence=delta_presence,
        population=population,
    )
    return _anonymized(data, request, rng)


def _anonymized(data: Dataset, request: AnonymityRequest, rng: np.random.Generator) -> Dataset:
    """Read and check all that was asked for, then find the classes."""
    names = request.names(data)
    if request.k > data.height:
        raise ParameterError(f"k_anonymize: k is {request.k}, but the table has {data.height} rows; choose a smaller k")
    wanted = request.models(data)
    fitted, bounds = request.columns(data, names)
    share = request.max_suppressed
    if request.mode == "full_domain" and fitted is not None:
        release = full_domain(data, fitted, k=request.k, max_suppressed=share, constraints=wanted, bounds=bounds)
    else:
        release = local_recoding(
            data, names, k=request.k, rng=rng, fitted=fitted, max_suppressed=share, constraints=wanted, bounds=bounds
        )
    trees = {model.column: model.tree.about for model in wanted if model.tree is not None}
    return release.noted(**release.notes, sa_hierarchies=trees) if trees else release
