"""What an audit runs, and the limits that it checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from icefire import risk
from icefire.audit import policy
from icefire.audit.attributes.targets import AttributeOptions
from icefire.audit.contest import AuditedContest
from icefire.audit.knowledge.attacker_files import KnowledgeSource
from icefire.audit.knowledge.register import RegisterSource
from icefire.audit.limits import REID, Gate
from icefire.audit.policy import Policy
from icefire.audit.selection import not_asked
from icefire.core import registry, seeds
from icefire.core.dataset import Dataset
from icefire.core.registry import Entry
from icefire.core.release import Guess, ValueScale
from icefire.recipe.load import RecipeSource, load

RateOf = Literal["released", "original"]


class PartsRunner(Protocol):
    """An engine that holds the same tables in parts, and runs there what can run in parts."""

    def answers(self, entry: Entry, parameters: Mapping[str, Any]) -> Guess:
        """Return the answers of an attack about the shuffled release."""

    def value(self, entry: Entry, parameters: Mapping[str, Any]) -> float:
        """Return the value of a measure."""


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
    policy: Policy | None = None
    """A policy whose limits apply besides."""
    recipe: RecipeSource | None = None
    """The recipe that the attacker knows; default the one that the release names, if any."""
    method_known: bool = False
    """The attacker knows how the release was made even if no recipe is named: likely ones are tried."""
    knowledge: Sequence[KnowledgeSource] = ()
    """What attackers know who try the release, besides those of the policy; default: everything."""
    register: RegisterSource | None = None
    """A table that one more attacker holds."""
    rate_of: RateOf = "released"
    aya_scale: ValueScale = "standard"
    aya_columns: tuple[str, ...] | None = None
    show_data: bool = False
    people: int = 20
    risks: risk.Options = field(default_factory=risk.Options)
    attributes: AttributeOptions | None = None
    """How hidden values are asked about; None does not ask."""
    period: str | None = None
    """Histories: how long a pseudonym lasts; None finds out."""
    holdout: Dataset | None = None
    """People of the same population who are not in the data, as a control."""
    runner: PartsRunner | None = None
    """Where measures and attacks run that can run in parts; None for this process."""

    def check(self) -> None:
        """Refuse an unknown name or parameter, or a recipe that cannot be read, before any work is done."""
        sorts: tuple[tuple[registry.Sort, Sequence[str] | None], ...]
        sorts = (("measure", self.measures), ("attack", self.attacks))
        for sort, names in sorts:
            entries = registry.entries(sort) if names is None else [registry.get(sort, name) for name in names]
            for entry in entries:
                self.bind(entry)
        self.risks.checked()
        if self.recipe is not None:
            load(self.recipe)

    def with_contest(self, contest: AuditedContest, asked: Sequence[str]) -> AuditPlan:
        """Return the plan as a contest has it; what the user named stays."""
        return replace(
            self,
            attacks=contest.attacks if self.attacks is None else self.attacks,
            measures=contest.measures if self.measures is None else self.measures,
            parameters={**contest.parameters, **self.parameters},
            not_asked=not_asked(contest.attacks or (), asked) if self.attacks is None else {},
        )

    @property
    def attackers(self) -> list[KnowledgeSource]:
        """What attackers know, those of the policy first; none for the one who knows everything."""
        return [*(self.policy.limits.attacker if self.policy else ()), *self.knowledge]

    @property
    def identified_limit(self) -> float:
        """Largest share of people that may be identified: the strictest limit on it, or that of the default policy."""
        limits = [gate.limit for gate in self.limits if gate.name == REID]
        if self.policy is not None:
            limits += [gate.limit for gate in self.policy.gates({}) if gate.name == REID]
        default = policy.load(policy.DEFAULT).limits.origin.max_identified
        return min(limits) if limits else default or 0.0

    @property
    def asks_for_replay(self) -> bool:
        """Whether the user says something about the recipe, or names the attack that needs it."""
        return self.recipe is not None or self.method_known or "replay" in (self.attacks or ())

    def runs_attack(self, name: str) -> bool:
        """Tell whether an attack is among those chosen."""
        return self.attacks is None or name in {entry.strip().lower() for entry in self.attacks}

    def bind(self, entry: Entry) -> dict[str, Any]:
        """Return the parameters of a measure or attack: those given, and the defaults of the others."""
        return entry.bind(self.parameters.get(entry.name, {}))

    def includes(self, entry: Entry) -> bool:
        """Tell whether an entry runs where nobody listed what to run: a special one only if something names it."""
        is_named = entry.name in self.parameters or any(gate.name == entry.name for gate in self.limits)
        return is_named or not entry.explicit_only
