"""The studies of P1's Tables 4 and 5: small shops, and the arithmetic by hand."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from support.history_tables import sets

from icefire import studies
from icefire.core.errors import ParameterError
from icefire.studies import intervals, p1_changes, p1_releases, printed, shop
from icefire.studies.result import StudyResult

ALL_RELEASES = p1_releases.RELEASES


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(p1_changes, "RATES", (0.1, 0.9))
        return studies.run_study("p1-changes", tmp_path_factory.mktemp("p1") / "out", rows=100, seed=7, seeds=2)


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyResult]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(p1_releases, "LINK", "assignment")  # the real one takes seconds a release
        patch.setattr(p1_releases, "OTHERS", ("containment", "tfidf", "profile"))
        some = {name: p1_releases.RELEASES[name] for name in ("D1", "D3", "D6", "D8")}
        patch.setattr(p1_releases, "RELEASES", some)
        yield studies.run_study("p1-releases", tmp_path_factory.mktemp("p1") / "out", rows=100, seed=7, seeds=2)


def said(result: StudyResult) -> str:
    console = Console(file=io.StringIO(), width=80)
    result.show(console)
    return console.file.getvalue()


def part(result: StudyResult, name: str) -> pl.DataFrame:
    return next(one.table for one in result.parts if one.name == name)


@pytest.mark.parametrize("name", ["changes", "releases"])
def test_the_tables_fit_eighty_columns_and_the_files_are_there(name: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(name)
    text = said(result)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text
    assert {"data.png", "runs.csv"} <= set(result.files)
    assert "--seeds 2 --seed 7" in (result.folder / "README.md").read_text(encoding="utf-8")


# --- Table 5 ---------------------------------------------------------------------------------------------------


def test_the_three_ways_change_as_many_rows_as_the_rate_says() -> None:
    history, rng = shop.history(100, 7, None), np.random.default_rng(1)
    rows = {way: change(history, 0.5, rng).height / history.height for way, change in p1_changes.CHANGES.items()}
    assert rows == {"altering": 1, "deleting": pytest.approx(0.5, abs=1e-3), "adding": pytest.approx(1.5, abs=1e-3)}
    figures = p1_changes.figures(history, p1_changes.added(history, 0.5, rng), rng)
    assert figures["kept"] == 1
    assert figures["false"] == pytest.approx(1 / 3, abs=1e-3)
    assert figures["rate"] == pytest.approx(0.5, abs=1e-3)


def test_rows_in_common_are_counted_as_often_as_they_are_there() -> None:
    left = pl.DataFrame({"a": [1, 1, 1, 2, None], "b": ["x", "x", "x", "y", None]})
    right = pl.DataFrame({"a": [1, 1, 2, 2, None], "b": ["x", "x", "y", "z", None]})
    assert p1_changes._rows_in_common(left, right) == 4


def test_who_is_alone_shares_the_set_with_nobody() -> None:
    assert p1_changes.alone(sets("ab", "ab", "abc", "d")) == pytest.approx(2 / 4)


def test_adding_keeps_everything_deleting_adds_nothing_and_only_clusters_make_alike(changes: StudyResult) -> None:
    table = part(changes, "table5")
    assert (table.filter(way="adding")["kept"] == 1).all()
    assert (table.filter(way="deleting")["false"] == 0).all()
    clustered = table.filter(way=p1_changes.IN_CLUSTERS)
    assert (clustered["alone"] == 0).all()
    assert (clustered["jaccard"] <= clustered["c"] / 100 + 1e-9).all()
    assert clustered["c"].to_list() == [50, 25, 12]
    assert (table.filter(way="adding")["jaccard"] > 0.9).all()
    assert table["jaccard_interval"].null_count() == 0


# --- Table 4 ---------------------------------------------------------------------------------------------------


def test_every_release_has_the_jaccard_rate_beside_the_best_other(releases: StudyResult) -> None:
    table = part(releases, "table4")
    assert table["release"].to_list() == ["D1", "D3", "D6", "D8"]
    runs = part(releases, "runs")
    for line in table.to_dicts():
        mine = runs.filter(release=line["release"])
        assert line["other"] == max(mine[name].mean() for name in ("containment", "tfidf", "profile"))
        assert line["jaccard"] == pytest.approx(mine["jaccard"].mean())
        assert line["unbeaten"] == (round(line["jaccard"], 4) >= round(line["other"], 4))
    assert table.filter(release="D8")["jaccard"].item() <= 25 / 100 + 1e-9  # c is scaled to 100 customers


def test_there_are_ten_releases_and_the_printed_table_is_whole() -> None:
    assert list(ALL_RELEASES) == [f"D{number}" for number in range(1, 11)]
    unbeaten = [name for name, (best, jaccard) in printed.P1_TABLE_4.items() if jaccard >= best]
    assert len(printed.P1_TABLE_4) == 9
    assert len(unbeaten) == 8


def test_too_many_seeds_are_refused() -> None:
    with pytest.raises(ParameterError, match="allowed are 1 to 10"):
        intervals.checked_seeds(11)
