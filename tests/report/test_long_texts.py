"""Long names and long reasons are wrapped in the terminal, never cut."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from rich.cells import cell_len
from rich.console import Console
from support.report_card import attack, full_card

from icefire.core.schema import Column, Kind, Role, Schema
from icefire.core.scorecard import Verdict
from icefire.hierarchy import Hierarchy
from icefire.report.text import hierarchies, roles, scorecard

NAME = "average_" * 7 + "wage"
REASON = " ".join(f"reason{place:03d}" for place in range(40)) + "."


def _audit(console: Console) -> None:
    """An attack with a long name, and long reasons."""
    verdict = Verdict(False, "Over a limit", REASON, REASON)
    attacks = {NAME: attack("E1", 8333, "everything")}
    scorecard.show(full_card(attacks=attacks, left_out={NAME: REASON}, verdict=verdict), console)


def _inferred(console: Console) -> None:
    """A column with a long name whose role was chosen for a long reason."""
    roles.show_inferred(Schema((Column(NAME, Role.QI, Kind.CATEGORY, REASON),)), console)


def _levels(console: Console) -> None:
    """A hierarchy of a column with a long name and many groups."""
    labels = pl.Series(REASON.split()[: hierarchies.EXAMPLES]), pl.Series(["*"])
    codes = np.arange(len(labels[0]), dtype=np.int32), np.zeros(len(labels[0]), np.int32)
    leaves = np.ones(len(labels[0]), np.int64), np.array([len(labels[0])])
    hierarchies.show_levels([Hierarchy(NAME, labels, codes, leaves)], console)


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize(("show", "words"), [(_audit, 40), (_inferred, 40), (_levels, hierarchies.EXAMPLES)])
def test_a_long_name_and_a_long_reason_are_shown_whole(show: Callable[[Console], None], words: int, width: int) -> None:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    show(console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    first_column = [line.split("  ")[0].strip() for line in lines]
    assert NAME in "".join(first_column)
    assert "…" not in "".join(lines)
    assert max(map(cell_len, lines)) <= width
    assert all(word in " ".join(lines) for word in REASON.split()[:words])


def test_the_texts_are_as_long_as_they_have_to_be() -> None:
    assert (len(NAME), len(REASON)) == (60, 400)
