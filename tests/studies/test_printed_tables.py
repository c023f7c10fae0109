"""P0's printed Tables 14 and 16 beside ours: the figures, the differences, and the slip of the deviations."""

from __future__ import annotations

import pytest

from icefire.studies import printed, printed_tables

RELEASES = [f"D{number}" for number in range(1, 13)]


def as_printed(table: dict[tuple[str, str], float]) -> dict[str, dict[str, float]]:
    return {name: {code: value for (release, code), value in table.items() if release == name} for name in RELEASES}


def test_the_printed_rates_have_the_printed_means_and_bests() -> None:
    rates = as_printed(printed.P0_TABLE_16)
    assert list(rates["D1"]) == ["E1", "E2", "E3", "E4", "EUC1"]
    for attack, (mean, _, bests) in printed.P0_TABLE_16_SUMMARY.items():
        assert round(sum(rates[name][attack] for name in RELEASES) / 12, 3) == mean
        highest = [name for name in RELEASES if rates[name][attack] == max(rates[name].values())]
        assert len(highest) == bests, attack


def test_the_printed_deviations_count_the_mean_as_a_thirteenth_value() -> None:
    part = printed_tables.summary_beside(as_printed(printed.P0_TABLE_16))
    for line in part.table.to_dicts():
        assert round(line["sd_with_mean"], 3) == line["sd_printed"]
        assert line["sd_of_printed"] == line["sd_here"] > line["sd_printed"] + 0.003
    assert "E1 0.174 (0.189), E2 0.258 (0.280)" in part.conclusion


def test_differences_are_ours_less_the_printed_ones() -> None:
    ours = as_printed(printed.P0_TABLE_16)
    ours["D1"]["E1"] += 0.1
    ours["D2"]["E1"] -= 0.02
    frame = printed_tables.table16_beside(ours).table
    changed = {line["release"]: line["difference"] for line in frame.to_dicts() if line["difference"]}
    assert changed == {"D1": pytest.approx(0.1), "D2": pytest.approx(-0.02)}
    assert "E1 0.010, E2 0.000" in printed_tables.table16_beside(ours).conclusion


def test_table_14_has_every_measure_and_a_value_that_is_missing_stays_missing() -> None:
    ours: dict[str, dict[str, float | None]] = {
        name: dict(values) for name, values in as_printed(printed.P0_TABLE_14).items()
    }
    ours["D3"]["U4"] = None
    part = printed_tables.table14_beside(ours)
    assert part.table.height == 12 * 8
    assert part.table.filter(release="D3", what="U4")["difference"].to_list() == [None]
    assert part.view is not None
    assert part.table.filter(release="D10", what="S2")["printed"].to_list() == [106.83]
