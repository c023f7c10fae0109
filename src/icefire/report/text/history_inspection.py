"""The statistics of one history."""

from __future__ import annotations

from rich.console import Console, Group
from rich.text import Text

from icefire.audit.inspection.histories import HistoryInspection
from icefire.audit.inspection.history_statistics import Resemblance, Spread, Statistics
from icefire.core.formatting import count, number, percent, size_range
from icefire.report.sentences import points
from icefire.report.text.notes import notes, safe
from icefire.report.text.tables import TextColumn, table
from icefire.words import said

BINS = ((0.0, 0.01), (0.01, 0.02), (0.02, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.5), (0.5, 1.01))
BAR = 30


def show(inspection: HistoryInspection, console: Console) -> None:
    """Print sizes, spreads, how alike people are, and who looks like whom."""
    statistics = inspection.statistics
    console.print(Text(safe(inspection.provenance.table.name), style="bold"))
    console.print(Group(*notes(_sizes(statistics))), highlight=False)
    console.print()
    for title, columns in (_spreads(statistics), _jaccard(statistics.jaccard), _groups(inspection)):
        console.print(table(title, columns, console.width), highlight=False)
        console.print()
    lines = _resemblance(statistics)
    if inspection.points is not None and inspection.risk is not None:
        lines |= points.inspected(inspection.points, inspection.risk)
    console.print(Group(*notes(lines)), highlight=False)


def _sizes(statistics: Statistics) -> dict[str, str]:
    lines = {
        "Customers": count(statistics.customers)
        + (f", {count(statistics.without_rows)} without rows" if statistics.without_rows else ""),
        "Rows": count(statistics.rows)
        + (f", and {count(statistics.dropped)} left out that could not be used" if statistics.dropped else ""),
        "Goods": count(statistics.goods),
    }
    if statistics.receipts is not None:
        lines["Receipts"] = count(statistics.receipts)
    if statistics.first_date is not None:
        lines["Dates"] = f"{statistics.first_date} to {statistics.last_date}"
    return lines


def _spreads(statistics: Statistics) -> tuple[str, list[TextColumn]]:
    named: dict[str, Spread | None] = {
        "goods per customer": statistics.goods_per_customer,
        "rows per customer": statistics.rows_per_customer,
        "receipts per customer": statistics.receipts_per_customer,
        "customers per good": statistics.buyers_per_good,
        "price": statistics.price,
        "number": statistics.number,
    }
    present = {name: spread for name, spread in named.items() if spread is not None}
    values = list(present.values())
    return "Spread", [
        TextColumn("of", [said(name) for name in present], 0, left=True),
        TextColumn("least", [number(spread.min) for spread in values], 1),
        TextColumn("median", [number(spread.median) for spread in values], 0),
        TextColumn("mean", [number(spread.mean) for spread in values], 0),
        TextColumn("most", [number(spread.max) for spread in values], 0),
    ]


def _jaccard(alike: Resemblance) -> tuple[str, list[TextColumn]]:
    """The distribution of the Jaccard coefficient, with a bar for the eye."""
    steps = len(alike.histogram)
    counts = []
    for low, high in BINS:
        inside = range(round(low * steps), min(steps, round(high * steps)))
        counts.append(sum(alike.histogram[step] for step in inside))
    total = max(sum(counts), 1)
    title = "Pairs of customers by the Jaccard coefficient of their goods"
    return title + (" (a sample of pairs)" if alike.sampled else ""), [
        TextColumn("coefficient", [f"{low:g} to {min(high, 1.0):g}" for low, high in BINS], 0, left=True),
        TextColumn("pairs", [count(pairs) for pairs in counts], 0),
        TextColumn("share", [percent(pairs / total) for pairs in counts], 1),
        TextColumn("", ["█" * round(BAR * pairs / total) for pairs in counts], 2, left=True),
    ]


def _groups(inspection: HistoryInspection) -> tuple[str, list[TextColumn]]:
    bins = [group for group in inspection.groups if group.groups]
    total = max(inspection.statistics.customers, 1)
    return "Customers by how many share their set of goods", [
        TextColumn("group size", [size_range(group.low, group.high) for group in bins], 0, left=True),
        TextColumn("groups", [count(group.groups) for group in bins], 0),
        TextColumn("customers", [count(group.subjects) for group in bins], 0),
        TextColumn("share", [percent(group.subjects / total) for group in bins], 1),
    ]


def _resemblance(statistics: Statistics) -> dict[str, str]:
    alike = statistics.jaccard
    estimate = f"h = 2bμ/(1+μ) estimates {statistics.shared_goods:.4g}"
    return {
        "Mean Jaccard coefficient": f"{alike.mean:.4f}, largest {alike.max:.3f}",
        "Goods two customers share": f"{alike.shared:.3g} on average; {estimate}",
    }
