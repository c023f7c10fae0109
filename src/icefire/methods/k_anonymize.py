"""Make every combination of quasi-identifiers occur at least k times, and keep other models with it."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from icefire import models
from icefire.dataset import Dataset
from icefire.errors import ParameterError
from icefire.methods.full_domain import fitted, full_domain
from icefire.methods.local_recoding import local_recoding
from icefire.parameters import Bounds, Columns, Share
from icefire.registry import method

Positive = Annotated[float, Bounds(0)]
AtLeastOne = Annotated[float, Bounds(1)]


@method("k_anonymize", needs=("qi",))
def k_anonymize(
    data: Dataset,
    *,
    rng: np.random.Generator,
    k: Annotated[int, Bounds(2)] = 3,
    mode: Literal["local", "full_domain"] = "local",
    max_suppressed: Share = 0.0,
    hierarchies: str | None = None,
    unseen: Literal["error", "top"] = "error",
    qi: Columns = None,
    sa: Columns = None,
    l_distinct: Annotated[int, Bounds(1)] | None = None,
    l_entropy: AtLeastOne | None = None,
    l_recursive: Annotated[int, Bounds(1)] | None = None,
    c: Positive = models.DEFAULT_C,
    t_equal: Share | None = None,
    t_ordered: Share | None = None,
    alpha: Share | None = None,
    beta: Positive | None = None,
    delta: Positive | None = None,
) -> Dataset:
    """Give groups of at least k similar rows the same quasi-identifiers.

    `qi` are the columns treated (default all quasi-identifiers).

    mode "local" recodes each group by itself and keeps every row (unless `max_suppressed` lets the worst go). Without
    `hierarchies` a column of a group takes a value that occurs: the middle number, the most frequent category. With
    them it takes the lowest common ancestor of the group's values (docs/local_recoding.md).

    mode "full_domain" generalises each column to one level of its hierarchy, the same for all rows, and leaves out the
    rows of classes that stay smaller than k: at most the share `max_suppressed` of all rows. Of all combinations of
    levels it finds the one that loses least (the loss of ARX, docs/hierarchies.md). Without `hierarchies` they are
    inferred. Released values are the labels of the hierarchy, as text; a column at level 0 stays as it is.

    `hierarchies` is a folder with one file per column, whose name ends in COLUMN.csv. A value its hierarchy does not
    list is an error or, with `unseen` "top", becomes * at every level above 0.

    The other parameters are models every group must keep as well, on the sensitive attributes `sa` (default all):
    l-diversity (distinct, entropy, recursive with `c`), t-closeness (equal or ordered distance), alpha, beta-likeness,
    delta-disclosure; each against the distribution of the original table (docs/models.md). What was chosen, how many
    rows were suppressed and what it cost stand in the scorecard.
    """
    names = data.schema.pick(qi, data.qi, "qi")
    if k > data.height:
        raise ParameterError(f"k_anonymize: k is {k}, but the table has {data.height} rows; choose a smaller k")
    wanted = models.build(
        data,
        l_distinct=l_distinct,
        l_entropy=l_entropy,
        l_recursive=l_recursive,
        c=c,
        t_equal=t_equal,
        t_ordered=t_ordered,
        alpha=alpha,
        beta=beta,
        delta=delta,
        sa=sa,
    )
    if not max_suppressed:
        models.check_possible(wanted)
    allowed = [model.satisfied for model in wanted]
    if mode == "full_domain":
        return full_domain(
            data,
            names,
            k=k,
            max_suppressed=max_suppressed,
            hierarchies=hierarchies,
            unseen=unseen,
            allowed=allowed,
        )
    trees = None if hierarchies is None else fitted(data, names, hierarchies, unseen)
    return local_recoding(data, names, k=k, rng=rng, fitted=trees, max_suppressed=max_suppressed, allowed=allowed)
