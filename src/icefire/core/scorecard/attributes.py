"""Hidden values, part of the scorecard: what an attacker learns about the sensitive columns of known people."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

ValueKind = Literal["number", "category"]
ControlKind = Literal["hold-out", "leave-one-out"]


class AttributeResult(msgspec.Struct, frozen=True):
    """What one attack learned about one sensitive column."""

    success: float
    """Share of the people in the data whose value was guessed right."""
    success_ci: tuple[float, float]
    control: float
    """The same for people who are not in the data."""
    control_ci: tuple[float, float]
    baseline: float
    """The best guess without the person's own row: the better of the control and the prior."""
    advantage: float
    """(success - control) / (1 - control)."""
    advantage_ci: tuple[float, float]
    advantage_over_best_guess: float
    """(success - baseline) / (1 - baseline): smaller than the advantage where the control is below the prior."""
    advantage_over_best_guess_ci: tuple[float, float]
    answered: float
    """Share of the people about whom the release says something to this attack; the others get the prior's guess."""
    knows: str
    parameters: dict[str, Any]


class GroupAdvantage(msgspec.Struct, frozen=True):
    """The group of people about whom most is learned."""

    column: str
    value: str
    people: int
    attack: str
    success: float
    control: float
    baseline: float
    advantage: float
    advantage_over_best_guess: float
    advantage_over_best_guess_ci: tuple[float, float]


class AttributeColumn(msgspec.Struct, frozen=True):
    """What is learned about one sensitive column."""

    kind: ValueKind
    prior: float
    """Share right if the commonest value of the release, or its median, is guessed for everybody."""
    attacks: dict[str, AttributeResult] = {}
    worst_attack: str | None = None
    """The attack with the largest advantage over the best guess."""
    tolerance: float | None = None
    """A guess of a number is right within this distance."""
    certain: float = 0.0
    """Share of the people whose covering rows give one value almost alone, and rightly so."""
    certain_claimed: float = 0.0
    """Share of the people whose covering rows give one value almost alone, right or wrong."""
    certain_known: float = 0.0
    """`certain` without what chance explains and, with a hold-out, without what holds for others too; it is limited."""
    certain_known_ci: tuple[float, float] = (0.0, 0.0)
    certain_control: float | None = None
    """`certain` of the people of the hold-out."""
    certain_people: int = 0
    """Number of people asked about whose value is certain."""
    distinct_l: int | None = None
    """Least number of different values in a class of the release."""
    t: float | None = None
    """Largest distance between the values of a class and those of the release."""
    worst_group: GroupAdvantage | None = None
    note: str = ""
    """Why nothing can be learned, or something was not computed."""


class AttributeFindings(msgspec.Struct, frozen=True):
    """What an attacker who holds some columns of people learns about the sensitive ones."""

    known: list[str]
    """The columns held."""
    people: int
    """People asked about."""
    people_in_release: int
    """People there are; if more than were asked about, these were drawn at random."""
    control: ControlKind
    controls: int
    """People that the control is taken over."""
    tau: float
    """Share of the covering rows from which a value counts as certain."""
    columns: dict[str, AttributeColumn] = {}
    smallest_group: int = 0
    """Groups of fewer people are not looked at."""
    left_out: dict[str, str] = {}
    """Attacks that could not run, with the reason."""
    notes: list[str] = []
    """What else is to be said, for example how many people of the hold-out are in the original too."""

    @property
    def sampled(self) -> bool:
        """Whether the figures come from a sample: of the people, or of a population."""
        return self.people < self.people_in_release or self.control == "hold-out"
