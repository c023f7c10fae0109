"""Several releases side by side as one HTML page, with a picture of risk against loss."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from icefire.core.formatting import percent
from icefire.core.scorecard.compared import ComparedReleases
from icefire.io.writing import output_file
from icefire.report.html import environment
from icefire.report.html.scatter import Dot, ends, trade_off
from icefire.report.sentences import compare
from icefire.words import t
from icefire.words.languages import current_language

ROOM = 1.15
"""The picture is so many times as wide as the largest loss."""


def render_compared(releases: ComparedReleases) -> str:
    """Draw the releases as a self-contained page."""
    picture, axis = _picture(releases)
    template = environment().get_template("compare.html")
    return template.render(
        releases=releases, sentences=compare, picture=picture, axis=axis, t=t, language=current_language()
    )


def write_compared(releases: ComparedReleases, path: str | Path, force: bool = False) -> None:
    """Write the page; the file appears whole or not at all."""
    page = render_compared(releases)
    with output_file(path, force) as draft:
        draft.write_text(page, encoding="utf-8", errors="replace")


def _picture(releases: ComparedReleases) -> tuple[Markup, Markup]:
    rows = [row for row in releases.releases if row.risk is not None and row.loss is not None]
    if not rows:
        return Markup(""), Markup("")
    widest = min(1.0, max((row.loss or 0.0 for row in rows), default=0.0) * ROOM) or 1.0
    dots = [Dot(row.name, (row.loss or 0.0) / widest, row.risk or 0.0, "ice" if row.passed else "fire") for row in rows]
    limits = {row.limit for row in rows}
    limit = limits.pop() if len(limits) == 1 else None
    words = "; ".join(f"{row.name}: {compare.share(row.risk)}, {compare.share(row.loss)}" for row in rows)
    axis = ends(t("compare.scale_start"), t("compare.scale_end", share=percent(widest)))
    return trade_off(t("pictures.releases"), words, dots, limit), axis
