"""Obstacles to the release of a history: what stands in its way whatever the limits say, each with its evidence.

The same rules as for tables: identifiers in the rows or in the customer table, columns that no attack can look at,
histories published verbatim, and a correspondence that cannot be right.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from icefire.audit import judge
from icefire.audit.obstacles.equal_histories import EqualHistories, equal_histories
from icefire.audit.obstacles.identifiers import BY_CHANCE, OWN_VALUES, identifiers
from icefire.audit.obstacles.learned_goods import unread_goods
from icefire.core import formatting
from icefire.core.dataset import Dataset
from icefire.core.errors import listing
from icefire.core.history import History, HistoryComparison
from icefire.core.release import Guess
from icefire.core.schema import Column, Kind, Role, Schema
from icefire.core.scorecard import Reason
from icefire.risk import safe_harbour
from icefire.words import t

SURE = 0.9
"""An answer of the joint attack with at least this probability is one it is sure of."""
LEAST_SURE, CONTRADICTED = 0.05, 0.5
"""The correspondence is doubted if so many subjects have a sure answer, and more than this share of them another."""
ABOVE_CHANCE = 0.05
"""Histories with this share of rows more in common with their claimed origin than with anybody may come from it."""
MUCH_MORE = 0.3
"""Histories with this share of rows more in common with another customer than with their claimed origin are his."""
RECEIPTS_BY_CHANCE = 5.0
"""Receipt numbers are kept if people hold their own so many times as often as by chance."""


def history_obstacles(
    comparison: HistoryComparison, guesses: Mapping[str, Guess], identified_limit: float, seed: int
) -> list[Reason]:
    """Collect everything that stands in the way of a released history."""
    equal = equal_histories(comparison)
    return [
        *_identifying_columns(comparison),
        *_kept_receipts(comparison),
        *_unassessed_columns(comparison),
        *unread_goods(comparison, guesses, identified_limit, seed),
        *_verbatim(equal, identified_limit),
        *_false_correspondence(comparison, equal, guesses, identified_limit, seed),
    ]


def _identifying_columns(comparison: HistoryComparison) -> list[Reason]:
    """Find names of subjects and columns of the customer table that tell who somebody is."""
    original = _people(comparison.original)
    published = _people(comparison.released)
    subject = comparison.original.fields.subject
    columns = tuple(
        Column(name, Role.ID if name == subject else Role.OTHER, Kind.CATEGORY) for name in original.columns
    )
    known = Dataset(original, Schema(columns), comparison.original.name)
    return identifiers(known, published, comparison.truth, safe_harbour.check(published.drop(subject)))


def _people(history: History) -> pl.DataFrame:
    """One row per subject: the name, and what the customer table says."""
    names = history.names.alias(history.fields.subject)
    return names.to_frame() if history.customers is None else history.customers.with_columns(names)


def _kept_receipts(comparison: HistoryComparison) -> list[Reason]:
    """Refuse receipt numbers that people hold in the original, too: whoever knows one knows the person."""
    sides = (comparison.original, comparison.released)
    known, shown = (side.column("receipt") for side in sides)
    if known is None or shown is None:
        return []
    original = (
        pl.DataFrame({"owner": comparison.original.codes, "receipt": known.cast(pl.String)}).drop_nulls().unique()
    )
    released = pl.DataFrame({"owner": comparison.owners, "receipt": shown.cast(pl.String)}).drop_nulls().unique()
    kept = released.join(original, on=["owner", "receipt"], how="semi").height
    present = released.join(original, on="receipt", how="semi").height
    people = max(original["owner"].n_unique(), 1)
    least = max(BY_CHANCE, OWN_VALUES * released.height, RECEIPTS_BY_CHANCE * present / people)
    if kept <= least and 2 * kept <= released.height:
        return []
    text = t(
        "verdict.reason.receipts",
        column=known.name,
        own=kept,
        all=released.height,
        advice=t("verdict.identifier.advice"),
    )
    return [Reason("identifier", text, {"column": known.name, "own_values": kept / max(released.height, 1)})]


def _unassessed_columns(comparison: HistoryComparison) -> list[Reason]:
    """Find released columns that tell people apart but that no attack can look at."""
    original, released = comparison.original, comparison.released
    tables = [(original.frame, released.frame)]
    if released.customers is not None:
        known = original.customers if original.customers is not None else original.names.to_frame()
        tables.append((known, released.customers))
    new = [
        name
        for known, shown in tables
        for name in shown.columns
        if name not in known.columns and name != original.fields.subject and shown[name].n_unique() > 1
    ]
    time = released.column("time")
    if time is not None and not released.has("date") and time.n_unique() > 1:
        new.append(time.name)
    if not new:
        return []
    text = t("verdict.reason.history_column_new", columns=listing(new))
    return [Reason("not_assessed", text, {"columns": new})]


def _verbatim(equal: EqualHistories, limit: float) -> list[Reason]:
    """Refuse a release that publishes more histories verbatim than people may be identified."""
    count, total = int(equal.verbatim.sum()), len(equal.verbatim)
    share = count / max(total, 1)
    if share <= limit:
        return []
    text = t("verdict.reason.histories_verbatim", n=count, all=total, share=formatting.percent(share))
    return [Reason("verbatim", text, {"subjects": count, "share": share, "limit": limit})]


def _false_correspondence(
    comparison: HistoryComparison, equal: EqualHistories, guesses: Mapping[str, Guess], limit: float, seed: int
) -> list[Reason]:
    """Doubt a correspondence that contradicts histories whose origin is plain.

    The origin is plain where a history is published verbatim, or where the joint attack is sure. If most of these
    belong to others than claimed, and have no more rows in common with their claimed origin than with anybody, the
    claim is false. Histories with added, deleted, exchanged or coarsened rows still have something in common with
    their origin. Those that have much more in common with another customer give that one away, whatever is claimed.
    """
    truth, answers, sure = comparison.truth.rows, equal.customers, equal.verbatim
    link = guesses.get("link")
    if link is not None and link.probability is not None:
        by_link = ~sure & (link.probability >= SURE) & (link.first >= 0)
        answers, sure = np.where(by_link, link.first, answers), sure | by_link
    wrong = np.flatnonzero(sure & (answers != truth))
    if sure.mean() < LEAST_SURE or len(wrong) <= CONTRADICTED * sure.sum():
        return []
    strangers = np.random.default_rng(seed).permutation(truth[wrong])
    claimed, by_chance = (equal.in_common(wrong, people) for people in (truth[wrong], strangers))
    if any(own > other + ABOVE_CHANCE for own, other in zip(claimed, by_chance, strict=True)):
        named = equal.in_common(wrong, answers[wrong])
        much_more = any(other > own + MUCH_MORE for own, other in zip(claimed, named, strict=True))
        return _of_others(len(wrong), len(truth), limit) if much_more else []
    text = t("verdict.reason.history_correspondence", wrong=len(wrong), plain=int(sure.sum()))
    return [Reason("correspondence", text, {"subjects": len(wrong), "plain": int(sure.sum())})]


def _of_others(count: int, total: int, limit: float) -> list[Reason]:
    """Refuse histories of others than claimed if they are more than may be identified."""
    share = count / total
    if judge.wilson(count, total)[0] <= limit:
        return []
    text = t("verdict.reason.histories_of_others", share=formatting.percent(share))
    return [Reason("verbatim", text, {"subjects": count, "share": share, "limit": limit})]
