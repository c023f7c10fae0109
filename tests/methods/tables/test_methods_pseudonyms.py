"""Pseudonyms: one for each value, nothing of the value in them, and a secret that stays one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.applied import applied, holding

import icefire
from icefire.core import registry
from icefire.core.errors import ParameterError
from icefire.methods.common.format_preserving import mapped

SECRET = "correct horse battery staple"
KINDS = ("random", "keyed_hash", "format_preserving")
PEOPLE = ["ann-01", "bob-22", "ann-01", None, "Zoe-90", "bob-22"]


@pytest.fixture
def secret_file(tmp_path):
    path = tmp_path / "key.txt"
    path.write_text(SECRET + "\n")
    return str(path)


@pytest.fixture
def people():
    return holding({"person": PEOPLE, "q": [1, 1, 2, 2, 3, 3]}, ids=("person",))


@pytest.mark.parametrize("kind", KINDS)
def test_equal_values_get_equal_pseudonyms_and_others_others(people, kind):
    made = applied("pseudonyms", people, kind=kind)
    names = made.frame["person"].to_list()
    assert names[0] == names[2]
    assert names[1] == names[5]
    assert names[3] is None
    assert len(set(names)) == 4
    assert made.notes == {"pseudonyms": ["person"]}
    assert made.frame["q"].equals(people.frame["q"])


def test_random_pseudonyms_are_numbers_in_random_order():
    data = holding(
        {"person": [f"p{i:03}" for i in range(120)], "number": list(range(7, 127))}, ids=("person", "number")
    )
    made = applied("pseudonyms", data).frame
    assert sorted(made["person"]) == [f"P{i:03}" for i in range(1, 121)]
    assert sorted(made["number"]) == list(range(1, 121))
    assert not made["person"].is_sorted()
    assert made["person"].str.slice(1).cast(pl.Int64).to_list() != made["number"].to_list()


def test_a_keyed_hash_is_hmac_sha256_of_the_value(people, secret_file):
    made = applied("pseudonyms", people, kind="keyed_hash", secret_file=secret_file, length=20).frame["person"]
    assert made[0] == hmac.new(SECRET.encode(), b"ann-01", hashlib.sha256).hexdigest()[:20]


def test_the_same_secret_gives_the_same_pseudonyms_in_another_table(people, secret_file):
    other = holding({"client": ["x", "bob-22"], "number": [5, 6]}, ids=("client",))
    for kind in ("keyed_hash", "format_preserving"):
        here = applied("pseudonyms", people, kind=kind, secret_file=secret_file).frame["person"]
        there = applied("pseudonyms", other, seed=9, kind=kind, secret_file=secret_file).frame["client"]
        assert here[1] == there[1], kind
        assert here[1] != applied("pseudonyms", people, kind=kind, seed=1).frame["person"][1], kind


def test_whole_numbers_stay_whole_numbers():
    data = holding({"person": [7, 120, 99, None, -15]}, ids=("person",))
    for kind in KINDS:
        assert applied("pseudonyms", data, kind=kind).frame["person"].dtype == pl.Int64
    kept = applied("pseudonyms", data, kind="format_preserving").frame["person"].cast(pl.String).to_list()
    assert [len(x) for x in kept if x] == [1, 3, 2, 3]
    assert kept[4].startswith("-")


shaped = st.text(alphabet="abzABZ0129 -_.", min_size=1, max_size=12)


def pattern(text):
    return re.sub("[a-z]", "a", re.sub("[A-Z]", "A", re.sub("[0-9]", "9", text)))


@settings(max_examples=80, deadline=None)
@given(st.sets(shaped, min_size=1, max_size=15), st.binary(min_size=16, max_size=16))
def test_the_format_is_preserved_and_the_mapping_one_to_one(values, secret):
    made = [mapped(text, secret) for text in sorted(values)]
    assert [pattern(text) for text in made] == [pattern(text) for text in sorted(values)]
    assert len(set(made)) == len(values)


def test_the_mapping_is_one_to_one_on_every_number_of_a_length():
    for low, high in ((0, 10), (10, 100), (100, 1000)):
        numbers = [str(i) for i in range(low, high)]
        assert sorted(mapped(text, b"k" * 16, whole=True) for text in numbers) == sorted(numbers)
    codes = [f"{i:03}" for i in range(1000)]
    assert sorted(mapped(text, b"k" * 16) for text in codes) == codes


def test_the_mapping_leaves_hardly_a_value_in_place_or_in_order():
    numbers = range(10_000, 20_000)
    made = [int(mapped(str(i), b"k" * 16, whole=True)) for i in numbers]
    # A random permutation of 90,000 values fixes each with chance 1/90,000.
    assert sum(a == b for a, b in zip(numbers, made, strict=True)) <= 3
    rising = sum(a < b for a, b in itertools.pairwise(made)) / (len(made) - 1)
    assert rising == pytest.approx(0.5, abs=0.03)


def test_letters_that_would_stay_as_they_are_are_refused():
    data = holding({"person": ["Müller", "Meier"]}, ids=("person",))
    with pytest.raises(
        ParameterError, match=r"'person' holds letters beyond a-z and A-Z, .* choose keyed_hash or random"
    ):
        applied("pseudonyms", data, kind="format_preserving")
    assert applied("pseudonyms", data, kind="keyed_hash").frame["person"].n_unique() == 2


@pytest.mark.parametrize(
    ("column", "parameters", "message"),
    [
        (["a"], {"secret_file": "/nowhere/key"}, 'kind "random" uses no secret_file; leave it out, or choose keyed_h'),
        (["a"], {"kind": "keyed_hash", "secret_file": "/nowhere/key"}, "secret_file '/nowhere/key' cannot be read"),
        ([1.5], {}, "column 'person' holds fractions; name columns of text or whole numbers"),
        ([10**18], {"kind": "format_preserving"}, "column 'person' holds whole numbers of over 18 digits; read it as"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(column, parameters, message):
    with pytest.raises(ParameterError, match="^pseudonyms: " + re.escape(message)):
        applied("pseudonyms", holding({"person": column}, ids=("person",)), **parameters)


def test_a_short_secret_is_refused_without_being_shown(tmp_path, people):
    path = tmp_path / "key"
    path.write_text("tiny")
    with pytest.raises(ParameterError, match="holds 4 bytes; it takes at least 16: make one with openssl") as caught:
        applied("pseudonyms", people, kind="keyed_hash", secret_file=str(path))
    assert "tiny" not in str(caught.value)


def test_columns_default_to_identifiers_then_plain_text_then_text_quasi_identifiers():
    frame = {"person": ["a", "b"], "note": ["c", "d"], "q": ["e", "f"], "n": [1, 2]}
    for ids, qi, wanted in (
        (("person",), ("q",), ["person"]),
        ((), ("q", "person"), ["note"]),
        ((), ("q", "person", "note", "n"), ["person", "note", "q"]),
    ):
        assert sorted(applied("pseudonyms", holding(frame, ids=ids, qi=qi)).notes["pseudonyms"]) == sorted(wanted)
    assert applied("pseudonyms", holding({"n": [1, 2]}, qi=("n",))).notes["pseudonyms"] == ["n"]


@pytest.mark.parametrize("kind", ["keyed_hash", "format_preserving"])
def test_the_secret_reaches_no_file_of_the_release(kind, secret_file, tmp_path, households):
    step = {"method": "pseudonyms", "kind": kind, "secret_file": secret_file, "columns": ["region", "tenure"]}
    release = icefire.anonymize(households, {"step": [step]}, output=tmp_path / "out")
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    raw = SECRET.encode()
    for form in (raw, raw.hex().encode(), base64.b64encode(raw), hashlib.sha256(raw).hexdigest().encode()):
        assert form not in written
    assert SECRET not in repr(release)
    assert b"metro" not in (tmp_path / "out" / "released.csv").read_bytes()


def test_a_secret_drawn_from_the_seed_is_written_nowhere(tmp_path, households, monkeypatch):
    drawn = []
    real = hmac.digest
    monkeypatch.setattr(hmac, "digest", lambda key, *rest: drawn.append(key) or real(key, *rest))
    assert registry.get("method", "pseudonyms")
    icefire.anonymize(
        households,
        {"step": [{"method": "pseudonyms", "kind": "keyed_hash", "columns": ["region"]}]},
        output=tmp_path / "out",
    )
    assert len(set(drawn)) == 1
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert drawn[0] not in written
    assert drawn[0].hex().encode() not in written


@pytest.mark.parametrize("kind", KINDS)
def test_an_identifier_is_released_only_as_a_pseudonym(kind, households, tmp_path):
    people = pl.Series("person", [f"name{i:04}" for i in range(households.height)])
    data = icefire.read(households.frame.with_columns(people), qi=households.qi, sa=households.sa, ids=["person"])
    plain = icefire.anonymize(data, {"step": [{"method": "noise"}]})
    assert "person" not in plain.released.frame.columns
    made = icefire.anonymize(data, {"step": [{"method": "pseudonyms", "kind": kind}]}, output=tmp_path / "out")
    shown = made.released.frame["person"]
    assert shown.n_unique() == households.height
    if kind != "format_preserving":  # which draws from the same 260,000 names, and may hit one
        assert not set(shown) & set(people)
    assert (shown == people[made.truth.rows]).sum() <= 1
    assert "person" in icefire.audit(data, tmp_path / "out", attacks=["id_rand"]).scorecard.roles.id
