"""What an audit runs, and the limits that it checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from icefire import risk
from icefire.audit.limits import Gate
from icefire.core import registry, seeds
from icefire.core.registry import Entry
from icefire.core.release import Scale

RateOf = Literal["released", "original"]


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """What to run and how to judge it."""

    seed: int = seeds.DEFAULT_SEED
    attacks: Sequence[str] | None = None
    """Names or codes; default all that apply."""
    measures: Sequence[str] | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters by attack or measure name."""
    limits: Sequence[Gate] = ()
    rate_of: RateOf = "released"
    aya_scale: Scale = "standard"
    aya_columns: tuple[str, ...] | None = None
    show_data: bool = False
    people: int = 20
    risks: risk.Options = field(default_factory=risk.Options)

    def check(self) -> None:
        """Refuse an unknown name or parameter before any work is done."""
        sorts: tuple[tuple[registry.Sort, Sequence[str] | None], ...]
        sorts = (("measure", self.measures), ("attack", self.attacks))
        for sort, names in sorts:
            entries = registry.entries(sort) if names is None else [registry.get(sort, name) for name in names]
            for entry in entries:
                self.bind(entry)
        self.risks.checked()

    def bind(self, entry: Entry) -> dict[str, Any]:
        """Return the parameters of a measure or attack: those given, and the defaults of the others."""
        return entry.bind(self.parameters.get(entry.name, {}))

    def includes(self, entry: Entry) -> bool:
        """Tell whether an entry runs where nobody listed what to run: a special one only if something names it."""
        is_named = entry.name in self.parameters or any(gate.name == entry.name for gate in self.limits)
        return is_named or not entry.explicit_only
