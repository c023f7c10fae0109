"""P1 Table 4: the Jaccard attack on ten different releases, beside the best of the other attacks.

The releases of the contest are not public. These ten change purchase histories in ten ways, from a third of the rows
deleted to the recipe shop_strong, and Algorithm 1 attacks each. Table 4 compares it with the best attack of the
participants (a). Here stand in their place the best of the other attacks that know the sets of goods and nothing else,
as the paper's attacker does, and the attack `link`, which reads numbers, prices, dates, receipts and customers as well.
\\* marks releases on which no other attacker who knows goods alone finds more.

- ±: half the width of the 95 % interval of the mean over the seeds (`--seeds`, three unless you ask for others); every
  seed makes the release anew.
- Rates are exact expectations where several customers fit equally well.

The printed table stands beside ours in the order of its rates. It is of other releases: what can be compared is how
much Algorithm 1 finds, and how often nothing else finds more (8 of the 9 that are printed).

Without --data the shop is synthetic (400 customers unless you ask for another number; numbers of clusters are scaled
with it).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from rich.table import Table

from icefire import recipe as recipes
from icefire.core.history import History, HistoryCase
from icefire.core.types import Progress
from icefire.recipe import gallery
from icefire.studies import plots, printed, shop
from icefire.studies.intervals import checked_seeds, half_width
from icefire.studies.result import Part, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JACCARD, LINK = "jaccard", "link"
OTHERS = ("containment", "tfidf", "assignment", "random_in_cluster")
"""Attacks that know goods alone; they stand in the place of the participants."""
RELEASES: dict[str, tuple[str, Sequence[Mapping[str, Any]] | str]] = {
    "D1": ("30 % of the rows deleted", [{"method": "delete_purchases", "share": 0.3}]),
    "D2": ("70 % of the rows deleted", [{"method": "delete_purchases", "share": 0.7}]),
    "D3": ("90 % of the rows deleted", [{"method": "delete_purchases", "share": 0.9}]),
    "D4": ("goods of fewer than 10 deleted", [{"method": "suppress_rare_goods", "k": 10}]),
    "D5": ("goods of fewer than 60 deleted", [{"method": "suppress_rare_goods", "k": 60}]),
    "D6": ("goods by their first 3 signs", [{"method": "generalize_goods", "prefix": 3}]),
    "D7": ("dummies, c = 200", [{"method": "dummies", "clustering": "balanced", "clusters": 200}]),
    "D8": ("dummies, c = 100", [{"method": "dummies", "clustering": "balanced", "clusters": 100}]),
    "D9": ("dummies, c = 50", [{"method": "dummies", "clustering": "balanced", "clusters": 50}]),
    "D10": ("recipe shop_strong", "shop_strong"),
}


def parts(
    rows: int | None, seed: int, progress: Progress, data: Path | None = None, seeds: int | None = None
) -> list[Part]:
    """Make the ten releases with every seed, attack each, and compare."""
    history, turns = shop.history(rows, seed, data), checked_seeds(seeds)
    lines = []
    for name, (words, steps) in RELEASES.items():
        for turn in range(turns):
            progress(f"{name}: {words}, seed {turn + 1} of {turns}")
            lines.append({"release": name, "recipe": words, "seed": seed + turn, **rates(history, steps, seed + turn)})
    runs = pl.DataFrame(lines)
    every = Part("runs", "the rate of every attack on every release and seed.", runs)
    return [shop.data_part(history, data), _table4(runs), _printed(), every]


def rates(history: History, steps: Sequence[Mapping[str, Any]] | str, seed: int) -> dict[str, float | None]:
    """Make a release and return what each attack finds; None where it lacks a column."""
    release = recipes.run_recipe(history, recipes.load({"steps": _scaled(history, steps)}, seed))
    case = HistoryCase(history, release.released)
    return {name: shop.attack_rate(case, release.truth, name, seed) for name in (JACCARD, *OTHERS, LINK)}


def _scaled(history: History, steps: Sequence[Mapping[str, Any]] | str) -> list[dict[str, Any]]:
    """Return the steps, with as many clusters as make them as large as in a shop of 400 customers."""
    if isinstance(steps, str):
        steps = _gallery_steps(steps)
    return [
        {**step, "clusters": shop.scaled_clusters(step["clusters"], history.subjects)}
        if "clusters" in step
        else {**step}
        for step in steps
    ]


def _gallery_steps(name: str) -> Sequence[Mapping[str, Any]]:
    path = gallery.place(name)
    assert path is not None
    steps: Sequence[Mapping[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["step"]
    return steps


def table(runs: pl.DataFrame) -> pl.DataFrame:
    """Return one line per release: the Jaccard rate, the best other attack and link, means over the seeds."""
    lines = []
    for (name, words), group in runs.group_by("release", "recipe", maintain_order=True):
        means = {
            attack: float(np.mean(group[attack].to_numpy())) for attack in OTHERS if not group[attack].null_count()
        }
        best = max(means, key=lambda attack: means[attack])
        lines.append(
            {
                "release": name,
                "recipe": words,
                "seeds": group.height,
                **_with_interval(JACCARD, group[JACCARD]),
                "best_other": best,
                **_with_interval("other", group[best]),
                **_with_interval(LINK, group[LINK]),
            }
        )
    return pl.DataFrame(lines, infer_schema_length=None).with_columns(
        unbeaten=pl.col(JACCARD).round(DECIMALS) >= pl.col("other").round(DECIMALS)
    )


DECIMALS = 4
"""As the paper prints its rates."""


def _with_interval(name: str, values: pl.Series) -> dict[str, float | None]:
    rates = values.to_numpy().astype(np.float64)
    return {name: float(rates.mean()), f"{name}_interval": half_width(rates)}


def _table4(runs: pl.DataFrame) -> Part:
    frame = table(runs)
    return Part(
        "table4",
        "the Jaccard attack, the best other attack by goods alone, and link on every release: means and intervals.",
        frame,
        conclusion=_conclusion(frame),
        view=lambda: _view(frame),
        figure=lambda: _draw(frame),
    )


def _printed() -> Part:
    lines = [(name, *values, values[1] >= values[0]) for name, values in printed.P1_TABLE_4.items()]
    return Part(
        "table4_printed",
        "P1's Table 4: the best rate of the participants and that of Algorithm 1 (without D7, of the authors).",
        pl.DataFrame(lines, ["release", "participants", "jaccard", "unbeaten"], orient="row"),
    )


def _conclusion(frame: pl.DataFrame) -> str:
    theirs = [rate for _, rate in printed.P1_TABLE_4.values()]
    return (
        f"Algorithm 1 finds {_span(frame[JACCARD].to_list())} of the customers (printed "
        f"{_span(theirs)}); on {frame['unbeaten'].sum()} of {frame.height} releases nobody "
        f"else who knows goods alone finds more (printed 8 of 9). link, which knows everything, finds "
        f"{_span(frame[LINK].to_list())}."
    )


def _span(rates: Sequence[float]) -> str:
    return f"{min(rates):.1%} to {max(rates):.1%}"


def _view(frame: pl.DataFrame) -> Table:
    rows = [
        [
            line["release"],
            line["recipe"],
            f"{'*' if line['unbeaten'] else ''}{_rate(line, JACCARD)}",
            f"{line['other']:.3f} {line['best_other']}",
            f"{line[LINK]:.3f}",
        ]
        for line in frame.to_dicts()
    ]
    return text_table("Share identified", ["", "release", "Jaccard", "best other", "link"], rows, left=2)


def _rate(line: dict[str, Any], name: str) -> str:
    margin = line[f"{name}_interval"]
    return f"{line[name]:.3f}" + ("" if margin is None else f"±{margin:.3f}")


def _draw(frame: pl.DataFrame) -> Figure:
    """Draw a row of points with intervals for every release."""
    figure = plots.blank(6.6, 0.9 + 0.36 * frame.height)
    axes = figure.add_subplot()
    looks = ((JACCARD, "Jaccard (Algorithm 1)", "o"), ("other", "best other by goods alone", "s"), (LINK, "link", "^"))
    places = np.arange(frame.height)
    for (name, words, marker), colour, shift in zip(looks, plots.COLOURS, (-0.2, 0.0, 0.2), strict=True):
        margins = frame[f"{name}_interval"].fill_null(0).to_numpy()
        axes.errorbar(frame[name], places + shift, xerr=margins, fmt=marker, color=colour, markersize=4, label=words)
    axes.set_yticks(places, [f"{name}  {words}" for name, words in frame.select("release", "recipe").iter_rows()])
    axes.invert_yaxis()
    axes.set(xlabel="share of customers identified", xlim=(-0.02, 1.02))
    axes.set_title("Table 4: ten releases")
    axes.legend(fontsize=8, loc="lower right")
    return figure
