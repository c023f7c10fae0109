"""The gate for values written in another way: codes without a key, groups of digits, and the order of the rows."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed
from support.gate_tables import QI, SA, judge, shuffled, staff

PEOPLE = 150
POSTCODES = [f"{code:05d}" for code in np.random.default_rng(4).permutation(np.arange(1000, 99_000, 7))[:PEOPLE]]


def people() -> pl.DataFrame:
    return staff(rows=PEOPLE).with_columns(postcode=pl.Series(POSTCODES))


def encoded(column: str, code: Callable[[str], str]) -> Any:
    """Every column shuffled but one, whose values are encoded."""
    values = [code(str(value)) for value in people()[column].to_list()]
    released = shuffled(people()).with_columns(pl.Series(column, values))
    return judge(people(), released, qi=(*QI, "postcode", "income"), sa=SA[1:], attacks=["link"], measures=["U6"])


def ordered(order: Any) -> Any:
    """Every column shuffled, the rows in this order of people."""
    table = shuffled(staff(rows=PEOPLE))
    return judge(
        staff(rows=PEOPLE), table[order.tolist()], truth=order, qi=QI, sa=SA, attacks=["link"], measures=["U6"]
    )


def within(size: int) -> Any:
    rng = np.random.default_rng(6)
    return np.concatenate([rng.permutation(np.arange(at, at + size)) for at in range(0, PEOPLE, size)])


MUST_NOT_PASS: dict[str, Any] = {
    "the beginning of a hash": lambda: encoded("postcode", lambda v: hashlib.sha256(v.encode()).hexdigest()[:12]),
    "a hash of an amount": lambda: encoded("income", lambda v: hashlib.md5(v.encode()).hexdigest()),
    "a checksum": lambda: encoded("postcode", lambda v: str(zlib.crc32(v.encode()))),
    "base 64": lambda: encoded("postcode", lambda v: base64.b64encode(v.encode()).decode()),
    "digits in reversed order": lambda: encoded("postcode", lambda v: v[::-1]),
    "amounts with groups of three digits": lambda: encoded("income", lambda v: f"{int(v):,}"),
    "rows in reversed order": lambda: ordered(np.arange(PEOPLE)[::-1].copy()),
    "rows moved by few places": lambda: ordered(within(5)),
    "rows in the order of incomes": lambda: ordered(np.argsort(staff(rows=PEOPLE)["income"].to_numpy(), kind="stable")),
}

MUST_PASS: dict[str, Any] = {
    "a hash with a secret": lambda: encoded("postcode", lambda v: hashlib.sha256(f"k7{v}".encode()).hexdigest()),
    "rows in an order drawn at random": lambda: ordered(within(PEOPLE)),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_values_written_otherwise_do_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_codes_and_orders_that_tell_nothing_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())
