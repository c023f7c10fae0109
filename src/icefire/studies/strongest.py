"""The strongest attackers on every release: the papers' attacks, the joint attack, and who knows the recipe.

Releases of the sample `households`, of purchase histories and of a health survey, made by one to five methods or by
recipes of the gallery, each with several seeds (`--seeds`, three unless you ask for others). `--data FOLDER` takes the
files of contests (M.csv and T.csv of purchase histories, B.csv of the survey) and adult.data.gz of UCI Adult, from the
folder or from folders in it; what is not there is synthetic, Adult is left out. A run that was stopped goes on where it
was if it is started again.

- best other: the highest rate of the attacks that look at part of the columns, and which attack that was.
- link: the rate of the joint attack (of the best joint attack on membership); says: the mean probability it gives.
- replay: the rate of the attacker who knows the recipe but not its seed; empty where no step can be repeated.
- limit: what no attacker exceeds but by luck, where that is known: classes or different records over rows.
- ±: half the width of the 95 % interval of the mean over the seeds.

The lines of the survey are not rates but the danger of the contest, the mean over ten draws of members and others.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from rich.table import Table

from icefire._version import __version__
from icefire.core.types import Progress
from icefire.studies import plots
from icefire.studies.intervals import checked_seeds, half_width
from icefire.studies.result import Part, text_table
from icefire.studies.strongest_releases import all_releases
from icefire.studies.strongest_runs import KeptResults, attacked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = {
    "data": pl.String,
    "release": pl.String,
    "seed": pl.Int64,
    "best": pl.String,
    **dict.fromkeys(("other", "link", "replay", "said", "limit", "seconds"), pl.Float64),
}
RATES = ("other", "link", "replay")


def parts(
    rows: int | None,
    seed: int,
    progress: Progress,
    data: Path | None = None,
    seeds: int | None = None,
    kept: Path | None = None,
) -> list[Part]:
    """Make every release with every seed, and attack each with everything there is."""
    turns = checked_seeds(seeds)
    results = KeptResults(kept)
    lines = []
    for source in all_releases(rows, seed, data):
        for release in source.releases:
            for turn in range(turns):
                progress(f"{source.title}: {release.name}: seed {turn + 1} of {turns}")
                key = f"{__version__} {rows} {data} {source.title}: {release.name}: {seed + turn}"
                lines.append(results.get_or_compute(key, lambda: attacked(source, release, seed + turn)))  # noqa: B023
    frame = pl.DataFrame(lines, COLUMNS)
    runs = Part("runs", "the rates of every single run, and CPU seconds.", frame, timed=True, as_json=True)
    return [_table(frame), runs]


def _table(runs: pl.DataFrame) -> Part:
    lines = [_line(group) for _, group in runs.group_by("data", "release", maintain_order=True)]
    frame = pl.DataFrame(lines, {**COLUMNS, **{f"{name}_interval": pl.Float64 for name in RATES}}, strict=False)
    return Part(
        "strongest",
        "the best other attack, link, replay and the limit on every release, means over the seeds.",
        frame.drop("seed", "seconds"),
        conclusion=f"link is {_weaker(lines, 'link', 'other')}. replay is {_weaker(lines, 'replay', 'link')}.",
        view=lambda: _view(lines),
        figure=lambda: _figure(lines),
        as_json=True,
    )


def _line(group: pl.DataFrame) -> dict[str, Any]:
    """Return the means of the runs of one release."""
    line: dict[str, Any] = {"data": group["data"][0], "release": group["release"][0]}
    line["best"] = group["best"].mode().sort()[0]
    for name in (*RATES, "said", "limit"):
        values = group[name].drop_nulls().to_numpy()
        line[name] = float(values.mean()) if len(values) else None
        if name in RATES:
            line[f"{name}_interval"] = half_width(values)
    return line


def _weaker(lines: list[dict[str, Any]], one: str, other: str) -> str:
    """Say where one attacker is weaker than the other by more than both intervals."""
    compared = [line for line in lines if line[one] is not None and line[other] is not None]
    margins = [sum(line[f"{name}_interval"] or 0.0 for name in (one, other)) for line in compared]
    weaker = [line for line, margin in zip(compared, margins, strict=True) if line[one] < line[other] - margin]
    what = "the best other attack" if other == "other" else other
    if not compared:
        return f"not compared with {what}"
    listed = "; ".join(f"{line['data']}, {line['release']}" for line in weaker)
    return f"weaker than {what} on: {listed}" if weaker else f"nowhere weaker than {what}"


def _view(lines: list[dict[str, Any]]) -> Table:
    rows = [[f"{line['data']}: {line['release']}", line["best"], *_shares(line)] for line in lines]
    titles = ["release", "best other", "rate", "link", "says", "replay", "limit"]
    return text_table("Share found by the strongest attackers", titles, rows, left=2)


def _shares(line: Mapping[str, Any]) -> list[str]:
    """Write the rates with half their intervals, and the shares without, in percent."""
    names = ("other", "link", "said", "replay", "limit")
    return [_share(line[name], line.get(f"{name}_interval")) for name in names]


def _share(value: float | None, interval: float | None) -> str:
    if value is None:
        return ""
    return f"{100 * value:.1f}" if interval is None else f"{100 * value:.1f} ± {100 * interval:.1f}"


def _figure(lines: list[dict[str, Any]]) -> Figure:
    """Draw one row per release: the three attackers as points with intervals, the limit as a line."""
    figure = plots.blank(7.5, 1.0 + 0.24 * len(lines))
    axes = figure.subplots()
    heights = np.arange(len(lines))[::-1]
    labels = {"other": "best other attack", "link": "link", "replay": "replay"}
    for place, (name, label) in enumerate(labels.items()):
        shown = [(line, height) for line, height in zip(lines, heights, strict=True) if line[name] is not None]
        axes.errorbar(
            [line[name] for line, _ in shown],
            [height + 0.2 * (1 - place) for _, height in shown],
            xerr=[line[f"{name}_interval"] or 0.0 for line, _ in shown],
            fmt="osD"[place],
            markersize=4,
            linewidth=1,
            color=plots.COLOURS[place],
            label=label,
        )
    limits = [(line["limit"], height) for line, height in zip(lines, heights, strict=True) if line["limit"] is not None]
    axes.plot([x for x, _ in limits], [y for _, y in limits], "|", color=plots.GREY, markersize=12, label="limit")
    axes.set_yticks(heights, [f"{line['data']}: {line['release']}" for line in lines])
    axes.set_xlim(-0.02, 1.04)
    axes.set_xlabel("share found (survey: danger)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=4)
    return figure
