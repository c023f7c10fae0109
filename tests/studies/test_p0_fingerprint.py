"""The study of methods recognised: its scores, its releases, and its form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from support.places import ROOT

from icefire.audit.fingerprint.methods import NAMES
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.studies import available, fingerprint_tables, p0_fingerprint
from icefire.studies.fingerprint_releases import HIDING, ORDER, STEPS_OF, random_release, release_by, release_of

DATA = ROOT.parent / "shared" / "data"


def test_it_is_found_among_the_studies() -> None:
    assert "p0-fingerprint" in available()


def test_f1_counts_misses_and_false_alarms_alike() -> None:
    lines = pl.DataFrame(
        {
            "methods": ["noise", "noise, swap", "swap", ""],
            "recognised": ["noise", "swap", "noise, swap", ""],
        }
    )
    # noise: one of two found, one of two right: 2·1 / (2 + 2); swap: both, and nothing else.
    assert p0_fingerprint.f1_scores(lines) == {"noise": 0.5, "swap": 1.0}
    assert p0_fingerprint.macro(lines) == 0.75
    assert p0_fingerprint.exact(lines) == 0.5


def test_every_method_can_be_drawn_and_has_its_place() -> None:
    assert set(STEPS_OF) == set(ORDER) == set(NAMES)
    assert {name for pair in HIDING for name in pair} <= set(NAMES)


@pytest.fixture(scope="module")
def survey() -> Dataset:
    return fingerprint_tables.sample_table("survey")(np.random.default_rng(3))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "suppress_rows"])
def test_a_release_by_one_method_is_known_by_its_name(survey: Dataset, name: str) -> None:
    some = release_of(name, survey, np.random.default_rng(4))
    assert some is not None
    assert some.methods == {name}


def test_combinations_hide_nothing_unless_asked_to(survey: Dataset) -> None:
    rng = np.random.default_rng(5)
    for _ in range(5):
        some = random_release(survey, rng, size=3)
        assert some is not None
        assert not any({a, b} in HIDING for a in some.methods for b in some.methods)


def test_a_step_without_effect_makes_no_release(survey: Dataset) -> None:
    assert release_by(survey, [{"method": "noise", "scale": 0.0}], 1) is None
    assert release_by(survey, [{"method": "round_values", "base": 0.5, "columns": ["dia"]}], 1) is None


def test_the_study_has_the_form_of_the_papers_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p0_fingerprint, "PER_TABLE", 2)
    monkeypatch.setattr(p0_fingerprint, "SAMPLES", ("survey",))
    monkeypatch.setattr(p0_fingerprint, "HIDING_PER_TABLE", 1)
    monkeypatch.setattr(p0_fingerprint, "RELEASES", {name: p0_fingerprint.RELEASES[name] for name in ("D1", "D10")})
    monkeypatch.setattr(fingerprint_tables, "MOST", fingerprint_tables.LEAST + 1)
    shown, *scores, releases = p0_fingerprint.parts(200, 2, lambda _: None)
    used = shown.table.filter("used")
    assert set(zip(used["release"], used["method"], strict=True)) == {
        ("D1", "unify"),
        ("D10", "k_anonymize"),
        ("D10", "average"),
    }
    assert shown.view is not None
    assert shown.view().row_count == 17
    assert [part.name for part in scores] == ["unseen", "hiding_pairs"]
    assert set(releases.table["by"]) == {"tables", "truth"}


def test_a_folder_without_any_known_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it looks for: adult\.data\.gz, B\.csv, online_retail\.csv\.gz"):
        p0_fingerprint.parts(200, 1, lambda _: None, tmp_path)


@pytest.mark.heavy
@pytest.mark.skipif(not DATA.exists(), reason="the public tables are not beside the repository")
def test_methods_are_recognised_on_public_tables() -> None:
    lines = p0_fingerprint.random_releases(fingerprint_tables.public_tables(DATA), 1, lambda _: None)
    plain = lines.filter(hiding=False)
    for by in ("tables", "truth"):
        assert p0_fingerprint.macro(plain.filter(by=by)) >= 0.85
