"""An informed attacker: half of the people show how columns were made, and the other half is looked for.

The attacks have to guess from the two tables how columns were changed. A release is not safe because they fail to:
values under another header, sums and differences of columns, rotations, the order of the rows, anything that the
original determines. So the judge tells half of the correspondence, has the relation of every released column to all
original ones learned from it, and counts how many of the others are recognised.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import polars as pl

from icefire.attacks.tables.link.columns import readable
from icefire.audit import judge
from icefire.audit.obstacles.column_relations import Relations, learn_relations
from icefire.audit.obstacles.date_parts import parts_of_dates
from icefire.audit.obstacles.sorted_values import sorted_values
from icefire.audit.obstacles.text_counts import numbers_in_texts
from icefire.core import formatting, seeds
from icefire.core.errors import listing
from icefire.core.release import Comparison, Guess
from icefire.core.schema import Role
from icefire.core.scorecard import Reason
from icefire.kernels.types import Float, Int
from icefire.words import t

TAUGHT, ASKED = 2000, 1000
"""Released rows that are learned from, and that are asked about, at most."""
FEWEST = 40
"""In smaller tables half of the people shows too little."""
COMPARED = 1 << 27
"""Pairs of rows that are compared, unless fewer rows are asked about than `FEWEST`."""
HELD = 1 << 23
"""Pairs held at once."""
PLACE = "the place of the row"
"""Released rows may be sorted by what the original says."""
NAMED = 4
"""Columns named in the reason."""
TIED = 1e-9


def unread_relations(
    comparison: Comparison,
    guesses: Mapping[str, Guess],
    limit: float,
    seed: int,
    known_columns: Collection[str] | None = None,
) -> list[Reason]:
    """Refuse a release in which an informed attacker finds more people than may be identified.

    Where an attack finds as many by itself, nothing is added to what the limit says.

    Args:
        comparison: Both tables and the truth.
        guesses: The answers of the attacks.
        limit: Share of people that may be identified.
        seed: Decides who is taught and who is asked about.
        known_columns: Original columns that attackers know; None for all.
    """
    truth = comparison.truth.rows
    rates = [float((guess.first == truth).mean()) for guess in guesses.values() if guess.names_rows]
    if max(rates, default=0.0) > limit or len(truth) < FEWEST:
        return []
    x, y = _columns(comparison, known_columns)
    if not x.columns or not y.columns:
        return []
    order = seeds.generator(seed, "judge", "informed attacker").permutation(len(truth))
    half = len(order) // 2
    taught = order[:half][:TAUGHT]
    asked = order[half:][: min(ASKED, max(FEWEST, COMPARED // x.height))]
    attacked = max(rates, default=0.0)
    for known, shown, words in ((x, y, "informed"), (*sorted_values(x, y), "informed_sorted")):
        if not known.columns or not shown.columns:
            continue
        relations = learn_relations(known, shown, truth, taught)
        expected = float(_expected_hits(relations, truth, asked).sum())
        if judge.wilson(expected, len(asked))[0] > limit:
            share = expected / len(asked)
            evidence = {"share": share, "attacked": attacked, "asked": len(asked), "limit": limit}
            closest = relations.closest(NAMED)
            text = t(
                f"verdict.further.{words}",
                share=formatting.percent(share),
                taught=len(taught),
                asked=len(asked),
                attacked=formatting.percent(attacked),
                columns=listing(
                    [t("verdict.further.made_from", column=n, sources=listing(s)) for n, s in closest.items()]
                ),
            )
            return [Reason("not_assessed", text, evidence | {"columns": closest})]
    return []


def _columns(comparison: Comparison, known_columns: Collection[str] | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return what an attacker knows and what is released, identifiers excepted, dates as numbers in both."""
    x, y = comparison.original.frame, comparison.released.frame
    hidden = comparison.original.schema.named(Role.ID)
    known = [n for n in x.columns if n not in hidden and (known_columns is None or n in known_columns)]
    shown = [name for name in y.columns if name not in hidden and y[name].drop_nulls().n_unique() > 1]
    pairs = {name: readable(x[name], y[name]) for name in shown if name in x.columns}
    released = [pairs[name][1] if name in pairs else y[name] for name in shown]
    texts = [column for column in released if column.dtype == pl.String]
    released += [part for column in texts for part in numbers_in_texts(column) if part.drop_nulls().n_unique() > 1]
    if bool((np.diff(comparison.truth.rows) < 0).any()):
        # Rows in the very order of the original are compared row by row: they are to be shuffled later.
        released.append(pl.Series(PLACE, np.arange(y.height, dtype=float)))
    parts = [part for name in known for part in parts_of_dates(x[name]) if part.drop_nulls().n_unique() > 1]
    read = [pairs[name][0] if name in pairs else x[name] for name in known]
    return pl.DataFrame(read + parts), pl.DataFrame(released)


def _expected_hits(relations: Relations, truth: Int, asked: Int) -> Float:
    """Return for every row asked about how probably the likeliest original row is the right one."""
    at_once = max(1, HELD // relations.originals)
    hits = []
    for start in range(0, len(asked), at_once):
        some = asked[start : start + at_once]
        scores = relations.scores(some)
        best = scores.max(axis=1)
        own = scores[np.arange(len(some)), truth[some]]
        tied = (scores >= best[:, None] - TIED).sum(axis=1)
        hits.append(np.where(own >= best - TIED, 1.0 / tied, 0.0))
    return np.concatenate(hits)
