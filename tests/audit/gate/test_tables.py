"""The gate for tables: releases that any competent attacker breaks do not pass, and honest, strong ones do."""

from __future__ import annotations

import hashlib
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import polars as pl
import pytest
from support.gate import assert_not_passed, assert_passed, codes
from support.gate_tables import (
    CLINIC,
    CLUB,
    EVERY,
    QI,
    ROWS,
    STAFF,
    clinic,
    club,
    judge,
    judge_recipe,
    moved_together,
    noisy,
    shuffled,
    staff,
    strangers,
    with_number,
)
from support.places import ROOT

import icefire
from icefire.audit import tables
from icefire.audit.limits import Gate

LINK_ONLY: dict[str, Any] = {"attacks": ["link"], "measures": ["U6"]}
"""All that a correspondence is doubted by."""
K5 = {"method": "k_anonymize", "k": 5}
NAMES = [f"{first} {last}" for first in ("Ada", "Ben", "Eva", "Jan", "Lea", "Max") for last in ascii_uppercase]
NAMES = [f"{name} {place}" for place in ("Berg", "See") for name in NAMES][:ROWS]
HASHES = [hashlib.sha256(f"P{number}".encode()).hexdigest() for number in range(ROWS)]
NUMBERED: dict[str, Any] = {**STAFF, "ids": ("number",)}


def ticks(table: pl.DataFrame) -> list[str]:
    return [name for name in table.columns if name.startswith("symptom")]


