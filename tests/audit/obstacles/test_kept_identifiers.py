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
from icefire.audit.obstacles.modular_identifiers import followed_by_modulus
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


def linear(number: int, modulus: int) -> int:
    return (number * 48271 + 11) % modulus


@pytest.mark.parametrize("modulus", [2**31 - 1, 2**32, 1_000_003, 2**61 - 1])
def test_linear_functions_of_the_numbers_of_persons_modulo_a_number_are_refused(modulus: int) -> None:
    numbers = [int(value[3:]) for value in NUMBERS]
    computed = [linear(number, modulus) for number in numbers]
    assert refused(numbers, computed)
    assert refused(NUMBERS, [f"X{value * 10 + 3:020d}" for value in computed])


def test_a_few_linear_pseudonyms_among_random_ones_are_found() -> None:
    numbers, rng = [int(value[3:]) for value in NUMBERS], np.random.default_rng(4)
    mixed = [linear(number, 2**31 - 1) if rng.random() < 0.7 else int(rng.integers(2**31)) for number in numbers]
    assert refused(numbers, mixed)


def test_a_new_column_of_linear_pseudonyms_is_refused() -> None:
    numbers = [int(value[3:]) for value in NUMBERS]
    original = read(pl.DataFrame({"person": numbers, "age": range(ROWS)}), ids=("person",), qi=("age",))
    released = pl.DataFrame({"code": [linear(numbers[row], 2**31 - 1) for row in ORDER]})
    assert [reason.evidence["column"] for reason in identifiers(original, released, Truth(ORDER), None)] == ["code"]


def test_the_modulus_is_that_of_a_rule_computed_by_hand() -> None:
    # 3 * number + 5 modulo 101, for 40 numbers with a common factor; random numbers follow no modulus.
    numbers, rows = pl.Series(range(0, 280, 7)), np.arange(40)
    assert followed_by_modulus(numbers, (numbers * 3 + 5) % 101, rows) == (40, 40)
    for seed in range(50):
        dealt = pl.Series(np.random.default_rng(seed).permutation(40))
        assert followed_by_modulus(numbers, dealt, rows) == (0, 40)


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
