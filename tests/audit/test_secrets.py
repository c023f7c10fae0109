"""The truth cannot be reached from what an attack receives."""

from __future__ import annotations

import dataclasses
import stat

import numpy as np
import polars as pl
from support.graph import reachable

import icefire
from icefire import recipe
from icefire.core import registry, seeds
from icefire.core.dataset import ORIGIN
from icefire.core.knowledge import parse
from icefire.core.release import Case, Comparison, Release, Truth
from icefire.core.views import View, view
from icefire.io.marker import MARKER


def seen_by_attack(households, monkeypatch):
    """Run an audit and return the case its attack received."""
    received = []
    entry = registry.get("attack", "sort")

    def spy(case, *, rng, columns=None):
        received.append(case)
        return entry.function(case, rng=rng, columns=columns)

    monkeypatch.setitem(
        registry._entries, ("attack", "table", "sort"), registry.Entry("attack", "sort", "E3", spy, entry.parameters)
    )
    release = recipe.run_recipe(households, recipe.load({"step": [{"method": "noise"}]}))
    audit = icefire.audit(households, release, attacks=["sort"])
    return received[0], release, audit


def test_no_truth_is_reachable_from_the_case_of_an_attack(households, monkeypatch):
    case, release, _ = seen_by_attack(households, monkeypatch)
    found = reachable(case)
    assert not [item for item in found if isinstance(item, Truth | Comparison | Release)]
    arrays = [item for item in found if isinstance(item, np.ndarray) and item.shape == release.truth.rows.shape]
    assert not [array for array in arrays if np.array_equal(array, release.truth.rows)]


def test_neither_truth_nor_seed_is_reachable_for_an_attacker_who_knows_the_recipe(households, monkeypatch):
    received = []
    entry = registry.get("attack", "replay")

    def spy(case, *, rng):
        received.append(case)
        return entry.function(case, rng=rng)

    key = ("attack", "table", "replay")
    monkeypatch.setitem(registry._entries, key, registry.Entry("attack", "replay", "", spy, entry.parameters))
    steps = recipe.load({"step": [{"method": "k_anonymize"}, {"method": "average"}]}, 918273)
    release = recipe.run_recipe(households, steps)
    icefire.audit(households, release, attacks=["replay"], measures=[])
    objects = reachable(received[0])
    assert received[0].replayed
    secret = Truth | Comparison | Release | recipe.Recipe | recipe.Step
    assert not [item for item in objects if isinstance(item, secret) or (isinstance(item, int) and item == 918273)]
    arrays = [item for item in objects if isinstance(item, np.ndarray) and item.shape == release.truth.rows.shape]
    assert not [array for array in arrays if np.array_equal(array, release.truth.rows)]


def test_neither_truth_nor_hidden_columns_are_reachable_from_a_view(households, monkeypatch):
    received = []
    entry = registry.get("attack", "id_rand")

    def spy(case, *, rng, qi=None):
        received.append(case)
        return entry.function(case, rng=rng, qi=qi)

    key = ("attack", "table", "id_rand")
    monkeypatch.setitem(registry._entries, key, registry.Entry("attack", "id_rand", "E1", spy, entry.parameters))
    release = recipe.run_recipe(households, recipe.load({"step": [{"method": "noise"}]}))
    options = {"attacks": ["id_rand"], "measures": [], "knowledge": "region,members!0.1;share=0.4"}
    icefire.audit(households, release, **options)
    case = received[0]
    assert case.known.frame.columns == list(case.known.schema.names) == ["region", "members"]
    assert (case.known.height, case.replayed) == (200, ())
    objects = reachable(case)
    assert not [item for item in objects if isinstance(item, Truth | Comparison | Release | View)]
    original = [item for item in objects if isinstance(item, pl.DataFrame) and item.height == households.height]
    assert not [
        frame for frame in original if "food" in frame.columns and frame["food"].equals(households.frame["food"])
    ]
    people = view(households, parse(options["knowledge"]), seeds.generator(seeds.DEFAULT_SEED, "knowledge")).people
    arrays = [item for item in objects if isinstance(item, np.ndarray)]
    assert not [array for array in arrays if np.array_equal(array, people) or np.array_equal(array, release.truth.rows)]


def test_the_attack_sees_the_release_shuffled_and_without_the_origin_column(households, monkeypatch):
    case, release, _ = seen_by_attack(households, monkeypatch)
    assert ORIGIN not in case.released.frame.columns
    assert not case.released.frame.equals(release.released.frame)
    assert case.released.frame.sort("food", "housing").equals(
        release.released.frame.select(case.released.frame.columns).sort("food", "housing")
    )


def test_a_case_has_no_attribute_for_the_truth():
    assert not [name for name in dir(Case) if "truth" in name.lower()]


def test_printing_a_truth_or_a_release_does_not_show_it():
    truth = Truth(np.array([712345, 698765]))
    assert "712345" not in repr(truth)
    assert "712345" not in f"{truth}"


def test_what_leaves_the_house_holds_neither_truth_nor_seed(households, tmp_path):
    icefire.anonymize(households, {"seed": 918273, "step": [{"method": "noise"}]}, output=tmp_path / "out")
    public = [p for p in (tmp_path / "out").iterdir() if p.is_file()]
    assert sorted(p.name for p in public) == [MARKER, "released.csv", "scorecard.json"]
    assert not [p for p in public if "918273" in p.read_text()]
    assert ORIGIN not in (tmp_path / "out" / "released.csv").read_text()
    secret = tmp_path / "out.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in secret.iterdir()} == {0o600}
    assert (secret / "seed.txt").read_text().strip() == "918273"


