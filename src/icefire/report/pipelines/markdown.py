"""Checks as Markdown, for the summary of a job or a comment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from icefire.report.pipelines.checks import Check, Checks
from icefire.report.text.notes import safe
from icefire.words import t


def as_markdown(several: Sequence[Checks]) -> str:
    """Write the checks of one or several releases, with a heading for each."""
    return "\n".join(_section(one) for one in several)


def _section(one: Checks) -> str:
    mark = "✅" if one.passed else "❌"
    rows = [f"| {_plain(c.name)} | {_result(c)} | {_plain(c.text)} |" for c in one.checks]
    table = ["", f"| {t('checks.check')} | | |", "|---|---|---|", *rows] if rows else []
    words = [f"\n{_plain(line)}" for line in one.lines]
    return "\n".join([f"## {mark} {_plain(one.subject)}: {_plain(one.headline)}", *table, *words, ""])


def _result(check: Check) -> str:
    return t("limits.holds") if check.holds else f"**{t('limits.broken')}**"


def _plain(text: str) -> str:
    """Keep text from being taken for Markdown or HTML, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(safe(text).split()))
