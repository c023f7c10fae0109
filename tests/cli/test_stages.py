"""Progress: on a terminal with the time left, elsewhere nothing unless it is asked for."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from icefire.cli import console
from icefire.cli.stages import Stages


class Clock:
    """A clock that is set by hand."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_the_time_left_is_estimated_from_the_stages_done() -> None:
    clock = Clock()
    stages = Stages(clock)
    stages("fire: link, 1 of 4")
    assert stages.text() == ""
    clock.seconds = 10
    assert stages.text() == "fire: link, 1 of 4 … (10 s)"
    stages("fire: cover, 2 of 4")
    clock.seconds = 12
    assert stages.text() == "fire: cover, 2 of 4 … (12 s, about 28 s left)"
    clock.seconds = 100
    assert stages.seconds_left() == 0
    stages("measure: k_min, 1 of 9")
    assert stages.seconds_left() is None
    stages("judge: AYA")
    assert stages.text() == "judge: AYA … (1 min 40 s)"


def test_stages_that_were_left_out_do_not_count_as_done() -> None:
    clock = Clock()
    stages = Stages(clock)
    stages("fire: link, 3 of 5")
    clock.seconds = 6
    stages("fire: cover, 4 of 5")
    assert stages.seconds_left() == 12


@pytest.mark.parametrize(("terminal", "shown"), [(True, True), (False, False)])
def test_only_a_terminal_gets_progress(monkeypatch: pytest.MonkeyPatch, terminal: bool, shown: bool) -> None:
    written = io.StringIO()
    monkeypatch.setattr(console, "err", Console(file=written, force_terminal=terminal, width=80))
    monkeypatch.setattr("icefire.cli.stages.SILENT", 0.0)
    with console.progress() as stage:
        stage("fire: link, 1 of 2")
    assert ("fire: link" in written.getvalue()) is shown
