"""pMSE: can a model tell released rows from original ones?"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from icefire.core import seeds
from icefire.core.parameters import Bounds, Columns
from icefire.core.registry import measure
from icefire.core.release import Comparison
from icefire.kernels.types import Float
from icefire.measures.compared_columns import described_columns
from icefire.measures.drawn_values import DrawnTables, draw_tables
from icefire.measures.noted import NotedValue
from icefire.regression.main_effects import MainEffects, code_rows
from icefire.regression.propensity import NullModel, probabilities

Permutations = Annotated[int, Bounds(1, 1000)]


@measure("pmse", needs=("original",))
def pmse(comparison: Comparison, *, columns: Columns = None) -> float:
    """Mean squared distance of a row's propensity from the share of released rows: 0 if nothing tells the two apart.

    A logistic regression with main effects tells released rows from original ones. With p the probability that it gives
    a row and c the share of released rows, pMSE is the mean of (p - c)². If it tells them apart without fail, it is
    c (1 - c), which is 0.25 for tables of equal size. Numbers are standardised, categories have a column for each of
    their values, the rarer ones of more than 20 share one, missing is a value of its own. For a label such as 30-39 a
    value it stands for is drawn. At most 20,000 rows of each table, drawn at random, and the 60 columns that moved most
    are used.

    Args:
        comparison: The original table and the released one.
        columns: Columns to compare. Default: all that do not identify people.

    Returns:
        The mean squared distance, with a note that says how large the model is.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no column or no row.
    """
    tables, rows, outcome = _model(comparison, columns)
    return NotedValue(_fitted(comparison, columns), _note(tables, rows, outcome))


@measure("pmse_ratio", needs=("original",), best="0 to 1")
def pmse_ratio(comparison: Comparison, *, columns: Columns = None, permutations: Permutations = 10) -> float:
    """pMSE divided by what it is if rows are assigned to the two tables at random: about 1 for people drawn anew.

    A model fits chance, too. How much is measured by fitting it again with the names of the two tables permuted, so
    many times (`permutations`). By theory that is c (1 - c) (k - 1) / N, with k coefficients, N rows and the share c of
    released ones; Snoke et al., who hold the original rows fixed, have 1 - c times as much. Another sample of the same
    population has a ratio near 1, an unchanged table 0. The more rows, the more a small difference shows. See `pmse`.

    Args:
        comparison: The original table and the released one.
        columns: Columns to compare. Default: all that do not identify people.
        permutations: How many times the names of the tables are permuted.

    Returns:
        The ratio; 0 for an unchanged table and where no column varies.

    Raises:
        SchemaError: If a column named is not in the table.
        UndefinedError: If there is no column or no row.
    """
    tables, rows, outcome = _model(comparison, columns)
    value = _fitted(comparison, columns)
    expected = null_expectation(rows, outcome, permutations) if rows.width > 1 else 0.0
    note = f"by chance {expected:.3g}, mean of {permutations} permutations"
    return NotedValue(value / expected if expected else 0.0, "; ".join(filter(None, (note, tables.extent))))


def null_expectation(rows: MainEffects, outcome: Float, permutations: int) -> float:
    """Mean of the pMSE over permutations of the outcome; the same permutations each time."""
    rng = seeds.generator(seeds.DEFAULT_SEED, "measure", "pmse_ratio")
    model = NullModel(rows, outcome)
    share = outcome.mean()
    return float(
        np.mean([_distance(model.probabilities(rng.permutation(outcome)), share) for _ in range(permutations)])
    )


def _model(comparison: Comparison, columns: Columns) -> tuple[DrawnTables, MainEffects, Float]:
    """The rows of both tables as main effects, and 1 for each released one; made once for both measures."""

    def make() -> tuple[DrawnTables, MainEffects, Float]:
        tables = draw_tables(comparison, described_columns(comparison, columns))
        every = tables.columns.values()
        rows = code_rows(
            len(tables.known) + len(tables.shown),
            [column.as_numbers() for column in every if column.column.is_number],
            [column.values for column in every if not column.column.is_number],
        )
        return tables, rows, np.repeat([0.0, 1.0], [len(tables.known), len(tables.shown)])

    return comparison.case.cached(("propensity model", columns), make)


def _fitted(comparison: Comparison, columns: Columns) -> float:
    _, rows, outcome = _model(comparison, columns)
    return comparison.case.cached(
        ("pmse", columns), lambda: _distance(probabilities(rows, outcome), float(outcome.mean()))
    )


def _distance(chance: Float, share: float) -> float:
    return float(((chance - share) ** 2).mean())


def _note(tables: DrawnTables, rows: MainEffects, outcome: Float) -> str:
    share = float(outcome.mean())
    return "; ".join(filter(None, (f"{rows.width} coefficients, at most {share * (1 - share):.3g}", tables.extent)))
