"""What released identifiers keep of the person's own ones: codes, parts, and nothing in random pseudonyms."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import numpy as np
import polars as pl
import pytest

from icefire.audit.obstacles.identifiers import identifiers
from icefire.audit.obstacles.kept_identifiers import share_found_by_part
from icefire.core.release import Truth
from icefire.io.read import read

ROWS = 120
RNG = np.random.default_rng(8)
NUMBERS = [f"PT-{number:06d}" for number in RNG.permutation(900_000)[:ROWS]]
GIVEN = ("Anna", "Boris", "Carla", "Dilek", "Emre", "Femke", "Goran", "Hanna", "Ivo", "Jutta", "Kaya", "Lars")
FAMILY = ("Adler", "Bauer", "Costa", "Dorn", "Egger", "Falk", "Gruber", "Haas", "Iseli", "Jansen")
NAMES = [f"{given} {family}" for given in GIVEN for family in FAMILY]
ORDER = RNG.permutation(ROWS)
"""Original row of each released row."""


def refused(known: list[Any], shown: list[Any]) -> bool:
    original = read(pl.DataFrame({"person": known, "age": range(ROWS)}), ids=("person",), qi=("age",))
    released = pl.DataFrame({"person": [shown[row] for row in ORDER]})
    return bool(identifiers(original, released, Truth(ORDER), None))


def md5(value: str) -> str:
    return hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()


KEPT = {
    "the first digits of a hash": [md5(value)[:12] for value in NUMBERS],
    "a hash of the digits": [md5(value[3:]) for value in NUMBERS],
    "base 64": [base64.b64encode(value.encode()).decode() for value in NUMBERS],
    "letters and digits in reversed order": [value[::-1] for value in NUMBERS],
    "digits in reversed order, without the letters": [value[:2:-1] for value in NUMBERS],
    "the last digits masked": [f"{value[:-2]}**" for value in NUMBERS],
    "the first digits masked": [f"PT-**{value[-4:]}" for value in NUMBERS],
    "the same digits inside other text": [f"case/{value[3:]}/2024" for value in NUMBERS],
    "without leading zeros": [int(value[3:]) for value in NUMBERS],
}


@pytest.mark.parametrize("how", KEPT)
def test_identifiers_that_keep_something_of_the_persons_own_are_refused(how: str) -> None:
    assert refused(NUMBERS, KEPT[how])


@pytest.mark.parametrize("how", ["{1}, {0}", "{1} {0}", "{0}.{1}@example.org", "{1}_{0}"])
def test_names_written_otherwise_are_refused(how: str) -> None:
    assert refused(NAMES, [how.format(*name.split()) for name in NAMES])


def test_real_numbers_of_people_are_refused_though_dealt_to_others() -> None:
    assert refused(NUMBERS, NUMBERS[7:] + NUMBERS[:7])
    assert refused(NAMES, NAMES[7:] + NAMES[:7])


@pytest.mark.parametrize("form", ["{}", "P{:04d}", "2024/{}", "case {} b"])
def test_running_numbers_dealt_anew_are_not_those_of_people(form: str) -> None:
    numbers = [form.format(number) for number in range(ROWS)]
    assert not refused(numbers, np.random.default_rng(3).permutation(numbers).tolist())


def test_texts_with_digits_that_nobody_declared_may_be_dealt_to_others() -> None:
    times = [f"2024-05-{1 + number % 28:02d} {number // 28:02d}:{RNG.integers(60):02d}" for number in range(ROWS)]
    original = read(pl.DataFrame({"seen": times, "age": range(ROWS)}), qi=("age",))
    dealt = pl.DataFrame({"seen": np.random.default_rng(3).permutation(times)})
    assert not identifiers(original, dealt, Truth(np.arange(ROWS)), None)


@pytest.mark.parametrize("seed", range(20))
def test_random_pseudonyms_of_the_same_form_keep_nothing(seed: int) -> None:
    rng = np.random.default_rng([seed, 5])
    assert not refused(NUMBERS, [f"PT-{number:06d}" for number in rng.permutation(900_000)[:ROWS]])
    assert not refused(NUMBERS, [md5(f"secret {seed} {value}") for value in NUMBERS])
    assert not refused(list(range(ROWS)), rng.permutation(ROWS).tolist())


def test_the_share_found_by_a_part_is_computed_by_hand() -> None:
    known = pl.Series(["a11", "a12", "b21", "b31"])
    # The mask leaves two people for the first row; the second has nothing in common with anybody; of the third the
    # beginning is that of another; the fourth is found.
    shown = pl.Series(["a1*", "c77", "b21", "b3*"])
    share, asked = share_found_by_part(known, shown, np.array([0, 1, 3, 3]))
    assert (share, asked) == (pytest.approx(1.5 / 4), 4)


def test_columns_without_values_keep_nothing() -> None:
    empty = pl.Series([None, None], dtype=pl.String)
    assert share_found_by_part(pl.Series(["a", "b"]), empty, np.array([0, 1])) == (0.0, 0)
    assert share_found_by_part(empty, pl.Series(["a", "b"]), np.array([0, 1]))[0] == 0
