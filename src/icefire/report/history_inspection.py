"""One history's own numbers in the terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.text import Text

from icefire.audit.history_statistics import Resemblance, Spread, Statistics
from icefire.audit.inspect_histories import HistoryInspection
from icefire.core import formatting
from icefire.report.columns import Column, safe, table

BINS = ((0.0, 0.01), (0.01, 0.02), (0.02, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.5), (0.5, 1.01))
BAR = 30


def show(found: HistoryInspection, console: Console) -> None:
    """Print sizes, spreads, how alike people are, and who looks like whom."""
    told = found.statistics
    console.print(Text(safe(found.provenance.table.name), style="bold"))
    console.print(Group(*(_note(title, text) for title, text in _sizes(told).items())), highlight=False)
    console.print()
    for title, columns in (_spreads(told), _jaccard(told.jaccard), _groups(found)):
        console.print(table(title, columns, console.width), highlight=False)
        console.print()
    console.print(Group(*(_note(title, text) for title, text in _likeness(told).items())), highlight=False)


def _sizes(told: Statistics) -> dict[str, str]:
    lines = {
        "Customers": formatting.count(told.customers)
        + (f", {formatting.count(told.without_rows)} without rows" if told.without_rows else ""),
        "Rows": formatting.count(told.rows)
        + (f", and {formatting.count(told.dropped)} left out that could not be used" if told.dropped else ""),
        "Goods": formatting.count(told.goods),
    }
    if told.receipts is not None:
        lines["Receipts"] = formatting.count(told.receipts)
    if told.first_date is not None:
        lines["Dates"] = f"{told.first_date} to {told.last_date}"
    return lines


def _spreads(told: Statistics) -> tuple[str, list[Column]]:
    named: dict[str, Spread | None] = {
        "goods per customer": told.goods_per_customer,
        "rows per customer": told.rows_per_customer,
        "receipts per customer": told.receipts_per_customer,
        "customers per good": told.buyers_per_good,
        "price": told.price,
        "number": told.number,
    }
    present = {name: spread for name, spread in named.items() if spread is not None}
    values = list(present.values())
    return "Spread", [
        Column("of", list(present), 0, left=True),
        Column("least", [formatting.number(spread.min) for spread in values], 1),
        Column("median", [formatting.number(spread.median) for spread in values], 0),
        Column("mean", [formatting.number(spread.mean) for spread in values], 0),
        Column("most", [formatting.number(spread.max) for spread in values], 0),
    ]


def _jaccard(alike: Resemblance) -> tuple[str, list[Column]]:
    """The distribution of the Jaccard coefficient, with a bar for the eye."""
    steps = len(alike.histogram)
    counts = []
    for low, high in BINS:
        inside = range(round(low * steps), min(steps, round(high * steps)))
        counts.append(sum(alike.histogram[step] for step in inside))
    total = max(sum(counts), 1)
    title = "Pairs of customers by the Jaccard coefficient of their goods"
    return title + (" (a sample of pairs)" if alike.sampled else ""), [
        Column("coefficient", [f"{low:g} to {min(high, 1.0):g}" for low, high in BINS], 0, left=True),
        Column("pairs", [formatting.count(count) for count in counts], 0),
        Column("share", [formatting.percent(count / total) for count in counts], 1),
        Column("", ["█" * round(BAR * count / total) for count in counts], 2, left=True),
    ]


def _groups(found: HistoryInspection) -> tuple[str, list[Column]]:
    bins = [group for group in found.groups if group.groups]
    total = max(found.statistics.customers, 1)
    return "Customers by how many share their set of goods", [
        Column("group size", [formatting.size_range(group.low, group.high) for group in bins], 0, left=True),
        Column("groups", [formatting.count(group.groups) for group in bins], 0),
        Column("customers", [formatting.count(group.subjects) for group in bins], 0),
        Column("share", [formatting.percent(group.subjects / total) for group in bins], 1),
    ]


def _likeness(told: Statistics) -> dict[str, str]:
    alike = told.jaccard
    return {
        "Mean Jaccard coefficient": f"{alike.mean:.4f}, largest {alike.max:.3f}",
        "Goods two customers share": f"{alike.shared:.3g} on average; h = 2bμ/(1+μ) estimates {told.shared_goods:.4g}",
    }


def _note(title: str, text: str) -> Text:
    return Text.assemble((f"{safe(title)}: ", "bold"), safe(text), overflow="fold")
