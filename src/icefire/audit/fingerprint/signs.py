"""All figures of a release under their names, each with the column it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from icefire.audit.fingerprint import changed_cells, class_signs, column_signs, left_out_signs, row_signs
from icefire.audit.fingerprint.column_signs import TraceFigures
from icefire.audit.fingerprint.matching import RowMatching
from icefire.audit.fingerprint.pairs import ColumnPair, TablePair

GROUPS: dict[str, Callable[[ColumnPair], bool]] = {
    "all": lambda column: True,
    "qi": lambda column: column.is_qi,
    "amounts": lambda column: column.numeric and not column.is_qi,
    "text": lambda column: not column.numeric,
}
FOR_ALL = (
    *("kept", "excess", "resampled", "blank", "distinct", "constant", "new_repeated", "new_single", "new_times"),
    *("tie_qi", "tie_other", "same", "agreement", "class_exchange", "class_constant", "key_exchange", "pairs_new"),
    *("pairs_new_least", "exchange", "exchange_in_class", "exchange_far", "exchange_untied", "replaced", "redrawn"),
)
"""TraceFigures of any column."""
FOR_NUMBERS = (
    *("top_mass", "top_fit", "bottom_mass", "bottom_fit", "beyond", "upper_tail", "lower_tail", "spread"),
    *("mean_shift", "step", "roundness", "fraction", "moved", "moved_most", "moved_rank", "moved_rank_most"),
    *("moved_gap_most", "to_top", "to_bottom", "towards_mean", "group_mean", "group_near", "different_moves"),
    *("bias", "order", "exchange_near", "exchange_ordered", "exchange_unordered"),
)
"""TraceFigures of columns of numbers."""
FOR_TABLES = (
    *("rows", "size", "unchanged_rows", "certainty", "credit", "exchanged", "columns_left_out", "people_reused"),
    *("changed_cells", "residual_correlation", "smallest_class", "smallest_class_before", "alone", "alone_before"),
    *("pairs", "class_growth", "known_classes", "class_excess", "rare_left", "frequent_left", "classes_cut"),
    *("left_out_rarity", "grouped", "grouped_before", "group_size", "group_least", "groups_of_a_class"),
    *("groups_share_qi", "blank_even", "blank_rows", "blank_spread", "blank_rarity", "blank_qi"),
    *("rare_gone", "rare_gone_matched", "filled_growth", "filled_alone", "columns_redrawn", "redrawn_together"),
)
"""TraceFigures of whole tables."""
REDRAWN = (0.2, 3.5)
"""Chi-square by its degrees of freedom of a column drawn anew."""
SUMMARIES = ("least", "mean", "most")
SIGN_NAMES = (
    *FOR_TABLES,
    *(f"{figure}.{group}.{summary}" for group in GROUPS for figure in FOR_ALL for summary in SUMMARIES),
    *(
        f"{figure}.{group}.{summary}"
        for group in GROUPS
        if group not in ("qi", "text")
        for figure in FOR_NUMBERS
        for summary in SUMMARIES
    ),
)


@dataclass(frozen=True)
class Sign:
    """One figure of a release."""

    value: float
    """NaN where it does not apply."""
    column: str | None = None


NO_SIGN = Sign(float("nan"))


def signs_of_release(pair: TablePair, matching: RowMatching) -> dict[str, Sign]:
    """Compute every figure; those that do not apply are NaN."""
    signs = {name: Sign(value) for name, value in _whole(pair, matching).items()}
    by_column = column_figures(pair, matching)
    signs |= {name: Sign(value) for name, value in _redrawn_together(by_column).items()}
    for group, belongs in GROUPS.items():
        some = [(c.name, by_column[c.name]) for c in pair.columns if belongs(c)]
        for figure in (*FOR_ALL, *FOR_NUMBERS):
            signs |= {f"{figure}.{group}.{name}": sign for name, sign in _summaries(figure, some).items()}
    return {name: signs.get(name, NO_SIGN) for name in SIGN_NAMES}


def _whole(pair: TablePair, matching: RowMatching) -> TraceFigures:
    return {
        **row_signs.row_figures(pair, matching),
        **class_signs.class_figures(pair),
        **class_signs.filled_class_figures(pair, matching),
        **class_signs.group_figures(pair),
        **class_signs.blank_figures(pair, matching),
        "residual_correlation": row_signs.residual_correlation(pair, matching),
        "left_out_rarity": left_out_signs.left_out_rarity(pair, matching),
        **left_out_signs.survivor_figures(pair),
        **left_out_signs.rare_fit_figures(pair, matching),
    }


def _redrawn_together(by_column: Mapping[str, TraceFigures]) -> TraceFigures:
    """Return how the frequencies of all columns changed together, columns made constant left out.

    Columns count by their degrees of freedom: a column of two values tells little. The first figure is the share of
    those that changed as much as if drawn anew, the second the change of all that changed at most as much.
    """
    known = [own for own in by_column.values() if own["freedom"] > 0 and not own["constant"]]
    changes, freedom = (np.array([own[name] for own in known]) for name in ("redrawn", "freedom"))
    if not known:
        return {"columns_redrawn": float("nan"), "redrawn_together": float("nan")}
    within = changes < REDRAWN[1]
    return {
        "columns_redrawn": float(freedom[within & (changes > REDRAWN[0])].sum() / freedom.sum()),
        "redrawn_together": float((changes * freedom)[within].sum() / max(1.0, freedom[within].sum())),
    }


def column_figures(pair: TablePair, matching: RowMatching) -> dict[str, TraceFigures]:
    """Return the figures of every column by its name."""
    keys = pair.keys[1][matching.y] if pair.qi else np.zeros(len(matching.y), np.int64)
    classes = np.unique(keys, return_inverse=True)[1].reshape(-1)
    ties = column_signs.association_figures(list(pair.columns))
    figures = {}
    for column, tie in zip(pair.columns, ties, strict=True):
        own = column_signs.value_figures(column) | tie
        own |= changed_cells.cell_figures(column, matching, classes) if len(classes) else {}
        own |= class_signs.pair_excess(pair, column)
        own["key_exchange"] = class_signs.key_exchange(pair, column)
        if column.numeric:
            own |= column_signs.number_figures(column)
        figures[column.name] = own | _exchanges(own)
    return figures


def _exchanges(own: TraceFigures) -> TraceFigures:
    """Return the share of cells exchanged while the column keeps its values: in classes, near in rank, far."""
    changed = 1.0 - own.get("same", 1.0)
    exchange = changed * max(0.0, 1.0 - 5.0 * own["excess"])
    within = max(own.get("class_exchange", 0.0), float(own["pairs_new_least"] < class_signs.NONE))
    far, gap = own.get("moved_rank_most", 1.0), own.get("moved_gap_most", 1.0)
    order = max(0.0, own.get("order", 0.0))
    ties = [tie for tie in (own["tie_qi"], own["tie_other"]) if not np.isnan(tie)]
    return {
        "exchange": exchange,
        "exchange_in_class": exchange * within,
        "exchange_near": exchange * (1.0 - within) * max(0.0, 1.0 - 2.0 * gap),
        "exchange_far": exchange * (1.0 - within) * min(1.0, 2.0 * far),
        "exchange_untied": exchange * (1.0 - within) * (1.0 - max(0.0, min(1.0, min(ties)))) if ties else float("nan"),
        "exchange_ordered": exchange * (1.0 - within) * order,
        "exchange_unordered": exchange * (1.0 - within) * (1.0 - order),
        "replaced": changed * own["kept"] * min(1.0, 20.0 * own["excess"]),
    }


def _summaries(figure: str, columns: Sequence[tuple[str, TraceFigures]]) -> dict[str, Sign]:
    known = [(own[figure], name) for name, own in columns if figure in own and not np.isnan(own[figure])]
    if not known:
        return {}
    return {
        "least": Sign(*min(known)),
        "mean": Sign(float(np.mean([value for value, _ in known]))),
        "most": Sign(*max(known, key=lambda pair: (pair[0], pair[1]))),
    }
