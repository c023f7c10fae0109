"""Several releases side by side."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import polars as pl
import pytest
from support.commands import run_icefire
from support.report_card import empty_card, full_card

import icefire
from icefire.audit.compare import compared, different_names, loss_of
from icefire.core.errors import ParameterError
from icefire.core.scorecard import Limit, Reason, Scorecard, Verdict
from icefire.core.scorecard.usefulness import ColumnChange, Usefulness
from icefire.report.html.compare import render_compared
from icefire.report.sentences.compare import conclusion


def card(passed: bool, loss: float, rate: float) -> Scorecard:
    """A scorecard of one column that was changed by so much, and one attack."""
    whole = full_card()
    attack = msgspec.structs.replace(whole.attacks["euc2"], rate=rate)
    return full_card(
        attacks={"euc2": attack},
        usefulness=Usefulness("Something.", columns=[ColumnChange("a", "qi", 1, 0.5, 1, loss)]),
        limits=[Limit("reid", "max", 0.09, rate, passed)],
        verdict=Verdict(passed, "Headline", "", "euc2"),
    )


def test_the_best_passes_and_lost_least() -> None:
    releases = compared(["a", "b", "c"], [card(False, 0.0, 0.9), card(True, 0.4, 0.05), card(True, 0.3, 0.08)])
    assert (releases.best, releases.nearest) == ("c", "")
    assert [row.risk for row in releases.releases] == [0.9, 0.05, 0.08]
    assert [row.limit for row in releases.releases] == [0.09] * 3
    assert [row.loss for row in releases.releases] == [0.0, 0.4, 0.3]
    assert releases.releases[0].k == 1


def test_where_none_passes_the_one_that_identifies_fewest_is_named() -> None:
    assert compared(["a", "b"], [card(False, 0.0, 0.9), card(False, 0.4, 0.5)]).nearest == "b"


def test_rates_that_rest_on_a_wrong_correspondence_are_not_shown() -> None:
    wrong = msgspec.structs.replace(
        card(False, 0.1, 0.003), verdict=Verdict(False, "Headline", "", reasons=[Reason("correspondence", "wrong")])
    )
    releases = compared(["a", "b"], [wrong, card(False, 0.1, 0.5)])
    assert [row.risk for row in releases.releases] == [None, 0.5]
    assert releases.nearest == "b"


def test_a_release_that_brings_its_truth_is_compared_by_it(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [20 + i for i in range(40)], "pay": [i * 7.5 for i in range(40)]})
    data = icefire.read(table, qi="age", sa="pay")
    made = icefire.anonymize(data, {"step": [{"method": "noise", "scale": 0.01}]}, seed=1, output=tmp_path / "out")
    rows = icefire.compare(data, [tmp_path / "out", made, table], aligned=True, attacks=["euc1"], measures=["k_min"])
    assert [row.risk for row in rows.releases] == [1.0, 1.0, 1.0]


def test_other_originals_and_other_limits_are_said() -> None:
    one, other = card(True, 0.1, 0.05), card(True, 0.2, 0.05)
    assert not compared(["a", "b"], [one, other]).different_originals
    moved = msgspec.structs.replace(
        other.provenance, original=msgspec.structs.replace(other.provenance.original, rows=7)
    )
    stricter = msgspec.structs.replace(other, provenance=moved, limits=[Limit("reid", "max", 0.05, 0.05, True)])
    releases = compared(["a", "b"], [one, stricter])
    assert releases.different_originals
    assert releases.different_policies
    assert (releases.best, releases.nearest) == ("", "")
    assert conclusion(releases) == [
        "The audits were made against different originals: the figures cannot be compared.",
        "The releases were judged by different limits.",
    ]


def test_people_left_out_count_in_full() -> None:
    columns = [ColumnChange("a", "qi", 1, 0.5, 1, 0.5)]
    assert loss_of(full_card(usefulness=Usefulness("", rows_left_out=0.2, columns=columns))) == pytest.approx(0.6)
    assert loss_of(empty_card()) is None


def test_names_are_as_short_as_tells_them_apart() -> None:
    assert different_names(["x/one.csv", "x/two.csv"]) == ["one", "two"]
    assert different_names(["x/released.csv", "y/released.csv"]) == ["x/released", "y/released"]
    assert different_names([empty_card(), "b.json"]) == ["release 1", "b"]


def test_audits_are_compared_without_the_original(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / "light.json", tmp_path / "strong.json"]
    for path, one in zip(paths, (card(False, 0.01, 0.9), card(True, 0.4, 0.05)), strict=True):
        path.write_text(one.to_json())
    page, table = tmp_path / "c.html", tmp_path / "c.json"
    done = run_icefire(capsys, "compare", *map(str, paths), "--html", str(page), "--json", str(table))
    assert done.code == 0
    assert "strong is the only one that passes." in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines()[:6])
    assert [row["name"] for row in json.loads(table.read_text())["releases"]] == ["light", "strong"]
    assert "<svg" in page.read_text()


def test_releases_are_audited_with_the_same_options() -> None:
    data = icefire.sample("households", rows=40)
    blank = data.frame.with_columns(data.frame[name].shuffle(seed=1) for name in data.frame.columns)
    options = {"aligned": True, "attacks": ["id_rand"], "measures": ["k_min"]}
    releases = icefire.compare(data, [data.frame, blank], names=["same", "shuffled"], **options)
    same, shuffled = releases.releases
    assert (same.loss, same.worst_attack) == (0.0, "id_rand")
    assert shuffled.loss is not None
    assert shuffled.loss > 0.1


def test_tables_without_files_are_numbered() -> None:
    table = {"age": [20 + i for i in range(30)], "pay": [i * 7.5 for i in range(30)]}
    releases = icefire.compare(
        table, [table, table], aligned=True, qi="age", sa="pay", attacks=["euc1"], measures=["k_min"]
    )
    assert [row.name for row in releases.releases] == ["release 1", "release 2"]


def test_a_release_needs_its_original() -> None:
    with pytest.raises(ParameterError, match="'release 2' is a release and no audit; give its original first"):
        icefire.compare([card(True, 0.1, 0.05), {"age": [1, 2]}])


def test_one_release_is_nothing_to_compare() -> None:
    with pytest.raises(ParameterError, match="at least two"):
        icefire.compare([full_card()])


def test_the_page_escapes_names_and_loads_nothing() -> None:
    page = render_compared(compared(["<b>", "two"], [card(True, 0.1, 0.05), card(False, 0.0, 0.5)]))
    assert "<b>" not in page
    assert "http" not in page
    assert "script" not in page
