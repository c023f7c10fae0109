"""Checks as Markdown, for the summary of a job or a comment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from icefire.report.pipelines.checks import Checks
from icefire.report.text.notes import safe


def as_markdown(several: Sequence[Checks]) -> str:
    """Write the checks of one or several releases, with a heading for each."""
    return "\n".join(_section(one) for one in several)


def _section(one: Checks) -> str:
    mark = "✅" if one.passed else "❌"
    rows = [f"| {_plain(c.name)} | {'holds' if c.holds else '**broken**'} | {_plain(c.text)} |" for c in one.checks]
    table = ["", "| check | | |", "|---|---|---|", *rows] if rows else []
    words = [f"\n{_plain(line)}" for line in one.lines]
    return "\n".join([f"## {mark} {_plain(one.subject)}: {_plain(one.headline)}", *table, *words, ""])


def _plain(text: str) -> str:
    """Keep text from being taken for Markdown or HTML, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(safe(text).split()))
