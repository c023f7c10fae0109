"""P0's printed Tables 14 and 16 beside ours: printed value, ours, difference, and the slips of the paper."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from rich.table import Table

from icefire.studies import printed
from icefire.studies.result import Part, text_table

ATTACKS = tuple(printed.P0_TABLE_16_SUMMARY)
"""Those of the printed table; EUC2 was given up there for lack of time."""
MEASURES = tuple(dict.fromkeys(code for _, code in printed.P0_TABLE_14))

ReleaseValues = Mapping[str, Mapping[str, float | None]]
"""By release, what was measured here by code."""


def table16_beside(rates: ReleaseValues) -> Part:
    """Put the printed rate of every attack on every release beside ours."""
    frame = beside(rates, printed.P0_TABLE_16)
    return Part(
        "table16_beside",
        "the rate of every attack on every release: printed in P0, ours, and the difference.",
        frame,
        conclusion=_distances(frame),
        view=lambda: _view16(frame),
    )


def table14_beside(values: ReleaseValues) -> Part:
    """Put the printed measures of every release beside ours."""
    frame = beside(values, printed.P0_TABLE_14)
    return Part(
        "table14_beside",
        "the measures of every release: printed in P0, ours, and the difference.",
        frame,
        conclusion=SLIPS_OF_TABLE_14,
        view=lambda: _view14(frame),
    )


def summary_beside(rates: ReleaseValues) -> Part:
    """Put mean, standard deviation and number of bests of the printed table beside ours, and its deviations right."""
    lines = []
    for attack in ATTACKS:
        mean, deviation, bests = printed.P0_TABLE_16_SUMMARY[attack]
        theirs = np.array([printed.P0_TABLE_16[name, attack] for name in rates])
        ours = np.array([np.nan if (rate := rates[name][attack]) is None else rate for name in rates])
        with_mean = float(np.append(theirs, theirs.mean()).std(ddof=0))
        lines.append(
            (attack, mean, float(ours.mean()), deviation, with_mean, _deviation(theirs), _deviation(ours), bests)
        )
    frame = pl.DataFrame(lines, SUMMARY, orient="row")
    listed = ", ".join(
        f"{line['attack']} {line['sd_printed']:.3f} ({line['sd_of_printed']:.3f})" for line in frame.to_dicts()
    )
    return Part(
        "summary_beside",
        "mean and standard deviation printed and ours; sd_with_mean counts the mean of the printed rates as a "
        "thirteenth value, sd_of_printed is what should be printed.",
        frame,
        conclusion=f"Standard deviations as printed, and in brackets right (n - 1) from the printed rates: {listed}.",
    )


SUMMARY = (
    *("attack", "mean_printed", "mean_here", "sd_printed", "sd_with_mean", "sd_of_printed", "sd_here"),
    "best_printed",
)
SLIPS_OF_TABLE_14 = (
    "The releases D1 to D12 of the contest are not public; ours are made by the methods that P0's Table 15 infers, on "
    "other data. Table 15 cannot be right everywhere: it infers for D8 and D9 that a column of the cross table was "
    "unified, but their printed U2 and U3 are 0, which no such release can have; the text calls D1 k-anonymised, "
    "though its printed S1 is 1."
)


def beside(values: ReleaseValues, table: Mapping[tuple[str, str], float]) -> pl.DataFrame:
    """Return one line per printed figure: release, what, printed, ours, difference."""
    lines = []
    for (release, code), value in table.items():
        if release not in values:
            continue
        here = values[release][code]
        lines.append((release, code, value, here, None if here is None else here - value))
    schema = {"release": pl.String, "what": pl.String}
    return pl.DataFrame(lines, schema | dict.fromkeys(("printed", "here", "difference"), pl.Float64), orient="row")


def _deviation(rates: np.ndarray) -> float:
    return float(rates.std(ddof=1))


def _distances(frame: pl.DataFrame) -> str:
    away = frame.group_by("what", maintain_order=True).agg(pl.col("difference").abs().mean())
    listed = ", ".join(f"{code} {distance:.3f}" for code, distance in away.iter_rows())
    return f"Mean distance of our rates from the printed ones (other releases, other data): {listed}."


def _view16(frame: pl.DataFrame) -> Table:
    head = ["", *(name for attack in ATTACKS for name in (attack, "printed"))]
    return text_table("Table 16 beside ours", head, _rows(frame, ATTACKS, "{:.3f}"))


def _view14(frame: pl.DataFrame) -> Table:
    """Show two lines for every release: with twelve columns the table would not fit a terminal."""
    shown = tuple(code for code in MEASURES if code not in ("U1", "U6"))  # 0 in all printed releases
    lines = []
    for name, *cells in _rows(frame, shown, "{:.4g}"):
        lines += [[name, "ours", *cells[::2]], ["", "printed", *cells[1::2]]]
    return text_table("Table 14 beside ours (U1 and U6 are printed as 0)", ["", "", *shown], lines)


def _rows(frame: pl.DataFrame, codes: tuple[str, ...], form: str) -> list[list[str]]:
    cells = {(line["release"], line["what"]): (line["here"], line["printed"]) for line in frame.to_dicts()}
    releases = frame["release"].unique(maintain_order=True)
    return [
        [name, *("?" if value is None else form.format(value) for code in codes for value in cells[name, code])]
        for name in releases
    ]