def test_identifier_columns_are_not_released(households):
    data = icefire.read(households.frame.with_row_index("person"), qi=households.qi, sa=households.sa, ids=["person"])
    release = icefire.anonymize(data, {"step": [{"method": "noise"}]})
    assert "person" not in release.released.frame.columns


def test_an_attack_on_a_release_folder_never_opens_the_secret(households, tmp_path, monkeypatch):
    icefire.anonymize(households, {"step": [{"method": "noise"}]}, output=tmp_path / "out")
    for path in (tmp_path / "out.secret").iterdir():
        path.write_text("not a truth")
    guess = icefire.attack("euc1", households, tmp_path / "out")
    assert len(guess) == households.height


def test_no_truth_is_reachable_from_the_case_of_a_membership_attack(households, monkeypatch):
    received = []
    entry = registry.get("attack", "all_members")

    def spy(case, *, rng, numbers=None, categories=None):
        received.append(case)
        return entry.function(case, rng=rng, numbers=numbers, categories=categories)

    spied = registry.Entry("attack", entry.name, "", spy, entry.parameters, question="membership")
    monkeypatch.setitem(registry._entries, ("attack", "table", "all_members"), spied)
    release = recipe.run_recipe(households, recipe.load({"step": [{"method": "delete", "share": 0.5}]}))
    icefire.audit(households, release, attacks=["all_members"], ask=["membership"], members=90, outsiders=60)
    found = reachable(received[0])
    assert not [item for item in found if isinstance(item, Truth | Comparison | Release)]
    arrays = [item for item in found if isinstance(item, np.ndarray) and item.shape == release.truth.rows.shape]
    assert not [array for array in arrays if np.array_equal(array, release.truth.rows)]
    assert (received[0].targets, received[0].original.height) == (150, households.height)


def spied_cases(monkeypatch, name, kind, **declared):
    """Replace an attack by itself with a note of every case that it receives."""
    received, entry = [], registry.get("attack", name, kind)

    def spy(case, *, rng, **parameters):
        received.append(case)
        return entry.function(case, rng=rng, **parameters)

    spied = registry.Entry("attack", name, "", spy, entry.parameters, kind, knows=entry.knows, **declared)
    monkeypatch.setitem(registry._entries, ("attack", kind, name), spied)
    return received


def test_neither_truth_nor_hidden_values_are_reachable_from_the_case_of_an_attack_on_hidden_values(
    households, monkeypatch
):
    received = spied_cases(monkeypatch, "class", "table", question="attribute")
    release = recipe.run_recipe(households, recipe.load({"step": [{"method": "noise"}]}))
    icefire.audit(households, release, attacks=["class"], measures=[], knowledge="region,members;share=0.4")
    assert received
    for case in received:
        found = reachable(case)
        assert not [item for item in found if isinstance(item, Truth | Comparison | Release | View)]
        assert not [
            item for item in found if isinstance(item, pl.Series) and item.equals(households.frame[case.secret])
        ]
        frames = [item for item in found if isinstance(item, pl.DataFrame) and item is not case.released.frame]
        assert not [frame for frame in frames if case.secret in frame.columns]
        rows = [release.truth.rows, np.arange(households.height)]
        arrays = [item for item in found if isinstance(item, np.ndarray)]
        assert not [array for array in arrays if any(np.array_equal(array, secret) for secret in rows)]


def test_who_is_a_member_is_not_reachable_from_the_case_of_a_synthetic_release(households, monkeypatch):
    received = spied_cases(monkeypatch, "dcr", "table", question="membership", release="synthetic")
    numbered = households.frame.with_columns(food=pl.int_range(pl.len()))  # says who is who
    used, others = numbered[:300], numbered[300:]
    roles = {"qi": ["region", "members"], "sa": ["food"]}
    icefire.audit(used, used[::-1], synthetic=True, holdout=others, attacks=["dcr"], measures=[], **roles)
    assert len(received) == 5
    for case in received:
        found = reachable(case)
        assert not [item for item in found if isinstance(item, Truth | Comparison | Release)]
        asked = case.records.frame["food"].to_numpy()
        assert not np.isin(asked, case.examples.records.frame["food"].to_numpy()).any()
        member = asked < 300
        for array in (item for item in found if isinstance(item, np.ndarray) and item.shape == asked.shape):
            assert not np.array_equal(array.astype(bool), member)
            assert not np.array_equal(array.astype(bool), ~member)


def test_who_is_who_is_not_reachable_from_two_periods_of_pseudonyms(monkeypatch):
    received = spied_cases(monkeypatch, "match_baskets", "history", question="linking")
    shop = icefire.sample("shop", 30)
    release = icefire.anonymize(shop, {"step": [{"method": "change_pseudonyms", "period": "quarter"}]}, seed=3)
    subject = release.released.fields.subject
    named = pl.concat_str(pl.lit("pseudonym "), pl.col(subject)).alias(subject)
    frames = [release.released.frame.with_columns(named), release.released.customers.with_columns(named)]
    released = dataclasses.replace(release.released, frame=frames[0], customers=frames[1])
    icefire.audit(shop, dataclasses.replace(release, released=released), attacks=["match_baskets"], measures=[])
    assert received
    released_names = set(released.names)
    for case in received:
        found = reachable(case)
        assert not [item for item in found if isinstance(item, Truth | Comparison | Release)]
        assert not {item for item in found if isinstance(item, str)} & (released_names | set(shop.names))
        assert not released_names & {*case.first.names, *case.second.names}
        arrays = [item for item in found if isinstance(item, np.ndarray)]
        assert not [array for array in arrays if np.array_equal(array, release.truth.rows)]
