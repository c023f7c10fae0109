"""What an audit runs, and the limits that it checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from icefire import risk
from icefire.audit.contest import AuditedContest
from icefire.audit.limits import Gate
from icefire.audit.selection import not_asked
from icefire.core import registry, seeds
from icefire.core.registry import Entry
from icefire.core.release import ValueScale

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
    not_asked: Mapping[str, str] = field(default_factory=dict)
    """Attacks of a contest that answer a question which is not asked, with the reason."""
    limits: Sequence[Gate] = ()
    rate_of: RateOf = "released"
    aya_scale: ValueScale = "standard"
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

    def with_contest(self, contest: AuditedContest, asked: Sequence[str]) -> AuditPlan:
        """Return the plan as a contest has it; what the user named stays."""
        return replace(
            self,
            attacks=contest.attacks if self.attacks is None else self.attacks,
            measures=contest.measures if self.measures is None else self.measures,
            parameters={**contest.parameters, **self.parameters},
            not_asked=not_asked(contest.attacks or (), asked) if self.attacks is None else {},
        )

    def bind(self, entry: Entry) -> dict[str, Any]:
        """Return the parameters of a measure or attack: those given, and the defaults of the others."""
        return entry.bind(self.parameters.get(entry.name, {}))

    def includes(self, entry: Entry) -> bool:
        """Tell whether an entry runs where nobody listed what to run: a special one only if something names it."""
        is_named = entry.name in self.parameters or any(gate.name == entry.name for gate in self.limits)
        return is_named or not entry.explicit_only
