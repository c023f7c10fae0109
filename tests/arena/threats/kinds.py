"""What the table is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Act = Callable[..., None]


@dataclass(frozen=True)
class Broken:
    """A defence taken out, what the check then says, and how much of it is enough to see that."""

    sabotage: Act
    said: str
    narrow: dict[str, Any]


def broken(sabotage: Act, said: str, **narrow: Any) -> Broken:
    return Broken(sabotage, said, narrow)


@dataclass(frozen=True)
class Threat:
    """One of the twenty: its checks, each with its sabotages."""

    title: str
    checks: dict[Act, list[Broken]]
