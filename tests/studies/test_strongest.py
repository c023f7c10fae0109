"""The study of the strongest attackers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from icefire import studies
from icefire.core.errors import InputError, ParameterError
from icefire.studies import households, intervals, strongest, strongest_releases
from icefire.studies.strongest_releases import HOUSEHOLDS, ReleasesOfData, StudyRelease, all_releases
from icefire.studies.strongest_runs import KeptResults, attacked

K5 = {"method": "k_anonymize", "k": 5}
TWO = (
    StudyRelease("k = 5, average", [K5, {"method": "average"}], "classes"),
    StudyRelease("noise", [{"method": "noise", "scale": 0.3}]),
)


@pytest.fixture
def two_releases(monkeypatch):
    """The study of two releases of a small table."""
    original = households.survey(200, 1)
    monkeypatch.setattr(strongest, "all_releases", lambda *_: iter([ReleasesOfData("households", original, TWO)]))


def named(name):
    return next(release for release in HOUSEHOLDS if release.name == name)


def result(release, rows=300):
    return attacked(ReleasesOfData("households", households.survey(rows, 1), [release]), release, 1)


def test_it_is_found_among_the_studies():
    assert "strongest" in studies.available()
    assert not {"strongest-releases", "strongest-runs"} & set(studies.available())


def test_link_is_compared_with_the_best_other_attack():
    line = result(named("pram 0.5, rank swap 20"), 500)
    assert line["link"] > 0.9
    assert line["link"] > line["other"]
    assert line["replay"] is line["limit"] is None


def test_who_knows_the_recipe_reaches_the_limit_of_averages():
    line = result(named("k = 5, average"))
    assert line["replay"] == pytest.approx(line["limit"])
    assert 0.05 < line["limit"] <= 0.2


def test_the_study_writes_a_table_a_picture_and_every_run(tmp_path, two_releases):
    done = studies.run_study("strongest", tmp_path / "out", rows=200, seed=1, seeds=2)
    assert {"strongest.csv", "strongest.json", "strongest.png", "runs.csv"} <= set(done.files)
    lines = json.loads((tmp_path / "out" / "strongest.json").read_text())
    assert [line["release"] for line in lines] == ["k = 5, average", "noise"]
    assert lines[0]["replay"] == pytest.approx(lines[0]["limit"])
    assert "nowhere weaker than link" in done.parts[0].conclusion
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_study_that_was_stopped_goes_on_where_it_was(tmp_path, two_releases, monkeypatch):
    calls = []

    def stopped(data, release, seed):
        calls.append((release.name, seed))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return dict.fromkeys(strongest.COLUMNS, 0.5) | {
            "data": data.title,
            "release": release.name,
            "seed": seed,
            "best": "euc1",
        }

    monkeypatch.setattr(strongest, "attacked", stopped)
    with pytest.raises(KeyboardInterrupt):
        studies.run_study("strongest", tmp_path / "out", rows=200, seed=1, seeds=1)
    assert not (tmp_path / "out").exists()
    studies.run_study("strongest", tmp_path / "out", rows=200, seed=1, seeds=1)
    assert calls == [("k = 5, average", 1), ("noise", 1), ("noise", 1)]


def test_a_line_that_was_cut_off_is_computed_again(tmp_path):
    file = tmp_path / "kept.jsonl"
    file.write_text('{"key": "a", "result": {"rate": 1}}\n{"key": "b", "resu')
    kept = KeptResults(file)
    assert kept.get_or_compute("a", dict) == {"rate": 1}
    assert kept.get_or_compute("b", lambda: {"rate": 2}) == {"rate": 2}
    assert kept.get_or_compute("b", dict) == {"rate": 2}


def test_every_recipe_of_the_study_fits_its_data():
    from icefire import recipe

    for source in all_releases(1000, 1, None):
        for release in source.releases:
            steps = recipe.load({"steps": [dict(step) for step in release.steps]})
            recipe.check(source.original, steps)
    assert {"households", "histories", "survey"} <= {source.title for source in all_releases(1000, 1, None)}


def test_the_interval_is_that_of_student():
    assert intervals.half_width(np.array([0.1, 0.2, 0.3])) == pytest.approx(4.303 * 0.1 / np.sqrt(3))
    assert intervals.half_width(np.array([0.1])) is None


def test_wrong_options_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"holds no adult\.data\.gz"):
        strongest_releases.adult(tmp_path)
    with pytest.raises(InputError, match=r"holds none of adult\.data\.gz"):
        list(all_releases(None, 1, tmp_path))
    with pytest.raises(ParameterError, match="seeds is 99"):
        strongest.parts(200, 1, print, seeds=99)
    with pytest.raises(ParameterError, match="p0-methods takes no seeds=…"):
        studies.run_study("p0-methods", tmp_path / "out", rows=100, seed=1, seeds=2)
