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

from icefire.attacks.tables.link.numerals import english_words

PEOPLE = 150
POSTCODES = [f"{code:05d}" for code in np.random.default_rng(4).permutation(np.arange(1000, 99_000, 7))[:PEOPLE]]


def people() -> pl.DataFrame:
    return staff(rows=PEOPLE).with_columns(postcode=pl.Series(POSTCODES))


def encoded(column: str, code: Callable[[str], str]) -> Any:
    """Every column shuffled but one, whose values are encoded."""
    values = [code(str(value)) for value in people()[column].to_list()]
    released = shuffled(people()).with_columns(pl.Series(column, values))
    return judge(people(), released, qi=(*QI, "postcode", "income"), sa=SA[1:], attacks=["link"], measures=["U6"])


def computed(column: str, rule: Callable[[Any], Any]) -> Any:
    """Every column shuffled but one, whose numbers are replaced by a rule."""
    released = shuffled(people()).with_columns(pl.Series(column, rule(people()[column].to_numpy())))
    return judge(people(), released, qi=(*QI, "postcode", "income"), sa=SA[1:], attacks=["link"], measures=["U6"])


def digits_by_places(value: Any, places: str = "2041", letters: str = "0123456789") -> str:
    """The digits of a number from a fifth one on, each at another place, under other names if asked."""
    written = f"{int(value):05d}"
    return written[:-5] + "".join(letters[int(written[-5:][int(place)])] for place in places + "3")


def ordered(order: Any) -> Any:
    """Every column shuffled, the rows in this order of people."""
    table = shuffled(staff(rows=PEOPLE))
    return judge(
        staff(rows=PEOPLE), table[order.tolist()], truth=order, qi=QI, sa=SA, attacks=["link"], measures=["U6"]
    )


def in_order_of_bands(bands: int) -> Any:
    """Sex and job kept, all else shuffled, the rows sorted by bands of the original incomes; not at all by one band."""
    table = staff()
    incomes = table["income"].rank("ordinal").to_numpy() * bands // (table.height + 1)
    order = np.lexsort((np.random.default_rng(3).random(table.height), incomes))
    others = [name for name in table.columns if name not in ("sex", "job")]
    released = shuffled(table, others)[order.tolist()]
    return judge(table, released, truth=order, qi=QI, sa=SA, attacks=["link"], measures=["U6"])


def within(size: int) -> Any:
    rng = np.random.default_rng(6)
    return np.concatenate([rng.permutation(np.arange(at, at + size)) for at in range(0, PEOPLE, size)])


def numbered(code: Callable[[str], str], joint: str = "") -> Any:
    """Every column shuffled, and a declared identifier that is encoded; its two parts may stand apart."""
    table = people().with_columns(postcode="PN" + joint + pl.col("postcode"))
    released = shuffled(table).with_columns(pl.Series("postcode", [code(value) for value in table["postcode"]]))
    return judge(table, released, qi=QI, sa=SA, ids=("postcode",), attacks=["link"], measures=["U6"])


def hashed_together(code: Callable[[str, str], str]) -> Any:
    """Every column shuffled, and telephone numbers that are replaced by hashes of them and of the income."""
    table = people().with_columns(phone="070" + pl.col("postcode") + "1")
    codes = [code(*pair) for pair in table.select("phone", pl.col("income").cast(pl.String)).rows()]
    released = shuffled(table).with_columns(phone=pl.Series(codes))
    return judge(table, released, qi=QI, sa=SA, ids=("phone",), attacks=["link"], measures=["U6"])


MUST_NOT_PASS: dict[str, Any] = {
    "an identifier hashed together with an amount": lambda: hashed_together(
        lambda phone, income: hashlib.sha1(f"{income}|{phone}".encode()).hexdigest()[:12]
    ),
    "telephone numbers in their international form, hashed": lambda: hashed_together(
        lambda phone, income: hashlib.sha256(f"+81{phone[1:]}".encode()).hexdigest()
    ),
    "an identifier as the beginning of its hash": lambda: numbered(lambda v: hashlib.md5(v.encode()).hexdigest()[:10]),
    "an account number without its spaces, hashed": lambda: numbered(
        lambda v: hashlib.sha1(v.replace(" ", "").lower().encode()).hexdigest()[:10], joint=" "
    ),
    "an identifier whose number was multiplied": lambda: numbered(lambda v: str(int(v[2:]) * 3)),
    "an identifier with its last digit masked": lambda: numbered(lambda v: f"{v[:-1]}*"),
    "the beginning of a hash": lambda: encoded("postcode", lambda v: hashlib.sha256(v.encode()).hexdigest()[:12]),
    "a hash of an amount": lambda: encoded("income", lambda v: hashlib.md5(v.encode()).hexdigest()),
    "a checksum": lambda: encoded("postcode", lambda v: str(zlib.crc32(v.encode()))),
    "base 64": lambda: encoded("postcode", lambda v: base64.b64encode(v.encode()).decode()),
    "digits in reversed order": lambda: encoded("postcode", lambda v: v[::-1]),
    "numbers in English words": lambda: encoded("income", lambda v: english_words(int(v)).replace("ty ", "ty-")),
    "whole numbers by base 16": lambda: encoded("income", lambda v: f"{int(v):x}"),
    "sines of amounts": lambda: computed("income", np.sin),
    "amounts with digits in reversed order": lambda: computed("income", lambda v: [int(str(n)[::-1]) for n in v]),
    "digits at other places": lambda: encoded("postcode", digits_by_places),
    "an identifier with digits at other places": lambda: numbered(lambda v: "PN" + digits_by_places(v[2:])),
    "amounts with digits at other places": lambda: computed("income", lambda v: [int(digits_by_places(n)) for n in v]),
    "digits at other places under secret names": lambda: encoded(
        "postcode", lambda v: digits_by_places(v, letters="qwertzuiop")
    ),
    "amounts with some bits inverted": lambda: computed("income", lambda v: v ^ 0x5A5A),
    "amounts with groups of three digits": lambda: encoded("income", lambda v: f"{int(v):,}"),
    "rows in reversed order": lambda: ordered(np.arange(PEOPLE)[::-1].copy()),
    "rows moved by few places": lambda: ordered(within(5)),
    "rows in the order of bands of incomes": lambda: in_order_of_bands(10),
    "rows in the order of incomes": lambda: ordered(np.argsort(staff(rows=PEOPLE)["income"].to_numpy(), kind="stable")),
}

MUST_PASS: dict[str, Any] = {
    "an identifier hashed together with an amount and a secret": lambda: hashed_together(
        lambda phone, income: hashlib.sha1(f"{income}|{phone}|k7".encode()).hexdigest()[:12]
    ),
    "an identifier hashed with a secret": lambda: numbered(lambda v: hashlib.md5(f"k7{v}".encode()).hexdigest()[:10]),
    "a hash with a secret": lambda: encoded("postcode", lambda v: hashlib.sha256(f"k7{v}".encode()).hexdigest()),
    "digits at other places, of other people": lambda: computed(
        "income", lambda v: [int(digits_by_places(n)) for n in np.random.default_rng(2).permutation(v)]
    ),
    "numbers drawn anew": lambda: computed("income", lambda v: np.random.default_rng(2).permutation(v) + 1),
    "rows of few columns in an order drawn at random": lambda: in_order_of_bands(1),
    "rows in an order drawn at random": lambda: ordered(within(PEOPLE)),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_values_written_otherwise_do_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_codes_and_orders_that_tell_nothing_pass(release: str) -> None:
    assert_passed(MUST_PASS[release]())