MUST_NOT_PASS: dict[str, tuple[str, Any]] = {
    "an unchanged copy": ("verbatim", lambda: judge(staff(), staff(), **STAFF)),
    "an unchanged copy without numbers": (
        "verbatim",
        lambda: judge(staff().select(QI), staff().select(QI), qi=("age", "sex"), sa=("job", "town"), max_reid=0.05),
    ),
    "an unchanged copy with all but one column unnamed": (
        "limit",
        lambda: judge(staff(), staff(), qi=("age",), sa=()),
    ),
    "an unchanged copy in which every column is text": (
        "limit",
        lambda: judge(staff().cast(pl.String), staff().cast(pl.String), qi=("sex",), sa=("town",)),
    ),
    "a copy with its columns in another order": (
        "verbatim",
        lambda: judge(staff(), staff().select(reversed(EVERY)), **STAFF),
    ),
    "a copy in which one column was rounded": (
        "limit",
        lambda: judge(staff(), staff().with_columns(pl.col("income").round_sig_figs(2)), **STAFF),
    ),
    "who people are moved to other rows as a whole, noise elsewhere": (
        "limit",
        lambda: judge(staff(), noisy(moved_together(staff(), QI), 0.02), **STAFF),
    ),
    "everything but two telling columns moved to other rows as a whole": (
        "limit",
        lambda: judge(staff(), moved_together(staff(), [n for n in EVERY if n not in ("rent", "town")]), **STAFF),
    ),
    "a copy in which ages became words": (
        "limit",
        lambda: judge(staff(), staff().with_columns(pl.format("{} years", "age").alias("age")), **STAFF),
    ),
    "what was ticked and what was left blank": (
        "limit",
        lambda: judge(clinic(), shuffled(clinic(), CLINIC["qi"] + CLINIC["sa"]), **CLINIC),
    ),
    "text that is sensitive, noise elsewhere": (
        "limit",
        lambda: judge(
            clinic().drop(ticks(clinic())), noisy(clinic().drop(ticks(clinic())), 0.02, ("year", "days")), **CLINIC
        ),
    ),
    "one date of everybody, all else shuffled": (
        "verbatim",
        lambda: judge(
            staff().with_columns(day=strangers() * 31), shuffled(staff()).with_columns(day=strangers() * 31), **STAFF
        ),
    ),
    "a shuffled copy called aligned": (
        "correspondence",
        lambda: judge(staff(), staff().sample(fraction=1, shuffle=True, seed=3), **STAFF),
    ),
    "a shuffled copy with noise called aligned": (
        "correspondence",
        lambda: judge(staff(), noisy(staff(), 0.05).sample(fraction=1, shuffle=True, seed=3), **STAFF),
    ),
    "a few answers to few questions, unchanged, under a false correspondence": (
        "correspondence",
        lambda: judge(club(), club(), truth=strangers(), **CLUB),
    ),
    "a copy with one column rounded under a false correspondence": (
        "correspondence",
        lambda: judge(staff(), staff().with_columns(pl.col("income").round_sig_figs(2)), truth=strangers(), **STAFF),
    ),
    "half of the rows under a false correspondence": (
        "correspondence",
        lambda: judge(
            staff(),
            noisy(staff(), 0.1),
            truth=np.concatenate([np.arange(135), 135 + strangers(165)]),
            max_reid=0.5,
            **STAFF,
        ),
    ),
    "the cheating permutation": ("correspondence", lambda: judge_recipe(staff(), STAFF, {"method": "permute_index"})),
    "ages shuffled and noise": (
        "limit",
        lambda: judge(staff(), noisy(shuffled(staff(), ("age",)), 0.1), max_reid=0.05, **STAFF),
    ),
    "quasi-identifiers permuted and noise": (
        "limit",
        lambda: judge(staff(), noisy(shuffled(staff(), QI), 0.05), max_reid=0.05, **STAFF),
    ),
    "classes of five and noise": (
        "limit",
        lambda: judge_recipe(staff(), STAFF, K5, {"method": "noise", "scale": 0.1}),
    ),
    "classes of five and rank swapping": (
        "limit",
        lambda: judge_recipe(staff(), STAFF, K5, {"method": "rank_swap", "p": 10.0}),
    ),
    "a random sample of unchanged rows": (
        "verbatim",
        lambda: judge_recipe(staff(), STAFF, {"method": "sample_rows", "share": 0.5}),
    ),
    "noise, with a limit on usefulness only": (
        "limit",
        lambda: judge(staff(), noisy(staff(), 0.1), limits={"U5": 0.9}, **STAFF),
    ),
    "quasi-identifiers unified, with a limit on k only": (
        "limit",
        lambda: judge_recipe(
            staff(), STAFF, {"method": "unify", "columns": list(QI)}, limits=[Gate("k_min", 5, "min")]
        ),
    ),
    "classes smaller than the policy wants": (
        "limit",
        lambda: judge_recipe(staff(), STAFF, K5, {"method": "average"}, policy="public"),
    ),
    "no attack at all": (
        "not_assessed",
        lambda: judge(staff(), noisy(staff(), 3.0), attacks=[], max_reid=0.05, **STAFF),
    ),
    "attacks that look at few columns only": (
        "not_assessed",
        lambda: judge_recipe(staff(), STAFF, {"method": "synthesize"}, attacks=["sa_nearest"], max_reid=0.5),
    ),
    "attacks on the quasi-identifiers only": (
        "not_assessed",
        lambda: judge(staff().select(QI), shuffled(staff().select(QI)), qi=QI, sa=(), attacks=["E1"], max_reid=0.5),
    ),
    "a limit on a measure that is not computed": (
        "limit",
        lambda: judge_recipe(
            staff(), STAFF, {"method": "synthesize"}, measures=["U6"], limits={"U5": 0.5}, max_reid=0.5
        ),
    ),
    "a new column that nobody assessed": (
        "not_assessed",
        lambda: judge(staff(), shuffled(staff()).with_columns(extra=pl.int_range(ROWS) % 7), **STAFF),
    ),
    "a new column that holds everybody's income": (
        "identifier",
        lambda: judge(staff(), shuffled(staff()).with_columns(amount=staff()["income"]), **STAFF),
    ),
    "a declared identifier in the release": (
        "identifier",
        lambda: judge(with_number(staff(), range(ROWS)), with_number(shuffled(staff()), range(ROWS)), **NUMBERED),
    ),
    "a declared identifier under another name": (
        "identifier",
        lambda: judge(
            with_number(staff(), 7 * strangers()),
            with_number(shuffled(staff()), 7 * strangers()).rename({"number": "case"}),
            **NUMBERED,
        ),
    ),
    "hashes of the identifiers": (
        "identifier",
        lambda: judge(
            with_number(staff(), [f"P{number}" for number in range(ROWS)]),
            with_number(shuffled(staff()), HASHES),
            **NUMBERED,
        ),
    ),
    "pseudonyms in the order of the identifiers": (
        "identifier",
        lambda: judge(
            with_number(staff(), range(ROWS)), with_number(shuffled(staff()), range(50_000, 50_000 + ROWS)), **NUMBERED
        ),
    ),
    "real names, dealt to others": (
        "identifier",
        lambda: judge(
            with_number(staff(), NAMES), with_number(shuffled(staff()), pl.Series(NAMES).shuffle(4)), **NUMBERED
        ),
    ),
    "unique text that nobody declared": (
        "identifier",
        lambda: judge(
            staff().with_columns(note=pl.format("note {}", pl.int_range(ROWS))),
            shuffled(staff()).with_columns(note=pl.format("note {}", pl.int_range(ROWS))),
            **STAFF,
        ),
    ),
    "telephone numbers that nobody declared": (
        "identifier",
        lambda: judge(
            staff().with_columns(phone=pl.format("+49 30 {}", 100_000 + pl.Series(strangers()) * 37)),
            shuffled(staff()).with_columns(phone=pl.format("+49 30 {}", 100_000 + pl.Series(strangers()) * 37)),
            **STAFF,
        ),
    ),
}

