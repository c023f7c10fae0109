"""Train on the release, test on the original."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_tables import measured, with_truth, without_truth

import icefire
from icefire.core.errors import ParameterError, SchemaError, UndefinedError


def people(rows=300, seed=1):
    rng = np.random.default_rng(seed)
    age, job = rng.integers(20, 80, rows), rng.choice(["cook", "nurse", "smith"], rows)
    pay = 10 * age + 200 * (job == "smith") + rng.normal(0, 60, rows)
    ill = np.where(age + rng.normal(0, 8, rows) > 55, "yes", "no")
    return {"age": age, "job": job, "pay": pay, "ill": ill}


ROLES = {"qi": ("age", "job"), "sa": ("pay", "ill")}


def test_an_unchanged_table_loses_nothing_and_the_note_says_both_scores():
    x = people()
    for target, unit in (("pay", "R² for pay"), ("ill", "accuracy for ill")):
        compared = with_truth(x, x, **ROLES)
        assert measured("task_loss", compared, target=target) == 0
        score = measured("task_score", compared, target=target)
        assert 0.8 < score < 1
        assert score.note.startswith(unit)
        assert "trained on the release" in score.note


def test_noise_costs_something_and_shuffling_everything():
    x, rng = people(), np.random.default_rng(2)
    noisy = {**x, "age": x["age"] + rng.normal(0, 25, 300).round().astype(int)}
    shuffled = {**x, "ill": rng.permutation(x["ill"])}
    losses = [measured("task_loss", with_truth(x, y, **ROLES), target="ill") for y in (x, noisy, shuffled)]
    assert losses[0] == 0
    assert losses[1] < losses[2]
    assert losses[2] > 0.2


def test_the_released_rows_of_the_people_tested_do_not_train():
    # A target that nothing tells: whoever had seen the people tested could remember their own columns.
    rng = np.random.default_rng(3)
    x = {"key": [f"k{i}" for i in range(15)] * 2, "coin": rng.choice(["heads", "tails"], 30).tolist()}
    known = measured("task_score", with_truth(x, x, qi=("key",), sa=("coin",)))
    unknown = measured("task_score", without_truth(x, x, qi=("key",), sa=("coin",)))
    assert known <= unknown
    assert unknown.note.endswith("are not left out, as they are not known")


def test_labels_in_the_release_train_a_model_for_the_original():
    x = people()
    bands = [f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in x["age"]]
    score = measured("task_score", with_truth(x, {**x, "age": bands}, **ROLES), target="ill")
    assert score > 0.8


def test_a_synthetic_table_of_another_height_needs_no_truth():
    score = measured("task_score", without_truth(people(), people(900, seed=9), **ROLES), target="pay")
    assert 0.8 < score < 1


def test_the_default_target_is_the_first_sensitive_attribute_that_varies():
    x = {"a": list(range(20)), "s": [1] * 20, "t": [float(i) for i in range(20)]}
    assert measured("task_score", with_truth(x, x, qi=("a",), sa=("s", "t"))) == pytest.approx(1, abs=1e-3)
    with pytest.raises(UndefinedError, match="no sensitive attribute varies"):
        measured("task_score", with_truth({"a": [1, 2]}, {"a": [1, 2]}, qi=("a",)))


def test_targets_that_cannot_be_told_say_why():
    x = {"a": list(range(20)), "s": ["u"] * 20, "many": [f"v{i}" for i in range(20)]}
    compared = with_truth(x, x, qi=("a",))
    with pytest.raises(UndefinedError, match="'s' does not vary"):
        measured("task_score", compared, target="s")
    with pytest.raises(SchemaError, match="target: no column 'b'"):
        measured("task_score", compared, target="b")
    wide = {"a": list(range(60)), "many": [f"v{i}" for i in range(60)]}
    with pytest.raises(UndefinedError, match="60 categories, more than 50"):
        measured("task_score", with_truth(wide, wide, qi=("a",)), target="many")
    short = {"a": [1, 2, 3], "t": [1, 2, 3]}
    with pytest.raises(UndefinedError, match="needs 10 original rows"):
        measured("task_score", with_truth(short, short, qi=("a",)), target="t")


def test_an_audit_takes_a_target_and_refuses_an_unknown_one_before_any_work(tmp_path):
    import polars as pl

    x = pl.DataFrame(people(60))
    result = icefire.audit(x, x, aligned=True, attacks=["id_rand"], measures=["k_min"], target="ill", **ROLES)
    assert list(result.scorecard.measures) == ["k_min", "task_score", "task_loss"]
    assert result.scorecard.measures["task_score"].parameters == {"target": "ill"}
    with pytest.raises(SchemaError, match="target: no column 'weight'"):
        icefire.audit(x, x, aligned=True, target="weight", **ROLES)
    shop = icefire.sample("shop", 20)
    with pytest.raises(ParameterError, match="is for a table, but this is a history"):
        icefire.audit(shop, shop, aligned=True, target="price")
