"""The stages of long work on a terminal: the current one, the time it took so far, and about how much is left."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.spinner import Spinner
from rich.text import Text

SILENT = 1.0
"""Work that is done within so many seconds shows nothing."""
PLACE = re.compile(r"(?P<place>\d+) of (?P<all>\d+)\b")
"""How a stage says that it is one of a known number of stages of the same kind."""


@dataclass
class Stages:
    """What a terminal shows while work goes on; drawn anew by `rich` several times a second."""

    clock: Callable[[], float] = time.perf_counter
    stage: str = ""
    _started: float = field(init=False)
    _spinner: Spinner = field(default_factory=lambda: Spinner("dots"), init=False)
    _place: int = field(default=0, init=False)
    _all: int = field(default=0, init=False)
    _since: float = field(default=0.0, init=False)
    """When the first of the stages that are counted together began."""
    _first: int = field(default=1, init=False)
    _begun: float = field(default=0.0, init=False)
    """When the current stage began."""

    def __post_init__(self) -> None:
        """Start the clock."""
        self._started = self.clock()

    def __call__(self, stage: str) -> None:
        """Take the name of the stage that begins."""
        self.stage, self._begun = stage, self.clock()
        counted = PLACE.search(stage)
        place, every = (int(counted["place"]), int(counted["all"])) if counted else (0, 0)
        if every != self._all or place <= self._place:
            self._since, self._first = self._begun, place
        self._place, self._all = place, every

    def seconds_left(self) -> float | None:
        """Estimate the time that the stages counted together still take; None before one of them is done."""
        done = self._place - self._first
        if not self._all or done < 1:
            return None
        each = (self._begun - self._since) / done
        return max(each * (self._all - self._place + 1) - (self.clock() - self._begun), 0.0)

    def text(self) -> str:
        """Write the stage with its times; empty in the first second."""
        passed = self.clock() - self._started
        if passed < SILENT:
            return ""
        left = self.seconds_left()
        remaining = "" if left is None else f", about {_duration(left)} left"
        return f"{self.stage or 'starting'} … ({_duration(passed)}{remaining})"

    def __rich__(self) -> Spinner | Text:
        """Draw the line."""
        line = self.text()
        if not line:
            return Text()
        self._spinner.update(text=Text(line, overflow="ellipsis", no_wrap=True))
        return self._spinner


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
