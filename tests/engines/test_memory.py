"""Amounts of memory: what is read, what is refused, and how rows are divided."""

from __future__ import annotations

import pytest

from icefire.core.errors import ParameterError
from icefire.engines.memory import available_memory, parse_memory, plan_memory


@pytest.mark.parametrize(
    ("text", "size"),
    [("6GB", 6 * 10**9), ("512 mb", 512 * 10**6), ("2GiB", 2 << 30), ("1000", 1000), ("1.5G", 15 * 10**8)],
)
def test_amounts_are_read(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "much", "-3GB", "0", "6XB", "6GBB"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="no amount of memory"):
        parse_memory(text)


def test_a_limit_that_is_too_small_says_which_is_enough() -> None:
    with pytest.raises(ParameterError, match=r"too little for 1,000,000 and 1,000,000 rows; give at least \d") as error:
        plan_memory(200 * 10**6, 10**6, 10**6, 100)
    least = parse_memory(str(error.value).split("at least ")[1].split(",")[0])
    assert plan_memory(least, 10**6, 10**6, 100).bucket_rows > 0


def test_a_hundred_million_rows_fit_into_six_gigabytes() -> None:
    assert plan_memory(6 * 10**9, 10**8, 10**8, 90).bucket_rows >= 20_000


def test_the_memory_of_this_machine_is_known() -> None:
    assert available_memory() > 10**8
