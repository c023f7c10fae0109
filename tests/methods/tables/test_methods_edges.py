"""Tables of no row, one row, no values, every type: each method copes, or says why not."""

from __future__ import annotations

import warnings
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from support.applied import applied, holding

import icefire
from icefire import recipe
from icefire.core import registry
from icefire.core.dataset import ORIGIN
from icefire.core.errors import ParameterError, SchemaError

VALUES = {
    "age": (pl.Int8, [30, 30, 41, 41, 30, 41]),
    "job": (pl.String, ["cook", "cook", "nurse", "nurse", "cook", "nurse"]),
    "town": (pl.Categorical, ["x", "x", "y", "y", "x", "y"]),
    "size": (pl.Enum(["small", "large"]), ["small", "small", "large", "large", "small", "large"]),
    "owner": (pl.Boolean, [True, True, False, False, True, False]),
    "born": (pl.Date, [date(1990, 1, 1 + i % 2) for i in range(6)]),
    "seen": (pl.Datetime("ms"), [datetime(2020, 1, 1 + i % 2, 12) for i in range(6)]),
    "left": (pl.String, [f"2020-01-0{1 + i % 2}" for i in range(6)]),
    "income": (pl.Int32, [100, 250, 300, 100, 50, 720]),
    "rent": (pl.Float64, [1.5, 2.5, 9.0, 4.5, 2.5, 0.5]),
}
QI, SA = tuple(VALUES)[:8], ("income", "rent")

STEPS = [
    {"method": "pram"},
    {"method": "pram", "invariant": False, "keep": 0, "columns": ",".join(QI)},
    {"method": "randomized_response", "keep": 0, "columns": ",".join(QI)},
    {"method": "laplace"},
    {"method": "laplace", "truncate": True, "low": 0, "high": 5},
    {"method": "gaussian"},
    {"method": "noise"},
    {"method": "correlated_noise", "keep_spread": True},
    {"method": "round_values"},
    {"method": "round_values", "how": "random", "base": 3},
    {"method": "top_code"},
    {"method": "top_code", "how": "drop"},
    {"method": "bottom_code"},
    {"method": "bottom_code", "how": "drop"},
    {"method": "suppress_columns", "columns": ",".join(VALUES)},
    {"method": "suppress_rows", "qi": "job"},
    {"method": "suppress_cells", "share": 0.4},
    {"method": "sample_rows"},
    {"method": "shuffle", "columns": ",".join(VALUES)},
    {"method": "pseudonyms"},
    {"method": "pseudonyms", "kind": "keyed_hash", "columns": ",".join(QI)},
    {"method": "pseudonyms", "kind": "format_preserving", "columns": "age,job,town,left"},
    {"method": "shift_dates"},
    {"method": "shift_dates", "key": "job"},
    {"method": "synthesize"},
]
MOVES_OR_MAKES_MISSING = {"suppress_columns", "suppress_cells", "shuffle", "synthesize"}
IDS = [" ".join(str(value) for value in step.values())[:50] for step in STEPS]


def mixed(rows, missing=()):
    columns = [
        pl.Series(name, [None if i in missing else v for i, v in enumerate(values[:rows])], dtype=dtype)
        for name, (dtype, values) in VALUES.items()
    ]
    return holding(pl.DataFrame(columns), qi=QI, sa=SA)


def run(step, data):
    parameters = {key: value for key, value in step.items() if key != "method"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return applied(step["method"], data, **parameters)


@pytest.mark.parametrize("step", STEPS, ids=IDS)
@pytest.mark.parametrize(("rows", "missing"), [(0, ()), (1, ()), (6, range(6)), (6, (2, 4)), (6, ())])
def test_it_survives_small_and_empty_tables_of_every_type(step, rows, missing):
    data = mixed(rows, missing)
    if step["method"] == "suppress_rows" and rows == 1:
        with pytest.raises(ParameterError, match="every class of the 1 rows has fewer than k = 2"):
            run(step, data)
        return
    before = data.frame.clone()
    made = run(step, data)
    assert data.frame.equals(before)
    assert made.frame.columns == [*before.columns, ORIGIN]
    assert made.schema == data.schema
    assert made.frame.equals(run(step, data).frame)
    origin = made.frame[ORIGIN].to_numpy()
    assert len(np.unique(origin)) == made.height <= rows
    if step["method"] not in MOVES_OR_MAKES_MISSING:
        for name in VALUES:
            assert made.frame[name].is_null().equals(before[name][origin].is_null()), name


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_the_same_seed_writes_the_same_bytes(step, tmp_path):
    data = mixed(6)
    for name in ("a", "b"):
        icefire.anonymize(data, {"seed": 3, "step": [step]}, output=tmp_path / name)
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / n).rglob("*") if p.is_file()} for n in "ab")
    assert first == second


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_its_release_can_be_audited(step):
    data = mixed(6)
    release = icefire.anonymize(data, {"step": [step]})
    card = icefire.audit(data, release).scorecard
    assert card.recipe["steps"][0]["method"] == step["method"]


NAMES = sorted({step["method"] for step in STEPS})


@pytest.mark.parametrize("name", [n for n in NAMES if "columns" in registry.get("method", n).parameters])
def test_a_column_that_is_not_there_is_answered_with_the_nearest(name):
    with pytest.raises(SchemaError, match=f"^{name}: columns: no column 'incom'; did you mean 'income'"):
        run({"method": name, "columns": "incom"}, mixed(6))


@pytest.mark.parametrize("name", [n for n in NAMES if "columns" in registry.get("method", n).parameters])
def test_a_column_named_twice_is_treated_once_and_none_is_left_alone(name):
    run({"method": name, "columns": "born,born" if name == "shift_dates" else "income,income"}, mixed(6))
    data = mixed(6)
    made = run({"method": name, "columns": ""}, data)
    assert made.frame.drop(ORIGIN).equals(data.frame)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"method": "pram", "keep": 1.2}, "pram: parameter 'keep' got 1.2; it takes a number, 0 to 1"),
        ({"method": "randomized_response", "p": 0.5}, "randomized_response has no parameter 'p'"),
        ({"method": "laplace", "epsilon": 0}, "laplace: parameter 'epsilon' got 0; it takes a number, at least 1e-06"),
        ({"method": "gaussian", "delta": 0}, "gaussian: parameter 'delta' got 0; it takes a number, 1e-12 to 0.5"),
        ({"method": "gaussian", "calibration": "exact"}, "it takes one of analytic, classic"),
        ({"method": "round_values", "base": "ten"}, "round_values: parameter 'base' got 'ten'; it takes a number"),
        ({"method": "top_code", "how": "delete"}, "top_code: parameter 'how' got 'delete'; it takes one of clip, drop"),
        (
            {"method": "suppress_rows", "k": 1},
            "suppress_rows: parameter 'k' got 1; it takes a whole number, at least 2",
        ),
        ({"method": "sample_rows", "n": 0}, "sample_rows: parameter 'n' got 0; it takes a whole number, at least 1"),
        ({"method": "shift_dates", "days": -3}, "shift_dates: parameter 'days' got -3; it takes a whole number"),
        ({"method": "pseudonyms", "kind": "md5"}, "one of random, keyed_hash, format_preserving"),
    ],
)
def test_a_wrong_parameter_is_refused_before_anything_runs(step, message):
    with pytest.raises(ParameterError) as caught:
        recipe.load({"step": [step]})
    assert str(caught.value).startswith("recipe step 1: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
