"""What each figure says, in words."""

from __future__ import annotations

import math
from collections.abc import Callable

from icefire.audit.fingerprint.signs import Sign
from icefire.core.formatting import number, percent

Written = Callable[[float], str]
SHARE: Written = percent
NUMBER: Written = number


def _times(doublings: float) -> str:
    return f"{number(2.0**doublings, 3)} times"


def _rows_by_doublings(doublings: float) -> str:
    return number(2.0**doublings, 3)


TIMES: Written = _times
COUNT: Written = _rows_by_doublings

FIGURES: dict[str, tuple[str, Written]] = {
    "rows": ("released rows, as a share of the original's", SHARE),
    "size": ("rows of the original", lambda power: number(10.0**power, 6)),
    "unchanged_rows": ("released rows that equal an original row in every column", SHARE),
    "certainty": ("mean probability that a matched pair of rows is right", SHARE),
    "credit": ("how far released rows stand for people of the original", SHARE),
    "exchanged": ("values look exchanged within classes (1) or not (0)", NUMBER),
    "columns_left_out": ("columns of the original that the release lacks", NUMBER),
    "people_reused": ("matched rows whose original stands for another row too", SHARE),
    "changed_cells": ("cells that differ from the matched original row", SHARE),
    "residual_correlation": ("mean correlation between the changes of two columns", NUMBER),
    "smallest_class": ("rows in the smallest class of equal quasi-identifiers", NUMBER),
    "smallest_class_before": ("rows in the smallest class of the original", NUMBER),
    "alone": ("rows alone with their quasi-identifiers", SHARE),
    "alone_before": ("rows of the original alone with their quasi-identifiers", SHARE),
    "pairs": ("rows in classes of two", SHARE),
    "class_growth": ("mean class of equal quasi-identifiers, compared with the original", TIMES),
    "known_classes": ("rows whose quasi-identifiers occur in the original", SHARE),
    "class_excess": ("rows in classes larger than in the original", SHARE),
    "rare_left": ("rows of unique combinations that are still there", SHARE),
    "frequent_left": ("rows of frequent combinations that are still there", SHARE),
    "classes_cut": ("classes that lost some rows but not all, among those that lost any", SHARE),
    "left_out_rarity": ("how much rarer rows left out are than the others, in standard errors", NUMBER),
    "grouped": ("rows that share all changed numbers with another row", SHARE),
    "grouped_before": ("rows of the original that share these numbers with another row", SHARE),
    "group_size": ("rows in the middle group that shares all changed numbers", COUNT),
    "group_least": ("fewest rows that share all changed numbers", NUMBER),
    "groups_of_a_class": ("rows whose group of equal numbers has equal quasi-identifiers", SHARE),
    "groups_share_qi": ("groups of equal numbers that share a quasi-identifier, beyond chance", SHARE),
    "blank_even": ("fewest blank cells of a column over the most, among columns with new blanks", SHARE),
    "blank_rows": ("rows with a new blank cell", SHARE),
    "blank_spread": ("rows with a blank, relative to blanks drawn for each column by itself", NUMBER),
    "blank_rarity": ("how much rarer the combinations of rows with blanks were", TIMES),
    "blank_qi": ("columns with new blanks that are quasi-identifiers", SHARE),
    "rare_gone": ("how exactly rows of small classes are gone and no others, by sizes of classes", NUMBER),
    "rare_gone_matched": ("how exactly rows of small classes are gone and no others, by matched rows", NUMBER),
    "filled_growth": ("classes of equal quasi-identifiers without blank cells, compared with the original", TIMES),
    "filled_alone": ("gain in rows alone with their quasi-identifiers, among rows without blank cells", SHARE),
    "columns_redrawn": ("columns whose frequencies differ as if drawn anew", SHARE),
    "redrawn_together": ("change of coarse frequencies of all columns, as a multiple of drawing anew", NUMBER),
    "redrawn": ("change of coarse frequencies, as a multiple of drawing anew", NUMBER),
    "group_near": ("how near changed cells lie to the mean of the originals that share their value", SHARE),
    "kept": ("released values that occur in the original column", SHARE),
    "excess": ("values that occur more often than in the original", SHARE),
    "resampled": ("change of the frequencies, as a multiple of drawing anew", NUMBER),
    "blank": ("new blank cells", SHARE),
    "distinct": ("distinct values, relative to the original", NUMBER),
    "constant": ("columns made constant (1) or not (0)", NUMBER),
    "new_repeated": ("new values that occur three times or more", SHARE),
    "new_single": ("new values that occur once", SHARE),
    "new_times": ("how often a new value occurs", TIMES),
    "tie_qi": ("correlation with quasi-identifiers that is kept", SHARE),
    "tie_other": ("correlation with other attributes that is kept", SHARE),
    "same": ("cells equal to the matched original", SHARE),
    "agreement": ("cells equal to the matched original, beyond chance", SHARE),
    "class_exchange": ("changed cells in classes that hold the same values as before", SHARE),
    "class_constant": ("gain in rows whose class holds one value", SHARE),
    "key_exchange": ("rows in classes that hold exactly the values of the original class", SHARE),
    "pairs_new": ("new pairs with a value of an unchanged quasi-identifier, on average", SHARE),
    "pairs_new_least": ("new pairs with a value of an unchanged quasi-identifier, fewest", SHARE),
    "exchange": ("cells that changed while the column keeps its values", SHARE),
    "exchange_in_class": ("cells exchanged within equal quasi-identifiers", SHARE),
    "exchange_near": ("cells exchanged with values near in rank", SHARE),
    "exchange_far": ("cells exchanged with values far in rank", SHARE),
    "exchange_ordered": ("cells exchanged so that the order is kept", SHARE),
    "exchange_unordered": ("cells exchanged so that the order is lost", SHARE),
    "exchange_untied": ("cells exchanged so that correlations are lost", SHARE),
    "replaced": ("cells replaced by other values of the column, in other frequencies", SHARE),
    "top_mass": ("gain in cells at the largest value", SHARE),
    "top_fit": ("fit of the largest value to cutting off from above", SHARE),
    "bottom_mass": ("gain in cells at the smallest value", SHARE),
    "bottom_fit": ("fit of the smallest value to cutting off from below", SHARE),
    "beyond": ("values outside the range of the original", SHARE),
    "upper_tail": ("length of the upper tail, relative to the original", NUMBER),
    "lower_tail": ("length of the lower tail, relative to the original", NUMBER),
    "spread": ("standard deviation, relative to the original", NUMBER),
    "mean_shift": ("shift of the mean, in standard errors", NUMBER),
    "step": ("growth of the step between values, in powers of ten", NUMBER),
    "roundness": ("gain in round numbers", SHARE),
    "fraction": ("gain in numbers that are not whole", SHARE),
    "moved": ("middle change of a changed cell, in standard deviations", NUMBER),
    "moved_most": ("large changes over middle ones", NUMBER),
    "moved_rank": ("middle change of a changed cell, as a share of the ranks", SHARE),
    "moved_rank_most": ("largest changes, as a share of the ranks", SHARE),
    "moved_gap_most": ("largest changes, in ranks between the two values", SHARE),
    "to_top": ("changed cells that became the largest value", SHARE),
    "to_bottom": ("changed cells that became the smallest value", SHARE),
    "towards_mean": ("slope of the change on the value: negative towards the mean", NUMBER),
    "group_mean": ("changed cells that are the mean of the originals that share their value", SHARE),
    "different_moves": ("changes that differ from one another", SHARE),
    "bias": ("mean change over its spread", NUMBER),
    "order": ("rank correlation with the matched original", NUMBER),
}
GROUP_WORDS = {"all": "columns", "qi": "quasi-identifiers", "amounts": "sensitive numbers", "text": "categories"}
SUMMARY_WORDS = {"least": "lowest", "mean": "mean", "most": "highest"}


def sentence(name: str, sign: Sign) -> str:
    """Say a figure in words, with its value and the column it comes from."""
    figure, *place = name.split(".")
    text, written = FIGURES[figure]
    if math.isnan(sign.value):
        return f"{text}: does not apply here"
    value = written(sign.value)
    if not place:
        return f"{text}: {value}"
    group, summary = place
    where = f" (column {sign.column!r})" if sign.column is not None else ""
    return f"{text}: {value}, {SUMMARY_WORDS[summary]} of the {GROUP_WORDS[group]}{where}"
