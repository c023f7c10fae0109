"""A history is published under new names; who is who stays with the judge."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from support import smallshop

import icefire
from icefire import recipe
from icefire.core.errors import IcefireError, InputError, ParameterError
from icefire.core.history import History
from icefire.io.marker import MARKER
from icefire.recipe import Recipe

DELETE = {"steps": [{"method": "delete_purchases", "share": 0.3}]}


def published(seed: int = 1):
    original = smallshop.history()
    return original, recipe.run_recipe(original, Recipe((), seed))


def test_publishing_renames_customers_and_keeps_their_rows():
    original, release = published()
    names = release.released.names.to_list()
    assert names == ["1", "2", "3", "4", "5"]
    for number, name in enumerate(names):
        who = original.names[int(release.truth.rows[number])]
        mine = release.released.frame.filter(pl.col("customer") == name).drop("customer").sort(pl.all())
        assert mine.equals(original.frame.filter(pl.col("customer") == who).drop("customer").sort(pl.all()))


def test_the_customer_table_is_renamed_with_them():
    original, release = published()
    customers = release.released.customers
    assert customers["customer"].to_list() == release.released.names.to_list()
    assert customers.drop("customer").equals(original.customers[release.truth.rows].drop("customer"))


def test_names_and_order_depend_on_the_seed_alone():
    one, two, other = published(1)[1], published(1)[1], published(2)[1]
    assert one.released.frame.equals(two.released.frame)
    assert not one.released.frame.equals(other.released.frame)
    assert "truth and seed are secret" in repr(one)


def test_a_release_folder_holds_transactions_customers_and_a_secret_truth(tmp_path):
    original = smallshop.history()
    made = icefire.anonymize(original, DELETE, output=tmp_path / "out", seed=3)
    names = {name: sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("out", "out.secret")}
    assert names["out"] == [MARKER, "customers.csv", "released.csv", "scorecard.json"]
    assert names["out.secret"] == [MARKER, "seed.txt", "truth.csv"]
    again = icefire.audit(original, tmp_path / "out")
    direct = icefire.audit(original, made)
    assert {n: a.rate for n, a in again.scorecard.attacks.items()} == {
        n: a.rate for n, a in direct.scorecard.attacks.items()
    }


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        icefire.anonymize(smallshop.history(), DELETE, output=tmp_path / name, seed=3)
    for file in (path for path in (tmp_path / "a").rglob("*") if path.is_file()):
        assert file.read_bytes() == (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_bytes()


def test_customers_correspond_by_truth_by_order_or_by_name():
    original = smallshop.history()
    released = original.frame.filter(pl.col("customer") != "dan")
    by_name = icefire.audit(original, released, key="customer").scorecard
    assert by_name.attacks["jaccard"].targets == 4
    by_truth = icefire.audit(original, released, truth=[0, 1, 2, 4]).scorecard
    assert by_truth.attacks["jaccard"].rate == by_name.attacks["jaccard"].rate
    with pytest.raises(InputError, match="5 subjects, the release 4"):
        icefire.audit(original, released, aligned=True)
    with pytest.raises(ParameterError, match="give only one"):
        icefire.audit(original, released, aligned=True, key="customer")
    with pytest.raises(ParameterError, match="not known"):
        icefire.audit(original, released)
    with pytest.raises(ParameterError, match="only be the subject"):
        icefire.audit(original, released, key="goods")
    with pytest.raises(InputError, match="is no subject"):
        renamed = released.with_columns(pl.col("customer").replace({"ann": "zoe"}))
        icefire.audit(original, renamed, key="customer")


def test_an_empty_release_is_an_error():
    with pytest.raises(InputError, match="no usable rows"):
        icefire.audit(smallshop.history(), smallshop.frame().head(0), aligned=True)


def test_a_step_for_the_other_kind_of_data_is_named_with_the_nearest_that_fits():
    with pytest.raises(IcefireError, match=r"step 1: delete is for a table, but this is a history; did you mean"):
        icefire.anonymize(smallshop.history(), {"steps": [{"method": "delete"}]})
    table = icefire.sample(rows=20)
    with pytest.raises(IcefireError, match=r"step 1: delete_purchases is for a history, but this is a table"):
        icefire.anonymize(table, DELETE)


def test_a_measure_or_attack_for_the_other_kind_of_data_is_refused():
    original = smallshop.history()
    with pytest.raises(IcefireError, match="attack 'euc1' is for a table"):
        icefire.audit(original, original.frame, aligned=True, attacks=["euc1"])
    with pytest.raises(IcefireError, match="measure 'mean_error' is for a table"):
        icefire.audit(original, original.frame, aligned=True, measures=["mean_error"])


def test_an_attack_never_sees_names_or_order_of_the_release(monkeypatch):
    seen = []
    from icefire.audit import steps

    real = steps.attack_case
    monkeypatch.setattr(steps, "attack_case", lambda case, *rest: (seen.append(case), real(case, *rest))[1])
    original = smallshop.history()
    icefire.audit(original, original.frame, aligned=True)
    assert seen
    for case in seen:
        assert case.released.names.to_list() == ["1", "2", "3", "4", "5"]
        assert not hasattr(case, "truth")


def test_attack_then_score_gives_what_audit_gives():
    original, release = published()
    guess = icefire.attack("jaccard", original, release.released)
    score = icefire.score(release.truth, guess)
    audit = icefire.audit(original, release)
    assert score.rate == audit.scorecard.attacks["jaccard"].rate
    assert isinstance(release.released, History)
    assert np.array_equal(guess.first[guess.first >= 0] < original.subjects, np.ones((guess.first >= 0).sum(), bool))