MUST_PASS = {
    "columns shuffled independently": lambda: judge(staff(), shuffled(staff()), **STAFF),
    "few answers to few questions, shuffled: rows are equal by coincidence": lambda: judge(
        club(), shuffled(club()), **CLUB
    ),
    "few answers to few questions, synthetic": lambda: judge_recipe(club(), CLUB, {"method": "synthesize"}),
    "a synthetic table": lambda: judge_recipe(staff(), STAFF, {"method": "synthesize"}),
    "a synthetic table with unique decimal amounts": lambda: judge_recipe(
        noisy(staff(), 0.001), STAFF, {"method": "synthesize"}
    ),
    "a clinic with ticks and blanks, shuffled": lambda: judge(clinic(), shuffled(clinic()), **CLINIC),
    "large classes, averaged": lambda: judge_recipe(
        staff(), STAFF, {"method": "k_anonymize", "k": 30}, {"method": "average"}, policy="public"
    ),
    "classes of twelve, swapped": lambda: judge_recipe(
        staff(), STAFF, {"method": "k_anonymize", "k": 12}, {"method": "swap"}, policy="public"
    ),
    "quasi-identifiers unified, amounts swapped": lambda: judge_recipe(
        staff(), STAFF, {"method": "unify", "columns": list(QI)}, {"method": "swap"}
    ),
    "noise without bound": lambda: judge_recipe(
        staff(), STAFF, {"method": "unify", "columns": list(QI)}, {"method": "noise", "scale": 30.0}
    ),
    "everything constant": lambda: judge(
        staff(), staff().with_columns(pl.lit(1).alias(name) for name in EVERY), **STAFF
    ),
    "pseudonyms dealt at random": lambda: judge(
        with_number(staff(), range(ROWS)), with_number(shuffled(staff()), 50_000 + strangers()), **NUMBERED
    ),
    "row numbers dealt anew": lambda: judge(
        with_number(staff(), range(ROWS)), with_number(shuffled(staff()), strangers()), **NUMBERED
    ),
    "half of the people, shuffled": lambda: judge(
        staff(), shuffled(staff()[::2]), truth=np.arange(0, ROWS, 2), **STAFF
    ),
    "noise for use inside, where a third may be identified": lambda: judge_recipe(
        staff(), STAFF, {"method": "unify", "columns": list(QI)}, {"method": "noise", "scale": 2.0}, policy="internal"
    ),
}


SEEN_WITHOUT_OTHER_ATTACKS = ("correspondence", "identifier", "verbatim")
"""Reasons that other attacks than link neither give nor take away: they need not run."""


@pytest.mark.parametrize("release", MUST_NOT_PASS)
def test_a_release_that_can_be_broken_does_not_pass(release: str, monkeypatch) -> None:
    code, case = MUST_NOT_PASS[release]
    if code in SEEN_WITHOUT_OTHER_ATTACKS:
        audit = icefire.audit
        monkeypatch.setattr(icefire, "audit", lambda *files, **options: audit(*files, **LINK_ONLY, **options))
    assert_not_passed(case(), code)


@pytest.mark.parametrize("release", MUST_PASS)
def test_a_release_that_holds_passes(release: str) -> None:
    assert_passed(MUST_PASS[release]())


