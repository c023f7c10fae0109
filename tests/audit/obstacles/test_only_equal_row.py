"""Equal rows: the only row of a table that equals one of another in all columns."""

import numpy as np
import polars as pl
import pytest

from icefire.audit.obstacles.distinct_values import all_differ, distinct_count
from icefire.audit.obstacles.only_equal_row import only_equal_row


def plain(x, y):
    rows = [[i for i, known in enumerate(x.rows()) if known == shown] for shown in y.rows()]
    return [own[0] if len(own) == 1 else -1 for own in rows]


@pytest.mark.parametrize("seed", range(20))
def test_rows_equal_in_every_column(seed):
    rng = np.random.default_rng(seed)

    def table(rows):
        return pl.DataFrame(
            {
                "amount": rng.integers(-3, 4, rows),
                "large": rng.integers(0, 2, rows) * 2**60 - 7,
                "small": rng.integers(-128, 128, rows).astype(np.int8) // 64,
                "part": rng.integers(0, 2, rows) / 2,
                "word": rng.choice(["a", "b", None], rows).tolist(),
                "gaps": pl.Series([None if v == 0 else int(v) for v in rng.integers(0, 3, rows)], dtype=pl.Int64),
            }
        )

    x, y = table(60), table(40)
    y = pl.concat([y, x.sample(20, seed=seed)])
    for columns in (x.columns, ["amount"], ["word", "gaps"], ["amount", "large", "small"]):
        tables = x.select(columns), y.select(columns)
        assert only_equal_row(*tables).tolist() == plain(*tables)


def test_nothing_in_common():
    x = pl.DataFrame({"amount": [1, 2, 3]})
    assert only_equal_row(x, x + 10).tolist() == [-1, -1, -1]
    assert only_equal_row(x, x.clear()).tolist() == []


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([-128, 127, 127, 0], dtype=pl.Int8),
        pl.Series([1, 1, None, None]),
        pl.Series([2**62, -(2**62), 5]),
        pl.Series(["a", "b", "a"]),
        pl.Series([], dtype=pl.Int64),
    ],
)
def test_distinct_values_are_counted(column):
    assert distinct_count(column) == column.n_unique()


def test_all_values_differ():
    assert all_differ(pl.Series(np.arange(3000)).cast(pl.String))
    assert not all_differ(pl.Series([*range(2000), 0]).cast(pl.String))
    assert not all_differ(pl.Series(["a", None]))
