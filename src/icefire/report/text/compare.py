"""Several releases in the terminal: one table that fits 80 columns, and which release to take."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from icefire.core.formatting import count
from icefire.core.scorecard.compared import ComparedReleases
from icefire.report.sentences import compare
from icefire.report.text.notes import safe
from icefire.report.text.tables import TextColumn, table
from icefire.words import t


def show(releases: ComparedReleases, console: Console) -> None:
    """Print the releases and what follows from them."""
    rows = releases.releases
    columns = [
        TextColumn(compare.heading("release"), [row.name for row in rows], 0, left=True),
        TextColumn(compare.heading("verdict"), [compare.state(row) for row in rows], 0, left=True),
        TextColumn(compare.heading("identified"), [compare.share(row.risk) for row in rows], 0),
        TextColumn(compare.heading("limit"), [compare.share(row.limit) for row in rows], 3),
        TextColumn(compare.heading("attack"), [row.worst_attack for row in rows], 2, left=True),
        TextColumn(compare.heading("k"), [compare.size(row.k) for row in rows], 1),
        TextColumn(compare.heading("lost"), [compare.share(row.loss) for row in rows], 0),
        TextColumn(compare.heading("rows"), [count(row.rows) for row in rows], 4),
    ]
    kept = [column for column in columns if any(column.cells)]
    title = safe(compare.title(releases))
    console.print(table(title, kept, console.width), highlight=False)
    console.print()
    for sentence in compare.conclusion(releases):
        console.print(Text(safe(sentence), style="bold", overflow="fold"), highlight=False)
    console.print(Text(safe(t("compare.meaning")), overflow="fold"), highlight=False)
