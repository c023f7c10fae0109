"""The report as one HTML page: no script, no request, readable on screen in light and dark and on paper."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined

from icefire.core import formatting
from icefire.core.errors import ParameterError
from icefire.core.scorecard import Scorecard
from icefire.io.writing import output_file
from icefire.report.html import attacker_curve, bars, curves, distributions, glossary, heat, history_curves, scatter
from icefire.report.html.stacked_tables import labelled
from icefire.report.html.translated import TranslatedTemplates
from icefire.report.sentences import (
    attackers,
    attacks,
    correspondence,
    criteria,
    hidden_values,
    histories,
    limits,
    linking,
    measures,
    membership,
    next_steps,
    people,
    points,
    replay,
    risk_table,
    risks,
    roles,
    surveys,
    synthetic,
    usefulness,
    verdict,
)
from icefire.words import said, said_text, t_markup
from icefire.words.languages import DEFAULT, current_language

SENTENCES = {
    "attackers": attackers,
    "attacks": attacks,
    "correspondence": correspondence,
    "criteria": criteria,
    "hidden_values": hidden_values,
    "histories": histories,
    "limits": limits,
    "linking": linking,
    "measures": measures,
    "membership": membership,
    "next_steps": next_steps,
    "people": people,
    "points": points,
    "replay": replay,
    "risks": risks,
    "roles": roles,
    "surveys": surveys,
    "synthetic": synthetic,
    "usefulness": usefulness,
    "verdict": verdict,
}
"""The modules of sentences, as the templates call them: sentences.limits.status(…)."""


def render(card: Scorecard) -> str:
    """Draw a scorecard as a self-contained page."""
    return (
        environment()
        .get_template("report.html")
        .render(
            card=card,
            attacks=attacks.ranked(card),
            explained={sort: glossary.definitions(card, sort) for sort in ("attack", "measure")},
        )
    )


class HasScorecard(Protocol):
    """An audit."""

    scorecard: Scorecard


def write_report(card: Scorecard | HasScorecard, path: str | Path, force: bool = False) -> None:
    """Write the report as one HTML page; the file appears whole or not at all.

    Args:
        card: An audit, or its scorecard.
        path: File to write.
        force: Replace a report that exists; a file that icefire did not write is never replaced.

    Raises:
        ParameterError: If something else than an audit is given.
        OutputError: If the file exists and `force` is not given, or cannot be written.
    """
    known = getattr(card, "scorecard", card)
    if not isinstance(known, Scorecard):
        raise ParameterError(f"write_report got a {type(card).__name__}; give an audit, or its scorecard")
    page = render(known)
    with output_file(path, force) as draft:
        # A file name may hold bytes that are no text; they become question marks.
        draft.write_text(page, encoding="utf-8", errors="replace")


def environment() -> Environment:
    """Return the templates in the language in use, with the sentences and pictures they use."""
    return _environment(current_language())


@cache
def _environment(language: str) -> Environment:
    """Return the environment of one language; templates are translated when they are loaded."""
    environment = Environment(
        extensions=[] if language == DEFAULT else [TranslatedTemplates],
        finalize=None if language == DEFAULT else _spoken,
        loader=PackageLoader("icefire.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,  # a fifth of the time of reading the templates, and nothing of the time of drawing
        auto_reload=False,
    )
    environment.globals.update(
        language=language,
        t=t_markup,
        said=said,
        sentences=SENTENCES,
        risk_rows=risk_table.risk_rows,
        bars=bars,
        attacker_curve=attacker_curve.attacker_curve,
        curves=curves,
        distributions=distributions,
        heat=heat,
        scatter=scatter,
        column_dots=scatter.column_dots,
        history_curves=history_curves,
        glossary=glossary,
    )
    environment.filters.update(
        percent=lambda share: _typeset(formatting.percent(share)),
        short_interval=lambda ends: _typeset(formatting.short_interval(ends)),
        points=lambda gain: _typeset(formatting.points(gain)),
        bits=formatting.bits,
        number_interval=formatting.number_interval,
        number=formatting.number,
        count=formatting.count,
        seconds=formatting.seconds,
        sizes=lambda group: formatting.size_range(group.low, group.high),
        plain=formatting.plain,
        prose=glossary.prose,
        coded=lambda text: glossary.coded(said_text(text)),
        typeset=lambda text: _typeset(said_text(text)),
        labelled=labelled,
    )
    return environment


def _spoken(value: object) -> object:
    """Translate a sentence; markup is left as it is."""
    return said_text(value) if type(value) is str else value


def _typeset(text: str) -> str:
    """Keep a number and its per cent sign on one line, and give it a true minus."""
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") else text
