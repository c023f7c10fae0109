"""The worst result of an audit: of all attackers and attacks the one that identified most people."""

from __future__ import annotations

from dataclasses import dataclass

from icefire.core.scorecard import Scorecard
from icefire.core.scorecard.attacks import AttackResult


@dataclass(frozen=True, slots=True)
class WorstAttack:
    """One attack of one attacker."""

    attacker: str
    attack: str
    result: AttackResult
    interval: tuple[float, float] | None
    """95 % interval of the rate where only some of the people are known, or only some of the released rows were
    attacked: another draw would have given another rate."""

    @property
    def compared(self) -> float:
        """What a limit is compared with: the upper end of the interval, if there is one."""
        return self.result.rate if self.interval is None else self.interval[1]


def worst_attack(card: Scorecard, name: str | None = None) -> WorstAttack | None:
    """Return the attack that identified most people, the first of several; None if none ran.

    Args:
        card: The scorecard.
        name: Look at this attack alone.
    """
    results = [
        WorstAttack(attacker.name, attack, result, result.ci if attacker.targets < attacker.released else None)
        for attacker in card.attackers
        for attack, result in attacker.attacks.items()
    ]
    if not card.attackers:
        attacked = card.attacks.items()
        results = [WorstAttack("", name, result, result.ci if result.sampled else None) for name, result in attacked]
    return max((one for one in results if name in (None, one.attack)), key=lambda one: one.compared, default=None)
