"""Which methods made a release, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from icefire.audit.fingerprint.result import Fingerprint, MethodProbability
from icefire.core.formatting import counted

WORTH_EXPLAINING = 0.1


def show(fingerprint: Fingerprint, console: Console) -> None:
    """Print the methods by probability, with the evidence of those recognised or doubtful."""
    console.print(_headline(fingerprint), style="bold", markup=False, highlight=False)
    console.print(
        f"{counted(fingerprint.compared_rows, 'row')} compared with their originals ({fingerprint.compared_by}).",
        markup=False,
        highlight=False,
    )
    console.print(_table(fingerprint), highlight=False)
    for note in fingerprint.notes:
        console.print(note, markup=False, highlight=False)


def _headline(fingerprint: Fingerprint) -> str:
    names = fingerprint.recognised
    if not names:
        return f"{fingerprint.released}: no method is recognised"
    return f"{fingerprint.released}: {', '.join(names)}"


def _table(fingerprint: Fingerprint) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    table.add_column("method", no_wrap=True)
    table.add_column("probability", justify="right", no_wrap=True)
    table.add_column("what it does; evidence")
    for one in fingerprint.methods:
        mark = "×" if one.recognised else ""
        table.add_row(mark, one.method, _probability(one.probability), Text(_evidence(one)))
    return table


def _probability(probability: float) -> str:
    """Write a whole percentage; a probability is never called 0 or 100 %."""
    if probability < 0.01:
        return "< 1 %"
    return "> 99 %" if probability > 0.99 else f"{100 * probability:.0f} %"


def _evidence(one: MethodProbability) -> str:
    if one.probability < WORTH_EXPLAINING:
        return one.traces
    return "\n".join([one.traces, *(f"  {trace.text}" for trace in one.evidence)])
