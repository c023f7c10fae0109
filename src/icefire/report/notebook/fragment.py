"""The parts of what a notebook shows of a result, and their HTML: one element with styles of its own.

Text takes the colour of the notebook and lines are drawn in it, so that a fragment is readable in light and dark
themes without knowing which one is used. Nothing is requested and no script runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias

from markupsafe import Markup

from icefire.words import said, said_text, t

STYLE = """
.icefire-fragment{font:13px/1.5 system-ui,sans-serif;max-width:60rem;color:inherit}
.icefire-fragment p,.icefire-fragment ul{margin:.3em 0;padding:0}
.icefire-fragment ul{padding-left:1.2em;list-style:disc}
.icefire-fragment .title{font-size:15px;font-weight:600}
.icefire-fragment .state{display:inline-block;margin-right:.6em;padding:0 .6em;border-radius:1em;font-size:12px;
font-weight:600;color:#fff;background:#5b6470}
.icefire-fragment .passed{background:#1a7f37}
.icefire-fragment .not_passed{background:#b42318}
.icefire-fragment table{border-collapse:collapse;margin:.3em 0;font:inherit;color:inherit;background:none}
.icefire-fragment th,.icefire-fragment td{padding:.15em .9em .15em 0;text-align:left;vertical-align:top;border:0;
border-bottom:1px solid rgba(128,128,128,.35);background:none;color:inherit;white-space:normal}
.icefire-fragment th{font-weight:600}
.icefire-fragment .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.icefire-fragment .bar{display:inline-block;width:6em;height:.6em;margin-right:.5em;background:rgba(128,128,128,.25)}
.icefire-fragment .bar i{display:block;height:100%;background:#3b82c4}
.icefire-fragment summary{cursor:pointer;font-weight:600}
.icefire-fragment .note{opacity:.75}
"""
VerdictState = Literal["", "passed", "not_passed", "not_judged"]


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A share, drawn and written."""

    share: float
    text: str


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A number, set to the right."""

    text: str


FragmentCell: TypeAlias = str | ShareBar | NumberCell


@dataclass(frozen=True, slots=True)
class FragmentTable:
    """A table with its title; `folded` shows the title alone until it is opened."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[FragmentCell]]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Fragment:
    """What a notebook shows of one result."""

    title: str
    state: VerdictState = ""
    points: Sequence[str] = ()
    lines: Sequence[str] = ()
    tables: Sequence[FragmentTable] = ()
    note: str = ""
    picture: Markup | None = None
    """Drawn above the tables."""


def as_html(fragment: Fragment) -> str:
    """Draw a fragment."""
    state = f'<span class="state {fragment.state}">{_state(fragment.state)}</span>' if fragment.state else ""
    points = "".join(f"<li>{_words(point)}</li>" for point in fragment.points)
    parts = [
        f'<p class="title">{state}{_words(fragment.title)}</p>',
        f"<ul>{points}</ul>" if points else "",
        *(f"<p>{_words(line)}</p>" for line in fragment.lines),
        *(() if fragment.picture is None else (str(fragment.picture),)),
        *(_table(table) for table in fragment.tables if table.rows),
        f'<p class="note">{_words(fragment.note)}</p>' if fragment.note else "",
    ]
    body = "".join(part for part in parts if part)
    return f'<div class="icefire-fragment"><style>{STYLE}</style>{body}</div>'


def _state(state: str) -> str:
    return escape(t(f"notebook.{state}"))


def _words(text: str) -> str:
    """Write a text in the language in use; one word alone may be somebody's name and stays as it is."""
    return escape(said_text(text))


def _table(table: FragmentTable) -> str:
    numeric = [isinstance(cell, NumberCell) for cell in table.rows[0]]
    header = "".join(
        f'<th class="number">{escape(said(name))}</th>' if right else f"<th>{escape(said(name))}</th>"
        for name, right in zip(table.header, numeric, strict=True)
    )
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    drawn = f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
    if table.folded:
        return f"<details><summary>{escape(said(table.title))}</summary>{drawn}</details>"
    return (f"<p><b>{escape(said(table.title))}</b></p>" if table.title else "") + drawn


def _cell(cell: FragmentCell) -> str:
    if isinstance(cell, NumberCell):
        return f'<td class="number">{escape(cell.text)}</td>'
    if isinstance(cell, ShareBar):
        width = 100 * min(max(cell.share, 0.0), 1.0)
        return f'<td><span class="bar"><i style="width:{width:.1f}%"></i></span>{escape(cell.text)}</td>'
    return f"<td>{_words(cell)}</td>"
