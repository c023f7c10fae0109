"""P0 Figures 1 to 4: how the rate and the time of EUC1 depend on the number of attributes it uses.

The sample `households` (8,333 rows unless you ask for another number) is released with noise on every sensitive
attribute, half its standard deviation, so that no attribute alone decides. EUC1 attacks with 1, 2, … quasi-
identifiers and all sensitive attributes (Figures 1 and 2, |q|), then with 1, 2, … sensitive attributes and the first
three quasi-identifiers (Figures 3 and 4, |s|). Attributes join in the order of the table, and in six random orders
drawn with the seed; of these the mean, the lowest and the highest are shown, because which attributes come first
matters as much as how many there are.

A time is that of the whole attack on this machine, index included: the shorter of two runs, after the compiled
kernels were warmed up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl
from rich.table import Table

from icefire.audit import judge, steps
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.release import Case, Release
from icefire.core.types import Progress
from icefire.studies import household_plots, households
from icefire.studies.household_plots import Panel, Series
from icefire.studies.result import Part, text_table

NOISE: households.RecipeSteps = [{"method": "noise", "scale": 0.5}]
FIXED_QI = 3
ORDERS = 6
REPEATS = 2
LISTED = 0
"""Number of the order in which the table lists its columns; random orders are 1, 2, …"""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Which attributes are varied, which stay."""

    name: str
    varied: Sequence[str]
    fixed: Sequence[str]

    def columns(self, chosen: Sequence[str]) -> dict[str, Sequence[str]]:
        """Return the parameters of EUC1 when these of the varied attributes are used."""
        return {"qi": chosen, "sa": self.fixed} if self.name == "|q|" else {"qi": self.fixed, "sa": chosen}


def parts(rows: int | None, seed: int, progress: Progress) -> list[Part]:
    """Attack one noisy release again and again, with more and more attributes."""
    original = households.survey(rows, seed)
    release = households.make_release(original, NOISE, seed)
    sweeps = [Sweep("|q|", original.qi, original.sa), Sweep("|s|", original.sa, original.qi[:FIXED_QI])]
    progress("warming up")
    for sweep in sweeps:
        euc1(original, release, sweep.columns(sweep.varied[:1]), seed)
    lines = [line for sweep in sweeps for line in _swept(original, release, sweep, seed, progress)]
    results = pl.DataFrame(lines, ["varied", "count", "order", "rate", "seconds"], orient="row")
    return [_rates(results), _seconds(results)]


def euc1(
    original: Dataset, release: Release[Dataset], columns: dict[str, Sequence[str]], seed: int
) -> tuple[float, float]:
    """Attack with some columns only; returns the rate and the seconds. Nothing is remembered between calls."""
    entry = registry.get("attack", "euc1")
    case = Case(original, release.released)
    guess, seconds = steps.attack_case(case, entry, entry.bind(columns), seed)
    return judge.score(release.truth, guess).rate, seconds


AttributeLine = tuple[str, int, int, float, float]


def _swept(
    original: Dataset, release: Release[Dataset], sweep: Sweep, seed: int, progress: Progress
) -> Iterator[AttributeLine]:
    """Attack with growing prefixes of every order."""
    for number, order in enumerate(orders(sweep.varied, seed)):
        progress(f"{sweep.name}, {'table order' if number == LISTED else f'random order {number} of {ORDERS}'}")
        for count in range(1, len(order) + 1):
            columns = sweep.columns(order[:count])
            runs = [euc1(original, release, columns, seed) for _ in range(REPEATS)]
            yield sweep.name, count, number, runs[0][0], min(seconds for _, seconds in runs)


def orders(names: Sequence[str], seed: int) -> list[list[str]]:
    """Return the order given and then random ones."""
    rng = seeds.generator(seed, "study", "orders", *names)
    return [list(names), *(rng.permutation(names).tolist() for _ in range(ORDERS))]


def summary(results: pl.DataFrame, value: str) -> pl.DataFrame:
    """Return, per number of attributes, the value in table order and its mean and range over the random orders."""
    drawn = pl.col(value).filter(pl.col("order") != LISTED)
    return results.group_by("varied", "count", maintain_order=True).agg(
        pl.col(value).filter(order=LISTED).first().alias("table_order"),
        drawn.mean().alias("random_mean"),
        drawn.min().alias("random_low"),
        drawn.max().alias("random_high"),
    )


def _rates(results: pl.DataFrame) -> Part:
    rates = summary(results, "rate")
    return Part(
        "rates",
        "the rate of EUC1 by number of attributes: in table order; mean, lowest and highest of the random orders.",
        rates,
        conclusion=" ".join(
            _conclusion(rates, name, what) for name, what in (("|q|", "quasi-identifiers"), ("|s|", "SAs"))
        ),
        view=lambda: _view(results),
        figure=lambda: household_plots.curves(
            _panels(rates, "rate", "re-identification rate", ("Figure 2", "Figure 4"), 1.0)
        ),
    )


def _seconds(results: pl.DataFrame) -> Part:
    seconds = summary(results, "seconds")
    return Part(
        "seconds",
        "the seconds EUC1 takes by number of attributes: in table order; mean, lowest and highest of random orders.",
        seconds,
        figure=lambda: household_plots.curves(_panels(seconds, "time", "seconds", ("Figure 1", "Figure 3"))),
        timed=True,
    )


def _conclusion(rates: pl.DataFrame, name: str, what: str) -> str:
    curve = rates.filter(varied=name)["table_order"]
    return f"With 1 to {len(curve)} {what} the rate goes from {curve[0]:.3f} to {curve[-1]:.3f}."


def _panels(
    table: pl.DataFrame, what: str, unit: str, titles: tuple[str, str], top: float | None = None
) -> list[Panel]:
    axes = ("|q|", "quasi-identifiers used, |q|"), ("|s|", "sensitive attributes used, |s|")
    return [
        Panel(f"{title}: {what} by {name}", x, unit, _series(table.filter(varied=name)), top)
        for title, (name, x) in zip(titles, axes, strict=True)
    ]


def _series(part: pl.DataFrame) -> list[Series]:
    columns = part.to_dict(as_series=False)
    drawn = Series(
        f"{ORDERS} random orders: mean, range", columns["random_mean"], columns["random_low"], columns["random_high"]
    )
    return [Series("order of the table", columns["table_order"]), drawn]


def _view(results: pl.DataFrame) -> Table:
    """Show rates and milliseconds of both sweeps side by side."""
    shown = {}
    for name in ("|q|", "|s|"):
        rate, time = (summary(results.filter(varied=name), value) for value in ("rate", "seconds"))
        shown[name] = [
            [f"{r['table_order']:.3f}", f"{r['random_mean']:.3f}", f"{1000 * t['table_order']:,.0f}"]
            for r, t in zip(rate.to_dicts(), time.to_dicts(), strict=True)
        ]
    longest = max(len(lines) for lines in shown.values())
    rows = [
        [str(i + 1), *(cell for lines in shown.values() for cell in (lines[i] if i < len(lines) else [""] * 3))]
        for i in range(longest)
    ]
    head = [f"{name} {what}" for name in shown for what in ("rate", "random", "ms")]
    return text_table("EUC1 by number of attributes", ["", *head], rows)
