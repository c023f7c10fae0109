"""Wherever a table is accepted, tables of every library are."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import icefire

TABLE = pl.DataFrame({"age": [30, 31, 40, 41, 50, 51] * 4, "pay": [100 + 7 * row for row in range(24)]})
QUICK: dict[str, Any] = {"aligned": True, "attacks": "id_rand", "measures": "k_min"}


def tables(moved: int = 0) -> dict[str, Any]:
    pandas = pytest.importorskip("pandas", reason="pandas frames are tested where pandas is")
    pytest.importorskip("pyarrow", reason="Arrow tables are tested where pyarrow is")
    table = TABLE.with_columns(pl.col("pay") + moved)
    return {
        "polars": table,
        "lazy": table.lazy(),
        "pandas": pandas.DataFrame(table.to_dict(as_series=False)),
        "arrow": table.to_arrow(),
        "mapping": table.to_dict(as_series=False),
        "dataset": icefire.read(table, qi="age", sa="pay"),
    }


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow", "mapping", "dataset"])
def test_every_kind_of_table_is_accepted_by_every_verb(kind: str) -> None:
    table = tables()[kind]
    roles = {"qi": "age", "sa": "pay"}
    assert icefire.read(table, **roles).height == 24
    assert icefire.inspect(table, measures="k_min", **roles).measures["k_min"].value == 4
    assert icefire.anonymize(table, {"step": [{"method": "swap"}]}, seed=1, **roles).released.height == 24
    assert len(icefire.attack("id_rand", table, table, **roles)) == 24


def test_truth_and_guess_are_arrays_and_columns() -> None:
    rows = np.arange(3)
    for one in (rows, [0, 1, 2], pl.Series(rows)):
        assert icefire.score(one, one).hits == 3


def test_other_tables_of_an_audit_are_of_every_kind_too() -> None:
    several, others = tables(), tables(moved=3)
    for kind in ("pandas", "dataset"):
        icefire.audit(TABLE, several[kind], holdout=others[kind], qi="age", sa="pay", **QUICK)
    known = {"register": several["dataset"], "register_truth": list(range(24))}
    audited = icefire.audit(several["dataset"], several["lazy"], **known, **QUICK)
    assert audited.scorecard.attackers
