"""Is the best release of the contest's final matched? One release is luck, so that several are made and asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from rich.table import Table

from icefire.core.dataset import Dataset
from icefire.core.types import Progress
from icefire.studies import surveylab
from icefire.studies.lab import Steps
from icefire.studies.result import Part, text_table
from icefire.studies.surveylab import MARK_MEAN, MARK_MOST, STRONGEST, VARIANTS

RELEASES = 10


def part(original: Dataset, steps: Steps, limit: float, seed: int, progress: Progress) -> Part:
    """Make releases by the same recipe with one seed after the other, each with draws of its own."""
    lines = []
    for other in range(seed, seed + RELEASES):
        progress(f"ours {limit:g}, seed {other}")
        made = surveylab.release(original, steps, other)
        values = surveylab.utility(original, made)
        held = all(surveylab.within(name, values[name], most) for name, most in surveylab.allowed(limit).items())
        summary = surveylab.summed_up(surveylab.attacked(original, made, limit, other))
        lines.append({"seed": other, "within": held, **reached(summary, held)})
    table = pl.DataFrame(lines)
    return Part(
        "releases",
        f"our recipe at limit {limit:g} with {RELEASES} seeds: highest mean and highest draw of all attacks as they "
        "are, and with the variants.",
        table,
        found=_told(table),
        view=lambda: _view(table),
    )


def reached(summary: pl.DataFrame, held: bool) -> dict[str, Any]:
    """Return the highest mean and draw of all attacks, without and with variants, and whether they meet the mark."""
    every = summary.filter(pl.col("attack") != STRONGEST)
    plain = every.filter(~pl.col("attack").is_in(list(VARIANTS)))
    found: dict[str, Any] = {}
    for name, some in (("plain", plain), ("all", every)):
        mean, largest = (float(some[column].to_numpy().max()) for column in ("mean", "largest"))
        met = held and mean <= MARK_MEAN and largest <= MARK_MOST
        found |= {f"{name}_mean": mean, f"{name}_largest": largest, f"{name}_met": met}
    return found


def _told(table: pl.DataFrame) -> str:
    """Say how many releases meet the mark, and which."""
    return (
        f"The mark of the final is a mean of {MARK_MEAN} and no draw above {MARK_MOST}. Of {table.height} releases of "
        f"ours {table['within'].sum()} are within all limits of utility. "
        f"All attacks as they are: {_met(table, 'plain')}. With the variants too: {_met(table, 'all')}. "
        "One more member found in a draw of 50 raises its danger by about 0.011, so that whether all ten draws stay "
        "below the mark is partly luck."
    )


def _met(table: pl.DataFrame, name: str) -> str:
    means = table[f"{name}_mean"].to_numpy()
    met = table.filter(f"{name}_met")
    said = f"{met.height} meet it ({_seeds(met)}), {(means <= MARK_MEAN).sum()} its mean"
    return f"{said}; over all releases the mean is {means.mean():.3f}"


def _seeds(table: pl.DataFrame) -> str:
    return f"seeds {', '.join(map(str, table['seed']))}" if table.height else "none"


def _view(table: pl.DataFrame) -> Table:
    rows = [
        [str(line["seed"]), _yes(line["within"]), *_cells(line, "plain"), *_cells(line, "all")]
        for line in table.to_dicts()
    ]
    head = ["seed", "within", "mean", "largest", "met", "all: mean", "largest", "met"]
    return text_table("Ours with other seeds: attacks as they are, and all with variants", head, rows)


def _cells(line: Mapping[str, Any], name: str) -> list[str]:
    return [f"{line[f'{name}_mean']:.3f}", f"{line[f'{name}_largest']:.3f}", _yes(line[f"{name}_met"])]


def _yes(said: bool) -> str:
    return "yes" if said else "no"
