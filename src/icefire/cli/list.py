"""icefire list: list methods, measures, attacks, samples, studies and contests."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from icefire.cli.commands import Command
from icefire.cli.console import out

if TYPE_CHECKING:
    from rich.table import Table

    from icefire.core.parameters import Parameter
    from icefire.core.registry import Entry, Sort


def list_(
    what: Annotated[
        Literal["methods", "measures", "attacks", "samples", "studies", "contests", "all"],
        typer.Argument(help="What to list."),
    ] = "all",
) -> None:
    """List methods, measures, attacks, samples, studies and contests."""
    from icefire import contests, samples, studies

    sorts: dict[str, Sort] = {"methods": "method", "measures": "measure", "attacks": "attack"}
    for name, sort in sorts.items():
        if what in (name, "all"):
            _show_entries(name, sort)
    if what in ("samples", "all"):
        _show_names("samples", {name: _summary(samples.load(name).__doc__) for name in samples.available()})
    if what in ("studies", "all"):
        _show_names("studies", {name: _summary(studies.load(name).__doc__) for name in studies.available()})
    if what in ("contests", "all"):
        _show_names("contests", {name: contests.get(name).title for name in contests.names()})


def _summary(docstring: str | None) -> str:
    return (docstring or "").strip().partition("\n")[0]


def _show_entries(name: str, sort: Sort) -> None:
    from icefire.core import registry

    for data, title in (("table", f"{name} for tables"), ("history", f"{name} for histories")):
        table = _table(title, header=True)
        table.add_column("name", no_wrap=True, style="bold")
        table.add_column("code", no_wrap=True)
        table.add_column("what it does; parameters")
        for entry in registry.entries(sort):
            if entry.data == data:
                table.add_row(entry.name, entry.code, _described(entry))
        _print(table)


def _described(entry: Entry) -> str:
    return "\n".join([entry.summary, *(f"  {_parameter(parameter)}" for parameter in entry.parameters.values())])


def _parameter(parameter: Parameter) -> str:
    shown = f"{parameter.name}: {parameter.allowed}"
    if parameter.default is inspect.Parameter.empty or parameter.default is None:
        return shown
    return f"{shown} (default {parameter.default})"


def _show_names(title: str, items: dict[str, str]) -> None:
    table = _table(title, header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, text in items.items():
        table.add_row(name, text)
    _print(table)


def _table(title: str, header: bool) -> Table:
    from rich.table import Table

    return Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), show_edge=False, show_header=header)


def _print(table: Table) -> None:
    out.print(table)
    out.print()


COMMANDS = [Command(list_, order=90, name="list")]
