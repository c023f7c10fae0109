"""The report as one HTML page: no script, no request, readable on screen in light and dark and on paper."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from icefire.core import formatting
from icefire.core.scorecard import Scorecard
from icefire.io.files import whole_file
from icefire.report import beside, charts, glossary, history_words, membership_words, risk_words, words


def render(card: Scorecard) -> str:
    """Draw a scorecard as a self-contained page."""
    return (
        _environment()
        .get_template("report.html")
        .render(
            card=card,
            attacks=words.ranked(card),
            explained={sort: glossary.definitions(card, sort) for sort in ("attack", "measure")},
        )
    )


def write(card: Scorecard, path: str | Path) -> None:
    """Write the page; the file appears whole or not at all."""
    page = render(card)
    with whole_file(path) as draft:
        # A file name may hold bytes that are no text; they become question marks.
        draft.write_text(page, encoding="utf-8", errors="replace")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("icefire.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        words=words,
        risk_words=risk_words,
        history_words=history_words,
        membership_words=membership_words,
        beside=beside,
        charts=charts,
        glossary=glossary,
    )
    made.filters.update(
        percent=lambda share: _typeset(formatting.percent(share)),
        short_interval=lambda ends: _typeset(formatting.short_interval(ends)),
        points=lambda gain: _typeset(formatting.points(gain)),
        number=formatting.number,
        count=formatting.count,
        seconds=formatting.seconds,
        sizes=lambda group: formatting.size_range(group.low, group.high),
        plain=formatting.plain,
        prose=glossary.prose,
        coded=glossary.coded,
        typeset=_typeset,
    )
    return made


def _typeset(text: str) -> str:
    """Keep a number and its per cent sign on one line, and give it a true minus."""
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") else text
