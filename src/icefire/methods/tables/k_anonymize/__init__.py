"""Make every combination of quasi-identifiers occur at least k times, and keep other models with it."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from icefire import models
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import method
from icefire.methods.tables.k_anonymize.full_domain import full_domain
from icefire.methods.tables.k_anonymize.local_recoding import local_recoding
from icefire.methods.tables.k_anonymize.requested_models import Request

Positive = Annotated[float, Bounds(0)]
AtLeastOne = Annotated[float, Bounds(1)]
Count = Annotated[int, Bounds(1)]


@method("k_anonymize", needs=("qi",))
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
    c: Positive = models.DEFAULT_C,
    t_equal: Share | None = None,
    t_ordered: Share | None = None,
    t_hierarchical: Share | None = None,
    sa_hierarchies: str | None = None,
    alpha: Share | None = None,
    beta: Positive | None = None,
    beta_enhanced: Positive | None = None,
    delta: Positive | None = None,
    k_map: Count | None = None,
    delta_presence: Share | None = None,
    population: str | None = None,
) -> Dataset:
    """Give groups of at least k similar rows the same quasi-identifiers.

    `qi` are the columns treated (default all quasi-identifiers).

    mode "local" recodes each group by itself and keeps every row, unless `max_suppressed` lets groups go that lose more
    than half of their detail or break a model. Without `hierarchies` a column of a group takes a value that occurs: the
    middle number, the most frequent category. With them it takes the lowest common ancestor of the group's values
    (docs/local_recoding.md).

    mode "full_domain" generalises each column to one level of its hierarchy, the same for all rows, and leaves out the
    rows of classes that stay smaller than k or break a model: at most the share `max_suppressed` of all rows. Of all
    combinations of levels it finds the one that loses least (the loss of ARX, docs/hierarchies.md). Without
    `hierarchies` they are inferred. Released values are the labels of the hierarchy, as text; a column at level 0
    stays as it is.

    `hierarchies` is a folder with one file per column, whose name ends in COLUMN.csv. A value its hierarchy does not
    list is an error or, with `unseen` "top", becomes * at every level above 0.

    The other parameters are models every group must keep as well, on the sensitive attributes `sa` (default all):
    l-diversity (distinct, entropy, recursive with `c`), t-closeness (equal, ordered or hierarchical distance; the last
    by the hierarchies in `sa_hierarchies`, a folder or file, default inferred), alpha, beta-likeness (basic or
    enhanced), delta-disclosure; each against the distribution of the rows released (docs/models.md).

    `k_map` asks that every group may be at least so many people of a `population`, `delta_presence` that nobody there
    is in the release with a higher chance. The population is a table file with all quasi-identifiers, coded as here,
    for everybody the table was drawn from. With them k may be 1. What was chosen, how many rows were suppressed and
    what it cost stand in the scorecard.
    """
    request = Request(
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
    return _made(data, request, rng)


def _made(data: Dataset, request: Request, rng: np.random.Generator) -> Dataset:
    """Read and check all that was asked for, then find the classes."""
    names = request.names(data)
    if request.k > data.height:
        raise ParameterError(f"k_anonymize: k is {request.k}, but the table has {data.height} rows; choose a smaller k")
    wanted = request.models(data)
    fitted, crowd = request.columns(data, names)
    share = request.max_suppressed
    if request.mode == "full_domain" and fitted is not None:
        made = full_domain(data, fitted, k=request.k, max_suppressed=share, promises=wanted, crowd=crowd)
    else:
        made = local_recoding(
            data, names, k=request.k, rng=rng, fitted=fitted, max_suppressed=share, promises=wanted, crowd=crowd
        )
    trees = {model.column: model.tree.about for model in wanted if model.tree is not None}
    return made.noted(**made.notes, sa_hierarchies=trees) if trees else made
