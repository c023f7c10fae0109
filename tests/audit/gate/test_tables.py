"""The gate for tables: releases that any competent attacker breaks do not pass, and honest, strong ones do."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed, codes

import icefire
from icefire.audit import tables
from icefire.core.scorecard import Verdict

ROWS = 600
QI = ("age", "sex", "job", "town")
SA = ("income", "rent", "food", "travel", "savings", "tax")
ROLES: dict[str, Any] = {"qi": QI, "sa": SA}


def staff(seed: int = 5, rows: int = ROWS) -> pl.DataFrame:
    """People with correlated amounts, as a personnel office would hold them."""
    rng = np.random.default_rng(seed)
    wealth = rng.normal(0, 1, rows)
    amounts = {
        name: np.round(np.exp(8 + 0.2 * place + 0.5 * wealth + rng.normal(0, 0.6, rows))).astype(np.int64)
        for place, name in enumerate(SA)
    }
    return pl.DataFrame(
        {
            "age": rng.integers(18, 70, rows),
            "sex": rng.choice(["f", "m"], rows),
            "job": rng.choice([f"job {letter}" for letter in "abcdefgh"], rows),
            "town": rng.choice([f"town {number}" for number in range(12)], rows),
            **amounts,
        }
    )


def noisy(table: pl.DataFrame, scale: float, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    changed = []
    for name in SA:
        values = table[name].to_numpy().astype(float)
        changed.append(pl.Series(name, values + rng.normal(0, scale * values.std(), len(values))))
    return table.with_columns(changed)


def shuffled(table: pl.DataFrame, names: tuple[str, ...], seed: int = 2) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return table.with_columns(table[name].gather(rng.permutation(table.height)) for name in names)


def verdict(original: Any, released: Any, **options: Any) -> Verdict:
    options = {"aligned": True, **ROLES, **options}
    return icefire.audit(original, released, **options).scorecard.verdict


def by_recipe(*steps: dict[str, Any], **options: Any) -> Verdict:
    release = icefire.anonymize(staff(), {"step": list(steps)}, **ROLES)
    return icefire.audit(staff(), release, **ROLES, **options).scorecard.verdict


MUST_NOT_PASS = {
    "an unchanged copy": lambda: verdict(staff(), staff()),
    "an unchanged copy without numbers": lambda: verdict(
        staff().select(QI), staff().select(QI), qi=("age", "sex"), sa=("job", "town"), max_reid=0.05
    ),
    "an unchanged copy with all but one column unnamed": lambda: verdict(staff(), staff(), qi=("age",), sa=()),
    "a shuffled copy called aligned": lambda: verdict(staff(), staff().sample(fraction=1, shuffle=True, seed=3)),
    "a shuffled copy with noise called aligned": lambda: verdict(
        staff(), noisy(staff(), 0.05).sample(fraction=1, shuffle=True, seed=3)
    ),
    "ages shuffled and noise": lambda: verdict(staff(), noisy(shuffled(staff(), ("age",)), 0.1), max_reid=0.05),
    "quasi-identifiers permuted and noise": lambda: verdict(staff(), noisy(shuffled(staff(), QI), 0.05), max_reid=0.05),
    "noise alone": lambda: verdict(staff(), noisy(staff(), 0.1)),
    "classes of five and noise": lambda: by_recipe(
        {"method": "k_anonymize", "k": 5}, {"method": "noise", "scale": 0.1}
    ),
    "classes of five and rank swapping": lambda: by_recipe(
        {"method": "k_anonymize", "k": 5}, {"method": "rank_swap", "p": 10.0}
    ),
    "a random sample of unchanged rows": lambda: by_recipe({"method": "sample_rows", "share": 0.5}),
    "the cheating permutation": lambda: by_recipe({"method": "permute_index"}),
    "no attack at all": lambda: verdict(staff(), noisy(staff(), 3.0), attacks=[], max_reid=0.05),
    "a limit on a measure that is not computed": lambda: by_recipe(
        {"method": "synthesize"}, measures=["U6"], limits={"U5": 0.5}, max_reid=0.5
    ),
    "an attack that looks at one column only": lambda: by_recipe(
        {"method": "synthesize"}, attacks=["sa_nearest"], max_reid=0.5
    ),
    "a declared identifier in the release": lambda: verdict(
        staff().with_columns(number=pl.int_range(ROWS)),
        shuffled(staff(), (*QI, *SA)).with_columns(number=pl.int_range(ROWS)),
        ids=("number",),
    ),
    "unique text in the release": lambda: verdict(
        staff().with_columns(note=pl.format("note {}", pl.int_range(ROWS))),
        shuffled(staff(), (*QI, *SA)).with_columns(note=pl.format("note {}", pl.int_range(ROWS))),
    ),
    "a new column that nobody assessed": lambda: verdict(
        staff(), shuffled(staff(), (*QI, *SA)).with_columns(extra=pl.int_range(ROWS) % 7)
    ),
}

MUST_PASS = {
    "columns shuffled independently": lambda: verdict(staff(), shuffled(staff(), (*QI, *SA))),
    "a synthetic table": lambda: by_recipe({"method": "synthesize"}),
    "large classes, averaged": lambda: by_recipe(
        {"method": "k_anonymize", "k": 30}, {"method": "average"}, policy="public"
    ),
    "classes of twelve, swapped": lambda: by_recipe(
        {"method": "k_anonymize", "k": 12}, {"method": "swap"}, policy="public"
    ),
    "noise without bound": lambda: by_recipe(
        {"method": "unify", "columns": list(QI)}, {"method": "noise", "scale": 30.0}
    ),
    "everything constant": lambda: verdict(staff(), staff().with_columns(pl.lit(1).alias(name) for name in (*QI, *SA))),
    "pseudonyms instead of identifiers": lambda: verdict(
        staff().with_columns(number=pl.int_range(ROWS)),
        shuffled(staff(), (*QI, *SA)).with_columns(number=50_000 + pl.int_range(ROWS).shuffle(seed=4)),
        ids=("number",),
    ),
}


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_a_release_that_can_be_broken_does_not_pass(release: str) -> None:
    assert_not_passed(MUST_NOT_PASS[release]())


@pytest.mark.parametrize("release", MUST_PASS)
def test_a_release_that_holds_passes(release: str) -> None:
    assert_passed(MUST_PASS[release]())


@pytest.mark.parametrize("release", ["a shuffled copy called aligned", "the cheating permutation"])
def test_a_false_correspondence_is_named(release: str) -> None:
    assert "correspondence" in codes(MUST_NOT_PASS[release]())


@pytest.mark.parametrize(
    "steps",
    [
        [{"method": "swap"}],
        [{"method": "average"}],
        [{"method": "k_anonymize", "k": 5}, {"method": "swap"}],
        [{"method": "rank_swap", "p": 10.0}],
        [{"method": "microaggregate", "k": 5}],
        [{"method": "noise", "scale": 0.5}],
        [{"method": "synthesize"}],
        [{"method": "pram"}],
        [{"method": "shuffle"}],
    ],
    ids=lambda steps: "+".join(step["method"] for step in steps),
)
def test_an_honest_release_is_not_called_a_false_correspondence(steps: list[dict[str, Any]]) -> None:
    assert "correspondence" not in codes(by_recipe(*steps))


def test_an_honest_swap_of_a_single_value_is_not_called_a_false_correspondence() -> None:
    small = staff().select("age", "sex", "job", "income")
    release = icefire.anonymize(small, {"step": [{"method": "swap"}]}, qi=("sex", "job"), sa=("income",))
    found = icefire.audit(small, release, qi=("sex", "job"), sa=("income",)).scorecard.verdict
    assert "correspondence" not in codes(found)


def test_without_any_limit_the_public_policy_applies() -> None:
    found = verdict(staff(), noisy(staff(), 0.1))
    assert found.policy == "public"
    assert verdict(staff(), noisy(staff(), 0.1), max_reid=0.5).policy == ""
    assert verdict(staff(), noisy(staff(), 0.1), policy="internal").policy == "internal"


def test_a_policy_can_be_a_file(tmp_path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('title = "ours"\n[origin]\nmax_identified = 1.0\n', encoding="utf-8")
    assert verdict(staff(), noisy(staff(), 0.1), policy=path).policy == "ours"


@pytest.mark.parametrize(
    ("text", "named"),
    [("[origin]\nmaximum = 1\n", "maximum"), ("[origin]\nmax_identified = 'x'\n", "max_identified"), ("x = [", "TOML")],
)
def test_a_policy_that_cannot_be_read_is_refused(tmp_path, text: str, named: str) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(icefire.InputError, match="cannot be used"):
        verdict(staff(), staff(), policy=path)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(icefire.UnknownNameError, match="no policy is called 'publik'; did you mean 'public'"):
        verdict(staff(), staff(), policy="publik")


def test_k_counts_where_it_is_claimed() -> None:
    found = by_recipe({"method": "k_anonymize", "k": 5}, {"method": "average"}, policy="public")
    assert any(reason.evidence.get("name") == "k_min" for reason in found.reasons)


def test_a_table_too_large_for_the_joint_attack_does_not_pass(monkeypatch) -> None:
    monkeypatch.setattr(tables, "JOINT_ATTACK_ROWS", ROWS - 1)
    found = by_recipe({"method": "synthesize"})
    assert [reason.code for reason in found.reasons] == ["not_assessed"]
    assert "takes too long above 599 rows" in found.text
