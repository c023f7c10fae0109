"""β-likeness and δ-disclosure: by how much a class raises or lowers the chance of a value. See docs/models.md."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

from icefire import models
from icefire.core.errors import UndefinedError
from icefire.core.parameters import Columns
from icefire.core.parts import PartedTables
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.models import Suppressed
from icefire.models.parts import worst_in_parts

LikenessForm = Literal["basic", "enhanced"]
MODELS: dict[LikenessForm, str] = {"basic": "beta_likeness", "enhanced": "beta_enhanced"}


def _beta_in_parts(
    tables: PartedTables,
    *,
    qi: Columns = None,
    sa: Columns = None,
    form: LikenessForm = "basic",
    suppressed: Suppressed = "own_value",
) -> float:
    return _finite(worst_in_parts(tables, MODELS[form], qi=qi, sa=sa, suppressed=suppressed))


def _finite(gain: float) -> float:
    if math.isinf(gain):
        raise UndefinedError("enhanced β-likeness holds for no β: in some class a value gains more than -ln p")
    return gain


@measure("beta_likeness", needs=("qi", "sa"), in_parts=_beta_in_parts)
def beta_likeness(
    comparison: Comparison,
    *,
    qi: Columns = None,
    sa: Columns = None,
    form: LikenessForm = "basic",
    suppressed: Suppressed = "own_value",
) -> float:
    """Largest relative gain of a sensitive value in a class: 3 means four times as frequent as in the table.

    max of (q - p) / p over the values with share q in the class above their share p in the table. The enhanced form
    also bounds each gain by -ln p; where one exceeds that, no β holds and there is no value.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        form: "basic", or "enhanced" with the bound -ln p on each gain.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The largest relative gain; 0 if no value is more frequent in a class than in the table.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If enhanced β-likeness holds for no β, there is no sensitive attribute, or wildcards would take
            too long.
    """
    return _finite(models.worst(comparison, MODELS[form], qi=qi, sa=sa, suppressed=suppressed))


@measure("delta_disclosure", needs=("qi", "sa"), in_parts=partial(worst_in_parts, name="delta_disclosure"))
def delta_disclosure(
    comparison: Comparison, *, qi: Columns = None, sa: Columns = None, suppressed: Suppressed = "own_value"
) -> float:
    """Largest |ln(q / p)| of a sensitive value with share q in its class and p in the table: δ of δ-disclosure.

    Over the values present in a class; one absent from it does not count. Parameters as for `t_equal`.

    Args:
        comparison: The comparison, of which only the released table is looked at.
        qi: Quasi-identifiers that make the classes. Default: all of them.
        sa: Sensitive attributes. Default: all of them.
        suppressed: How a missing quasi-identifier is read: as a value of its own ("own_value") or as one that matches
            any ("wildcard").

    Returns:
        The largest absolute logarithm of a ratio of shares.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no sensitive attribute, or reading missing cells as wildcards would take too long.
    """
    return models.worst(comparison, "delta_disclosure", qi=qi, sa=sa, suppressed=suppressed)
