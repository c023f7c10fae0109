"""Numbers written or computed by a rule without key are read; numbers that are there by coincidence are not."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest

from icefire.attacks.tables.link import known_encodings
from icefire.attacks.tables.link.known_encodings import decoded
from icefire.attacks.tables.link.numerals import english_words

AMOUNTS = pl.Series("v", np.random.default_rng(1).choice(np.arange(1000, 90_000), 200, replace=False))
RULES = {
    "words": lambda v: [english_words(n).replace("ty ", "ty-").replace("hundred ", "hundred and ").title() for n in v],
    "base 16": lambda v: [f"{n:X}" for n in v],
    "Japanese digits": lambda v: [str(n).translate(str.maketrans("0123456789", "〇一二三四五六七八九")) for n in v],
    "reversed digits": lambda v: [int(str(n)[::-1]) for n in v],
    "exclusive or": lambda v: v.to_numpy() ^ 0x5A5A5,
    "sines": lambda v: np.sin(v.to_numpy()),
    "rounded sines": lambda v: np.sin(v.to_numpy()).round(7),
}


@pytest.mark.parametrize("rule", RULES)
def test_rules_without_key_are_read(rule):
    values = decoded(AMOUNTS, pl.Series("v", RULES[rule](AMOUNTS)))
    assert values.cast(pl.Int64).to_list() == AMOUNTS.to_list()


def test_roman_numerals_and_sorted_letters_are_read():
    years = pl.Series("v", np.arange(1901, 1991))
    signs = {1901: "MCMI", 1944: "MCMXLIV", 1990: "MCMXC"}
    assert decoded(years, pl.Series("v", [signs.get(year) for year in years])).drop_nulls().to_list() == list(
        map(str, signs)
    )
    names = pl.Series("v", ["Anna Berg", "Otto-Karl Lind", "Eva, Maria Holm"])
    letters = ["".join(sorted(name.lower())) for name in names]
    assert decoded(names, pl.Series("v", letters)).to_list() == names.to_list()


@pytest.mark.parametrize("number", [(0, "zero"), (21, "twenty one"), (1_000_100, "one million one hundred")])
def test_numbers_in_english(number):
    assert english_words(number[0]) == number[1]


@pytest.mark.parametrize("seed", range(10))
def test_other_numbers_stay_as_they_are(seed):
    rng = np.random.default_rng(seed)
    x = pl.Series("v", rng.integers(0, 100_000, 300))
    for y in (
        rng.integers(0, 100_000, 300),
        rng.uniform(-1, 1, 300).round(2),
        x.to_numpy() + rng.normal(0, 500, 300).round(),
        np.tanh(rng.normal(0, 9, 300)).round(3),
    ):
        assert decoded(x, pl.Series("v", y)).to_list() == y.tolist()


@pytest.mark.parametrize("released", [1000, 50])
def test_hashes_of_a_part_of_the_people_are_read(released):
    people = pl.Series("v", [f"person {n}" for n in range(1000)])
    some = people.sample(released, seed=released)
    hashes = pl.Series("v", [hashlib.sha256(name.encode()).hexdigest()[:12] for name in some])
    assert decoded(people, hashes).to_list() == some.to_list()


def test_values_of_a_dense_range_are_not_encoded_one_by_one(monkeypatch):
    asked = []
    encoded = known_encodings._encoded
    monkeypatch.setattr(
        known_encodings, "_encoded", lambda codes, values: asked.append(values) or encoded(codes, values)
    )
    rng = np.random.default_rng(3)
    income = pl.Series("v", rng.integers(100_000, 200_000, 5000))
    noisy = income + pl.Series(rng.normal(0, 5000, 5000).round().astype(int))
    assert decoded(income, noisy).to_list() == noisy.to_list()
    assert max(len(values) for values in asked) <= 2 * known_encodings.PROBES


def test_digits_are_encoded_as_they_are_and_other_text_in_all_its_forms():
    assert known_encodings._changes(pl.Series(["12", "305"])) == known_encodings.CHANGES[:1]
    assert known_encodings._changes(pl.Series(["12", "A 305"])) == known_encodings.CHANGES
    numbers = pl.Series("v", range(1000, 1400))
    hashes = pl.Series("v", [hashlib.md5(str(number).encode()).hexdigest()[:10] for number in numbers])
    assert decoded(numbers, hashes).to_list() == [str(number) for number in numbers]
