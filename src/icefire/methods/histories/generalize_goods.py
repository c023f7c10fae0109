"""Replace goods by kinds of goods."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire import hierarchy
from icefire.core.errors import ParameterError
from icefire.core.history import History
from icefire.core.parameters import Bounds
from icefire.core.registry import method


@method(
    "generalize_goods",
    data="history",
    draws=False,
    drops_rows=False,
    files=("hierarchy_file",),
    defaults={"prefix": "3; shorter names stay"},
)
def generalize_goods(
    data: History,
    *,
    rng: np.random.Generator,
    prefix: Annotated[int, Bounds(1)] | None = None,
    hierarchy_file: str | None = None,
    level: Annotated[int, Bounds(1)] = 1,
) -> History:
    """Replace every good by what it is in general.

    Either the first characters of its name, or what it becomes in a hierarchy, which must list every good. Rows stay as
    many as they were.

    Args:
        data: The history.
        rng: Unused; part of every method's signature.
        prefix: Number of characters kept; shorter names stay. Default: 3, unless there is a hierarchy.
        hierarchy_file: File with one line per good: good;level1;level2;…. Default: none.
        level: Level of the hierarchy.

    Returns:
        The history with kinds of goods; the notes count goods before and after.

    Raises:
        ParameterError: If both a prefix and a hierarchy are given, or the hierarchy has no such level.
        InputError: If the hierarchy cannot be read, or does not list a good.
    """
    if hierarchy_file is not None and prefix is not None:
        raise ParameterError(
            f"generalize_goods: got both prefix {prefix} and hierarchy_file {hierarchy_file!r}; give one of them"
        )
    goods = data.frame[data.fields.item]
    if hierarchy_file is None:
        general = goods.str.head(3 if prefix is None else prefix)
    else:
        known = hierarchy.read(hierarchy_file, data.fields.item)
        if level > known.top:
            raise ParameterError(
                f"generalize_goods: {hierarchy_file!r} has levels 1 to {known.top}, not {level}; choose one of them"
            )
        general = hierarchy.fit(known, goods).released(level)
    before = len(data.goods)
    changed = data.with_frame(data.frame.with_columns(general.alias(data.fields.item)))
    return changed.noted(goods_before=before, goods_after=len(changed.goods))
