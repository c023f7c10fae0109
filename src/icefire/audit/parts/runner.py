"""Run single measures and attacks on tables that an engine holds in parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from icefire.core import seeds
from icefire.core.registry import Entry
from icefire.core.release import Guess
from icefire.engines.tables import EngineTables, JudgedTables
from icefire.kernels.types import Int


@dataclass(frozen=True, slots=True)
class TablesRunner:
    """Two tables in parts, their truth, and the seed that attacks draw from."""

    tables: EngineTables
    truth: Int
    """The original row of each released row, in the order the attacker sees."""
    seed: int

    def answers(self, entry: Entry, parameters: Mapping[str, Any]) -> Guess:
        """Return the answers of an attack; those that a stopped run kept are used again."""
        run = entry.in_parts
        assert run is not None

        def first() -> Int:
            guess: Guess = run(self.tables, rng=seeds.generator(self.seed, "attack", entry.name), **parameters)
            return guess.first

        return Guess(self.tables.kept(f"{entry.name} {self.seed} {sorted(parameters.items())}", first))

    def value(self, entry: Entry, parameters: Mapping[str, Any]) -> float:
        """Return the value of a measure."""
        assert entry.in_parts is not None
        return float(entry.in_parts(JudgedTables(self.tables, self.truth), **parameters))
