"""The models by name: which statistic of a class they bound, from which side, and what the bound may be."""

from __future__ import annotations

import math
from dataclasses import dataclass

from icefire.core.errors import ParameterError
from icefire.kernels.grouping import class_statistics

TOLERANCE = 1e-9
"""A bound missed by less than this, absolutely or as a share of the bound, is kept: floats cannot tell."""
DEFAULT_C = 3.0
"""c of recursive (c, l)-diversity: the commonest value may be up to three times as frequent as the tail."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number every class has for one sensitive attribute."""

    name: str
    place: int
    """Its number in `kernels.grouping.class_statistics`, -1 for one computed elsewhere."""
    higher: bool
    """Whether a higher value protects better, so that the smallest over the classes is what counts."""
    low: float = 0.0
    high: float = math.inf
    """The bounds one can ask for."""

    def check(self, limit: float) -> float:
        """Return the bound asked for, or say which are possible."""
        if not math.isfinite(limit) or not self.low <= limit <= self.high:
            range_ = f"{self.low:g} to {self.high:g}" if math.isfinite(self.high) else f"at least {self.low:g}"
            raise ParameterError(f"the model {self.name} got {limit:g}; it takes a number, {range_}")
        return float(limit)


STATISTICS = {
    statistic.name: statistic
    for statistic in (
        Statistic("l_distinct", class_statistics.L_DISTINCT, True, 1),
        Statistic("l_entropy", class_statistics.L_ENTROPY, True, 1),
        Statistic("l_recursive", class_statistics.L_RECURSIVE, True, 1),
        Statistic("alpha_k", class_statistics.ALPHA, False, 0, 1),
        Statistic("t_equal", class_statistics.T_EQUAL, False, 0, 1),
        Statistic("t_ordered", class_statistics.T_ORDERED, False, 0, 1),
        Statistic("t_hierarchical", -1, False, 0, 1),
        Statistic("beta_likeness", class_statistics.BETA, False),
        Statistic("beta_enhanced", class_statistics.BETA_ENHANCED, False),
        Statistic("delta_disclosure", class_statistics.DELTA, False),
    )
}
