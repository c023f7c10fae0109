"""Released columns whose values are not those of the original at all: distances over them say nothing."""

from __future__ import annotations

import polars as pl

from icefire.audit.synthetic.tables import SyntheticTables
from icefire.core.errors import listing
from icefire.core.scorecard import Reason
from icefire.words import t

COMPARABLE = 0.5
"""Of a column that can be compared, at least this share of the released values could be values of the original."""


def columns_with_other_values(tables: SyntheticTables) -> list[Reason]:
    """Refuse columns in another unit, or recoded: whoever is copied in them is not seen by distances."""
    names = [name for name in tables.compared if _comparable(tables, name) < COMPARABLE]
    if not names:
        return []
    text = t("verdict.further.other_values", columns=listing(names))
    return [Reason("not_assessed", text, {"columns": names})]


def _comparable(tables: SyntheticTables, name: str) -> float:
    """Return the share of the released values that are values of the original or, if numbers, in their range."""
    known, shown = tables.original.frame[name].drop_nulls(), tables.released.frame[name].drop_nulls()
    if not len(shown) or not len(known):
        return 1.0
    if name not in tables.scales:
        seen = known if tables.holdout is None else pl.concat([known, tables.holdout.frame[name].drop_nulls()])
        return int(shown.is_in(seen.unique().implode()).sum()) / len(shown)
    spread = tables.scales[name]
    low, high = float(known.min()) - spread, float(known.max()) + spread  # type: ignore[arg-type]
    return int(shown.is_between(low, high).sum()) / len(shown)