HONEST: list[tuple[Any, Any, list[dict[str, Any]]]] = [
    (staff, STAFF, [{"method": "swap"}]),
    (staff, STAFF, [{"method": "average"}]),
    (staff, STAFF, [K5, {"method": "swap"}]),
    (staff, STAFF, [K5, {"method": "average"}]),
    (staff, STAFF, [{"method": "rank_swap", "p": 10.0}]),
    (staff, STAFF, [{"method": "microaggregate", "k": 5}]),
    (staff, STAFF, [{"method": "noise", "scale": 0.5}]),
    (staff, STAFF, [{"method": "pram"}]),
    (staff, STAFF, [{"method": "shuffle"}]),
    (club, CLUB, [{"method": "swap"}]),
    (club, CLUB, [K5, {"method": "swap"}]),
    (club, CLUB, [{"method": "pram"}]),
    (club, CLUB, [{"method": "shuffle"}]),
]


def _methods(part: Any) -> str:
    return "+".join(step["method"] for step in part) if isinstance(part, list) else getattr(part, "__name__", "")


@pytest.mark.parametrize(("table", "roles", "steps"), HONEST, ids=_methods)
def test_an_honest_release_is_not_called_a_false_correspondence(table: Any, roles: Any, steps: Any) -> None:
    assert "correspondence" not in codes(judge_recipe(table(), roles, *steps, **LINK_ONLY))


RECIPES = sorted(path for path in (ROOT / "examples" / "recipes").glob("*.toml") if not path.name.startswith("shop"))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_of_the_gallery_only_the_cheating_permutation_is_a_false_correspondence(recipe: Path) -> None:
    table = icefire.sample("households", 150)
    card = icefire.audit(table, icefire.anonymize(table, recipe), **LINK_ONLY).scorecard
    assert ("correspondence" in codes(card.verdict)) == (recipe.stem == "cheating_permutation"), card.verdict.text


def test_an_honest_swap_of_a_single_value_is_not_called_a_false_correspondence() -> None:
    small = staff().select("age", "sex", "job", "income")
    release = icefire.anonymize(small, {"step": [{"method": "swap"}]}, qi=("sex", "job"), sa=("income",))
    verdict = icefire.audit(small, release, qi=("sex", "job"), sa=("income",), **LINK_ONLY).scorecard.verdict
    assert "correspondence" not in codes(verdict)


def test_a_false_correspondence_comes_first_and_no_rate_is_said() -> None:
    verdict = judge(club(), club(), truth=strangers(), **CLUB)
    assert verdict.reasons[0].code == "correspondence"
    assert verdict.text.startswith("How many people attacks identify is not known")


def test_without_a_limit_on_the_share_identified_the_public_policy_applies() -> None:
    table = club(rows=40)
    assert judge(table, table, **CLUB).policy == "public"
    assert judge(table, table, limits={"U6": 1.0}, **CLUB).policy == "public"
    assert judge(table, table, max_reid=0.5, **CLUB).policy == ""
    assert judge(table, table, policy="internal", **CLUB).policy == "internal"


def test_a_policy_can_be_a_file(tmp_path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('title = "ours"\n[origin]\nmax_identified = 1.0\n', encoding="utf-8")
    assert judge(club(rows=40), club(rows=40), policy=path, **CLUB).policy == "ours"


@pytest.mark.parametrize(
    "text",
    [
        "[origin]\nmaximum = 1\n",
        "[origin]\nmax_identified = 'x'\n",
        "[origin]\nmax_identified = nan\n",
        "[origin]\nmax_identified = 5\n",
        "[origin]\nmax_identified = 0.1\n[classes]\nmin_k = 0\n",
        "title = 'limits nothing'\n",
        "x = [",
    ],
)
def test_a_policy_that_cannot_be_used_is_refused(tmp_path, text: str) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(icefire.InputError, match="cannot be used"):
        judge(staff(), staff(), policy=path, **STAFF)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(icefire.UnknownNameError, match="no policy is called 'publik'; did you mean 'public'"):
        judge(staff(), staff(), policy="publik", **STAFF)


@pytest.mark.parametrize("limit", [float("nan"), float("inf")])
def test_a_limit_that_is_no_number_is_refused(limit: float) -> None:
    with pytest.raises(icefire.ParameterError, match="finite"):
        judge(staff(), staff(), limits={"U5": limit}, **STAFF)


def test_a_table_too_large_for_the_joint_attack_does_not_pass(monkeypatch) -> None:
    monkeypatch.setattr(tables, "JOINT_ATTACK_ROWS", ROWS - 1)
    verdict = judge_recipe(staff(), STAFF, {"method": "synthesize"})
    assert [reason.code for reason in verdict.reasons] == ["not_assessed"]
    assert "takes too long above 299 rows" in verdict.text
