"""What is compiled while something runs: which functions, for how many types of arguments, and how long it takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from numba.core import event

PACKAGE = "icefire."


@dataclass
class Compilations:
    """Compiled functions of the package. What comes from the cache is not compiled and does not count."""

    functions: Counter[str] = field(default_factory=Counter)
    """For how many types of arguments each function was compiled."""
    seconds: float = 0.0
    """CPU seconds of all compilation."""

    @property
    def specialisations(self) -> int:
        """Number of functions and types of arguments."""
        return self.functions.total()

    @property
    def repeated(self) -> dict[str, int]:
        """Functions that were compiled for several types of arguments."""
        return {name: count for name, count in self.functions.items() if count > 1}


class _Listener(event.Listener):
    def __init__(self, compilations: Compilations) -> None:
        self.compilations = compilations
        self.depth = 0
        self.started = 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.started = time.process_time()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith(PACKAGE):
            self.compilations.functions[f"{function.__module__}.{function.__qualname__}"] += 1
        if self.depth == 0:
            self.compilations.seconds += time.process_time() - self.started


@contextmanager
def counted_compilations() -> Iterator[Compilations]:
    """Count what is compiled inside the block. Numba compiles one function at a time, whatever the threads."""
    compilations = Compilations()
    listener = _Listener(compilations)
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    try:
        yield compilations
    finally:
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
