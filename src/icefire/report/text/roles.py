"""The columns of the data: their roles in a table, their meanings in a history."""

from __future__ import annotations

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from icefire.core.formatting import counted as count_of
from icefire.core.history import History
from icefire.core.schema import Schema
from icefire.core.scorecard import Roles
from icefire.report.sentences import roles as sentences
from icefire.report.text.notes import note, safe
from icefire.words import said, said_text, t


def show_roles(roles: Roles, console: Console) -> None:
    """Print which column plays which role, and where that comes from."""
    listed = (
        ("Quasi-identifiers", roles.qi),
        ("Sensitive attributes", roles.sa),
        ("Identifiers", roles.id),
        ("Other", roles.other),
    )
    lines = [note(f"{said(title)} ({len(names)})", ", ".join(names)) for title, names in listed if names]
    _print(console, Group(*lines, source_line(roles)))


def show_inferred(schema: Schema, console: Console) -> None:
    """Print each column with the role that was inferred for it, and why."""
    titles = {"qi": "quasi-identifier", "sa": "sensitive", "id": "identifier", "other": "other"}
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
    for title in ("column", "taken for", "because"):
        table.add_column(said(title), overflow="fold")
    for column in schema.columns:
        table.add_row(safe(column.name), said(titles[column.role.value]), safe(said(column.reason)))
    _print(console, Group(table, Text(said_text(sentences.role_source("inferred")), style="yellow")))


def show_fields(data: History, console: Console) -> None:
    """Print what the columns of a history mean, and what was left out on reading."""
    meanings = ", ".join(f"{meaning} = {column}" for meaning, column in data.fields.present.items())
    lines = [
        note("History", f"{count_of(data.subjects, 'customer')}, {count_of(data.height, 'row')}"),
        note("Columns", meanings),
    ]
    if data.customers is not None:
        lines.append(note("Customer table", ", ".join(data.customers.columns[1:]) or "no columns"))
    if data.dropped:
        lines.append(note("Left out", f"{count_of(data.dropped, 'row')} that could not be used", "yellow"))
    _print(console, Group(*lines))


def _count(number: int, title: str) -> str:
    """Write how many columns have a role: 1 identifier, 2 identifiers, 2 sensitive."""
    several = number != 1 and title.endswith("identifier")
    return t("numbers.of_role", n=number, role=said(f"{title}s" if several else title))


def counted(roles: Roles) -> Group:
    """Count the columns of each role, and say where the roles come from."""
    many = {"quasi-identifier": roles.qi, "sensitive": roles.sa, "identifier": roles.id, "other": roles.other}
    counts = ", ".join(_count(len(names), title) for title, names in many.items() if names)
    return Group(note("Columns", counts or "none"), source_line(roles))


def source_line(roles: Roles) -> Text:
    """Say where the roles come from."""
    inferred = sentences.inferred(roles.source)
    return Text(safe(said_text(sentences.role_source(roles.source))), style="yellow" if inferred else "dim")


def _print(console: Console, part: Group) -> None:
    console.print(part, highlight=False)
    console.print()
