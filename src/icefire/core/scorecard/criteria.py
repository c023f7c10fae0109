"""The three criteria of Opinion 05/2014 of the Article 29 Working Party, part of the scorecard."""

from __future__ import annotations

from typing import Literal

import msgspec

CriterionName = Literal["singling out", "linkability", "inference"]


class Criterion(msgspec.Struct, frozen=True):
    """One criterion, as measured."""

    name: CriterionName
    value: float | None
    """None where it could not be measured; the note says why."""
    value_ci: tuple[float, float] | None = None
    control: float | None = None
    """The same for people who are not in the data, or by chance."""
    control_kind: str = ""
    """Where the control comes from, in words."""
    advantage: float | None = None
    """(value - control) / (1 - control)."""
    advantage_ci: tuple[float, float] | None = None
    limit: float | None = None
    """The limit that applies, of singling out on the value, otherwise on the advantage; None where there is none."""
    passed: bool | None = None
    people: int = 0
    """People it was measured on."""
    sampled: bool = False
    """Whether these people, or the control, are a sample."""
    details: dict[str, str] = {}
    """What was measured with: the columns of a half, the number of columns of a predicate."""
    note: str = ""


class CriteriaFindings(msgspec.Struct, frozen=True):
    """Singling out, linkability and inference side by side."""

    criteria: list[Criterion]

    def named(self, name: CriterionName) -> Criterion | None:
        """Return one of them."""
        return next((criterion for criterion in self.criteria if criterion.name == name), None)
