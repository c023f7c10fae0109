"""Assign the rows of a table to people anew, within a limit, so that nobody can tell whose they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import polars as pl

from icefire.core import blocks
from icefire.core.dataset import Dataset
from icefire.core.dataset import numbers as floats
from icefire.core.parameters import Bounds, Columns, Share
from icefire.core.registry import method
from icefire.kernels.records import candidates, loss
from icefire.kernels.types import Int
from icefire.methods.surveys import averages, odds, rows, rows_left_out
from icefire.methods.surveys.rows_left_out import CandidateCounts
from icefire.methods.surveys.value_assignment import assigned_values

Positive = Annotated[float, Bounds(1e-9)]


def _hint(parameters: Mapping[str, Any]) -> str:
    if parameters["guesses"] == 0:
        return ""
    return (
        "'guesses' guards against attackers who do not know the method; one who does passes over what it avoids and "
        "finds about twice as many rows (see docs/methods/scatter_rows.md); leave it at 0"
    )


@method(
    "scatter_rows",
    draws=True,
    drops_rows=True,
    check=rows.check("scatter_rows"),
    hint=_hint,
    defaults=rows.DEFAULTS,
)
def scatter_rows(
    data: Dataset,
    *,
    rng: np.random.Generator,
    limit: rows.LossLimit = 4.0,
    numbers: Columns = None,
    categories: Columns = None,
    share: Share = 0.2,
    few: Annotated[int, Bounds(0)] = 15,
    guesses: Annotated[int, Bounds(0)] = 0,
    drift: Positive = 0.05,
    formula: str | None = None,
    odds_ratio: Positive = 0.1,
    correlation: Share = 1.0,
    alone: Share = 1.0,
    key: Columns = None,
    unit: Positive = 10.0,
) -> Dataset:
    """Leave some people out and deal everybody's values out anew, within a limit and as hard to guess as possible.

    A candidate of a row is another row within the `limit` of iloss: no number differs by more, and no more categories
    than that differ. All columns move together.

    Left out is a `share` of the people: first those with at most `few` candidates, then others at random. As many rows
    of values go, whoever's they are. The values that stay are dealt out at random, each once, among all ways in which
    nobody gets the own values. With `guesses`, nobody gets a value either that an attacker with so many guesses would
    name first: nearest, farthest, or held by few others. Where no such way is left, people get a value of their own
    that stands out, or else a copy.

    Two options tell: whoever counts candidates knows that people with at most `few` were left out, and whoever knows
    that `guesses` were guarded against passes over the avoided values and finds about twice as many rows.

    What is left out is chosen so that no mean of a column moves by more than `drift` standard deviations, no odds ratio
    of the logistic regression `formula` by more than `odds_ratio`, and no correlation by more than `correlation`. With
    `alone` below 1 so many people are left out, alone or not, that at most this share of all rows is alone with its
    combination of the columns `key`.

    Args:
        data: The table.
        rng: Random generator.
        limit: Largest difference of a number, and most categories that may differ, between a row and a candidate.
        numbers: Columns compared as numbers. Default: the numbers among the quasi-identifiers and sensitive attributes.
        categories: Columns compared as categories. Default: the others among them.
        share: Share of the people to leave out.
        few: Rows with at most so many candidates go first; that they did can be told.
        guesses: Number of guesses to guard against, of an attacker who does not know this method.
        drift: Largest change of a mean, in standard deviations.
        formula: Logistic regression to keep, such as "dia ~ gen + age + bmi". Default: none.
        odds_ratio: Largest change of its odds ratios.
        correlation: Largest change of a correlation of two columns, each value of a category being a column; 1 allows
            any.
        alone: Largest share of rows that may be alone in their class.
        key: Columns that form the classes. Default: all columns compared but the outcome of the formula.
        unit: Numbers of the key are rounded to multiples of it.

    Returns:
        The people who stay, with values dealt out anew; the notes say how many are left out, unmoved and copied, and
        how far averages moved.

    Raises:
        ParameterError: If there is no column to compare rows by, or too many rows would have to go.
        SchemaError: If a column of `numbers` holds none.
    """
    names = rows.columns(data, "scatter_rows", numbers, categories)
    watched = averages.watched_averages(data, names, drift, odds.fitted(data, formula, odds_ratio))
    known = rows.encoded(data, *names)
    here = np.arange(data.height)
    counts = candidates.counts(known, known, limit, here)
    outcome = () if watched.odds is None else (watched.odds.formula.outcome,)
    combined = data.schema.pick(key, [n for n in (*names[0], *names[1]) if n not in outcome], "scatter_rows: key")
    classes = _classes(data, combined, names[0], unit)
    candidate_counts = CandidateCounts(known, limit, counts, classes, int(alone * data.height))
    gone = rows_left_out.people_left_out(candidate_counts, watched, few, round(share * data.height), rng)
    values_gone = rows_left_out.values_left_out(candidate_counts, watched, gone, correlation, rng)
    people, values = (averages.without(data.height, rows_gone) for rows_gone in (gone, values_gone))
    source = here.copy()
    source[people] = assigned_values(known, people, values, limit, guesses, rng)
    return rows.moved(data, source).take(people).noted(**_facts(known, watched, people, source[people]))


def _classes(data: Dataset, key: tuple[str, ...], numbers: tuple[str, ...], unit: float) -> Int:
    """Number the combinations of some columns, numbers rounded to multiples of a unit, halves to the even one."""
    if not key:
        return np.zeros(data.height, np.int64)
    rounded = [pl.Series(name, np.rint(floats(data.frame[name]) / unit)).fill_nan(None) for name in numbers]
    return blocks.blocks_of_table(data.frame.with_columns(rounded), key).x_labels


def _facts(known: loss.Records, watched: averages.Averages, people: Int, source: Int) -> dict[str, float | int]:
    """What the recipe as run says of the release; nothing of who was left out."""
    times = np.bincount(source, minlength=len(known.numbers))
    facts: dict[str, float | int] = {
        "suppressed": len(known.numbers) - len(people),
        "unmoved": int((source == people).sum()),
        "copied": int(np.maximum(times - 1, 0).sum()),
        "largest_iloss": float(loss.losses(known, people, known.take(source)).max(initial=0.0)),
        "largest_drift": round(watched.shift(source), 6),
        "largest_correlation_change": round(watched.correlation_change(source), 6),
    }
    if watched.odds is not None:
        facts["largest_odds_ratio_change"] = round(watched.odds.change(source), 6)
    return facts
