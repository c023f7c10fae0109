"""What there is: methods, measures, attacks, samples, studies, contests."""

from __future__ import annotations

import inspect

from rich.console import Console
from rich.table import Table

from icefire import contests, samples, studies
from icefire.core import registry
from icefire.core.parameters import Parameter
from icefire.core.registry import Entry, Sort


def show(what: str, console: Console) -> None:
    """Print the lists asked for."""
    sorts: dict[str, Sort] = {"methods": "method", "measures": "measure", "attacks": "attack"}
    for name, sort in sorts.items():
        if what in (name, "all"):
            for data, title in (("table", f"{name} for tables"), ("history", f"{name} for histories")):
                _show_entries(title, [entry for entry in registry.entries(sort) if entry.data == data], console)
    if what in ("samples", "all"):
        _show_plain("samples", {name: summary(samples.load(name).__doc__) for name in samples.available()}, console)
    if what in ("studies", "all"):
        _show_plain("studies", {name: summary(studies.load(name).__doc__) for name in studies.available()}, console)
    if what in ("contests", "all"):
        _show_plain("contests", {name: contests.get(name).title for name in contests.names()}, console)


def summary(text: str | None) -> str:
    """Return the first line of a docstring."""
    return (text or "").strip().partition("\n")[0]


def _show_entries(title: str, entries: list[Entry], console: Console) -> None:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("name", no_wrap=True, style="bold")
    table.add_column("code", no_wrap=True)
    table.add_column("what it does; parameters")
    for entry in entries:
        table.add_row(entry.name, entry.code, _described(entry))
    console.print(table)
    console.print()


def _described(entry: Entry) -> str:
    lines = [entry.summary, *(f"  {_parameter(p)}" for p in entry.parameters.values())]
    return "\n".join(lines)


def _parameter(parameter: Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return f"{parameter.name}: {parameter.allowed}"
    default = "default" if parameter.default is None else f"default {parameter.default}"
    return (
        f"{parameter.name}: {parameter.allowed} ({default})"
        if parameter.default is not None
        else (f"{parameter.name}: {parameter.allowed}")
    )


def _show_plain(title: str, items: dict[str, str], console: Console) -> None:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, text in items.items():
        table.add_row(name, text)
    console.print(table)
    console.print()
