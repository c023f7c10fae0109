"""P1 Table 5: altering, deleting and adding rows, compared at equal rates.

The paper names pros and cons of the three ways to change a history; here they are measured. At each rate r the number
of rows that are changed is r times the number of rows of the history:

- altering: so many rows get the good of another row, drawn at random (m' = m).
- deleting: so many rows are left out at random; everybody keeps one (m' < m).
- adding: so many rows are added, each a random customer's receipt with the good, number and price of another row
  (m' > m).
- adding in clusters: Algorithm 2 with balanced clusters. Its rate follows from the number of clusters and is larger
  than those of the others; it stands at the end.

What the columns say: `kept` is the share of the rows of the original that are still there, `false` the share of the
released rows that are not true, `alone` the share of customers who share their set of goods with nobody (k-anonymity
of sets is reached where it is 0), `jaccard` what Algorithm 1 finds, `containment` what an attacker finds who expects
added rows. U1, U2 and U3 are the contest's losses; none looks at the goods, so altered goods cost nothing there.

±: half the width of the 95 % interval of the mean over the seeds (`--seeds`, three unless you ask for others).

Without --data the shop is synthetic (400 customers unless you ask for another number; c is scaled with it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from rich.table import Table

from icefire.core import seeds as draws
from icefire.core.history import History, HistoryCase
from icefire.core.history.publishing import shuffled
from icefire.core.release import Truth
from icefire.core.types import Progress
from icefire.methods.histories.delete_purchases import delete_purchases
from icefire.methods.histories.dummies import dummies
from icefire.studies import plots, shop
from icefire.studies.intervals import checked_seeds, half_width
from icefire.studies.result import Part, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
CLUSTERS = (200, 100, 50)
ATTACKS = ("jaccard", "containment")
FIGURES = ("kept", "false", "alone", *ATTACKS, *shop.UTILITIES)
IN_CLUSTERS = "adding in clusters"

Change = Callable[[History, float, np.random.Generator], History]


def altered(history: History, rate: float, rng: np.random.Generator) -> History:
    """Give a share of the rows the good of another row; it may by chance be the same."""
    changed = rng.permutation(history.height)[: round(rate * history.height)]
    source = np.arange(history.height)
    source[changed] = rng.integers(0, history.height, len(changed))
    item = history.fields.item
    return history.with_frame(history.frame.with_columns(history.frame[item][source].alias(item)))


def deleted(history: History, rate: float, rng: np.random.Generator) -> History:
    """Leave out a share of the rows at random; everybody keeps one."""
    return delete_purchases(history, rng=rng, share=rate)


def added(history: History, rate: float, rng: np.random.Generator) -> History:
    """Add rows at random: a receipt that is there, and the good, number and price of another row."""
    count = round(rate * history.height)
    receipts, goods = (history.frame[rng.integers(0, history.height, count)] for _ in range(2))
    bought = [name for key in ("item", "number", "price") if (name := history.fields.present.get(key))]
    return history.with_frame(pl.concat([history.frame, receipts.with_columns(goods.select(bought))]))


CHANGES: dict[str, Change] = {"altering": altered, "deleting": deleted, "adding": added}


def parts(
    rows: int | None, seed: int, progress: Progress, data: Path | None = None, seeds: int | None = None
) -> list[Part]:
    """Change the history in every way at every rate, and measure what is left and what is found."""
    history, turns = shop.history(rows, seed, data), checked_seeds(seeds)
    runs = pl.DataFrame(list(_runs(history, seed, turns, progress)))
    every = Part("runs", "the same for every single seed.", runs)
    return [shop.data_part(history, data), _table5(runs), every]


def _runs(history: History, seed: int, turns: int, progress: Progress) -> Iterator[dict[str, Any]]:
    for way, change in CHANGES.items():
        for rate in RATES:
            progress(f"{way}: rate {rate:g}")
            for turn in range(turns):
                rng = draws.generator(seed + turn, "study", way, str(rate))
                yield {"way": way, "c": None, "seed": seed + turn, **figures(history, change(history, rate, rng), rng)}
    for clusters in (shop.scaled_clusters(count, history.subjects) for count in CLUSTERS):
        progress(f"{IN_CLUSTERS}: c = {clusters}")
        for turn in range(turns):
            rng = draws.generator(seed + turn, "study", IN_CLUSTERS, str(clusters))
            changed = dummies(history, rng=rng, clustering="balanced", clusters=clusters)
            yield {"way": IN_CLUSTERS, "c": clusters, "seed": seed + turn, **figures(history, changed, rng)}


def figures(history: History, changed: History, rng: np.random.Generator) -> dict[str, float | None]:
    """Return the rate of changed rows, what is true, who is alone, what attacks find, and the losses."""
    released, order = shuffled(changed, rng)
    case, truth = HistoryCase(history, released), Truth(order)
    true_rows = _rows_in_common(history.frame, changed.frame)
    losses = shop.utilities(case, truth)
    return {
        "rate": max(history.height, changed.height) / history.height - true_rows / history.height,
        "rows": float(changed.height),
        "kept": true_rows / history.height,
        "false": 1 - true_rows / changed.height,
        "alone": alone(released),
        **{name: shop.attack_rate(case, truth, name, 0) for name in ATTACKS},
        **losses,
    }


def _rows_in_common(original: pl.DataFrame, changed: pl.DataFrame) -> int:
    """Count the rows that are in both, each as often as in the one that has it less often."""
    counts = [frame.group_by(original.columns).len() for frame in (original, changed)]
    both = counts[0].join(counts[1], on=original.columns, nulls_equal=True, suffix="_changed")
    return int(both.select(pl.min_horizontal("len", "len_changed")).sum().item())


def alone(history: History) -> float:
    """Return the share of customers whose set of goods nobody else has."""
    sets = pl.DataFrame({"who": history.codes, "what": history.items}).unique().sort("who", "what")
    texts = sets.group_by("who").agg(pl.col("what").cast(pl.String).str.join(" "))
    return texts.group_by("what").len().filter(pl.col("len") == 1).height / history.subjects


def table(runs: pl.DataFrame) -> pl.DataFrame:
    """Return means and intervals over the seeds."""
    keyed = runs.with_columns(order=pl.int_range(pl.len()) // runs["seed"].n_unique())
    lines = []
    for _, group in keyed.group_by("order", maintain_order=True):
        line: dict[str, Any] = {"way": group["way"][0], "c": group["c"][0], "seeds": group.height}
        line |= {"rate": group["rate"].mean(), "rows": group["rows"].mean()}
        for name in FIGURES:
            values = group[name].to_numpy().astype(np.float64)
            line |= {name: float(values.mean()), f"{name}_interval": half_width(values)}
        lines.append(line)
    return pl.DataFrame(lines, infer_schema_length=None)


def _table5(runs: pl.DataFrame) -> Part:
    frame = table(runs)
    return Part(
        "table5",
        "what is left, what is false, who is alone, what is found and what is lost, by way and rate: means and "
        "intervals over the seeds.",
        frame,
        conclusion=_conclusion(frame),
        view=lambda: _view(frame),
        figure=lambda: _draw(frame),
    )


def _conclusion(frame: pl.DataFrame) -> str:
    """Say what Algorithm 1 still finds at the largest rate of each way, and in clusters."""
    ends = [frame.filter(way=way).row(-1, named=True) for way in CHANGES]
    listed = "; ".join(
        f"{line['way']} {line['rate']:.0%} of the rows: {line['jaccard']:.1%} found, {line['alone']:.0%} alone"
        for line in ends
    )
    grouped = frame.filter(way=IN_CLUSTERS).row(-1, named=True)
    return (
        f"{listed}. Added in {grouped['c']} clusters ({grouped['rate']:.0%} of the rows): "
        f"{grouped['jaccard']:.1%} found, {grouped['alone']:.0%} alone. By construction added rows keep everything "
        "that was true, and deleted rows add nothing that is false."
    )


def _view(frame: pl.DataFrame) -> Table:
    rows = [
        [
            line["way"] if line["c"] is None else f"in {line['c']} clusters",
            f"{line['rate']:.0%}",
            *(f"{line[name]:.0%}" for name in ("kept", "false", "alone")),
            _rate(line, "jaccard"),
            f"{line['containment']:.3f}",
            *(f"{line[name]:.2f}" for name in ("U1", "U3")),
        ]
        for line in frame.to_dicts()
    ]
    head = ["", "rate", "kept", "false", "alone", "Jaccard", "contain.", "U1", "U3"]
    return text_table("Three ways to change rows", head, rows)


def _rate(line: dict[str, Any], name: str) -> str:
    margin = line[f"{name}_interval"]
    return f"{line[name]:.3f}" + ("" if margin is None else f"±{margin:.3f}")


def _draw(frame: pl.DataFrame) -> Figure:
    """Draw what Algorithm 1 finds, what is false and U3 against the rate; clusters have a colour of their own."""
    figure = plots.blank(10.6, 3.2)
    panels = (
        ("jaccard", "share found by Algorithm 1"),
        ("false", "share of released rows that are false"),
        ("U3", "U3"),
    )
    for place, (name, words) in enumerate(panels, 1):
        axes = figure.add_subplot(1, 3, place)
        for way, colour, marker in zip([*CHANGES, IN_CLUSTERS], (*plots.COLOURS, plots.PURPLE), "os^D", strict=True):
            part = frame.filter(way=way)
            margins = part[f"{name}_interval"].fill_null(0).to_numpy()
            axes.errorbar(part["rate"], part[name], yerr=margins, marker=marker, markersize=4, color=colour, label=way)
        axes.set(xlabel="rows changed / rows", title=words, ylim=(0, None))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.legend(fontsize=7)
    return figure
