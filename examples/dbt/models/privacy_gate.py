"""Audit the model `released` against the seed `people`; stop the run if it does not pass."""

from pathlib import Path

import polars as pl

import icefire

ROLES = {"qi": ["age", "sex", "district"], "sa": "income"}


def model(dbt, session):
    """Return the limits as a table, or raise an error."""
    dbt.config(materialized="table")
    original = dbt.ref("people").order("person").pl().drop("person")
    released = dbt.ref("released").order("person").pl().drop("person")
    audit = icefire.audit(original, released, aligned=True, policy="public", **ROLES)
    Path("target").mkdir(exist_ok=True)
    icefire.write_report(audit.scorecard, "target/privacy_gate.html", force=True)
    if dbt.config.get("gate") != "warn" and audit.scorecard.verdict.passed is not True:
        raise icefire.UnsafeReleaseError(audit)
    rows = [(limit.name, limit.value, limit.limit, limit.passed) for limit in audit.scorecard.limits]
    return pl.DataFrame(rows, schema=["name", "value", "allowed", "holds"], orient="row")
