"""ℓ-diversity and (α, k): how many sensitive values share a class, and how evenly. See docs/models.md."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from icefire import models
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.models import DEFAULT_C, Suppressed
from icefire.models.parts import worst_in_parts

VALUES = "number of values"


@measure(
    "l_distinct", needs=("qi", "sa"), better="higher", best=VALUES, in_parts=partial(worst_in_parts, name="l_distinct")
)
def l_distinct(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Smallest number of distinct sensitive values in a class: 1 means that some class gives its value away.

    The worst class and the worst sensitive attribute (`sa`, default all) count. Each distinct number is a value, and
    so is a missing one. `suppressed` says how a missing quasi-identifier is read: as a value of its own, or as a
    wildcard that matches any.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The number of values in the worst class of the worst attribute.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no sensitive attribute, or reading missing cells as wildcards would take too long.
    """
    return models.worst(comparison, "l_distinct", qi=qi, sa=sa, suppressed=suppressed)


@measure(
    "l_entropy", needs=("qi", "sa"), better="higher", best=VALUES, in_parts=partial(worst_in_parts, name="l_entropy")
)
def l_entropy(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Smallest effective number of sensitive values in a class: as many equally frequent ones have its entropy.

    exp(entropy) in the worst class of the worst sensitive attribute, not rounded; entropy ℓ-diversity holds for every
    ℓ up to it. Parameters as for `l_distinct`.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The effective number of values in the worst class of the worst attribute.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no sensitive attribute, or reading missing cells as wildcards would take too long.
    """
    return models.worst(comparison, "l_entropy", qi=qi, sa=sa, suppressed=suppressed)


@measure(
    "l_recursive",
    needs=("qi", "sa"),
    better="higher",
    best=VALUES,
    in_parts=partial(worst_in_parts, name="l_recursive"),
)
def l_recursive(
    comparison: Comparison,
    *,
    qi: Columns = None,
    sa: Columns = None,
    c: Annotated[float, Bounds(0)] = DEFAULT_C,
    suppressed: Suppressed = "own_value",
) -> float:
    """Largest ℓ for which every class is recursively (c, ℓ)-diverse: no value outweighs c times the rarer ones.

    With counts r1 ≥ r2 ≥ … in a class: r1 < c · (rℓ + rℓ+1 + …). 0 where not even ℓ = 1 holds, which takes c ≤ 1.
    Other parameters as for `l_distinct`.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        c: How many times as frequent as the rarer values together the commonest may be.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The largest ℓ that holds for every class and attribute, 0 for none.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no sensitive attribute, or reading missing cells as wildcards would take too long.
    """
    return models.worst(comparison, "l_recursive", qi=qi, sa=sa, suppressed=suppressed, c=c)


@measure("alpha_k", needs=("qi", "sa"), best="as in the table", in_parts=partial(worst_in_parts, name="alpha_k"))
def alpha_k(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Largest share of one sensitive value in a class: α of (α, k)-anonymity; its k is `k_min`.

    Parameters as for `l_distinct`.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The largest share, 0 to 1.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no sensitive attribute, or reading missing cells as wildcards would take too long.
    """
    return models.worst(comparison, "alpha_k", qi=qi, sa=sa, suppressed=suppressed)
