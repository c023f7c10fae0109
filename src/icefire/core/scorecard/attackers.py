"""What attackers who know different things achieve, part of the scorecard."""

from __future__ import annotations

import msgspec

from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.attributes import AttributeFindings
from icefire.core.scorecard.membership import MembershipFindings


class AttackerResult(msgspec.Struct, frozen=True, kw_only=True):
    """One attacker: what is known, and how every attack did with it.

    Rates are shares of the released rows whose person is known; precision is the share of the answers given that are
    right. An answer about somebody who is not known is wrong.
    """

    name: str
    """A profile such as "neighbour", the notation of the knowledge, or "register"."""
    words: str
    """What is known, completing "an attacker who knows …"."""
    columns: list[str]
    """Columns known that are in the release."""
    blurred: dict[str, str] = {}
    """Of the columns that are not known exactly: how they differ from the true values, in words."""
    people: int
    """People known, strangers included."""
    strangers: int = 0
    """People known who are not in the original."""
    targets: int
    """Released rows (of a history: subjects) whose person is known."""
    released: int
    """All released rows or subjects."""
    attacks: dict[str, AttackResult] = {}
    left_out: dict[str, str] = {}
    """Attacks that could not run with this knowledge, with the reason."""
    worst_attack: str | None = None
    """The attack that identified most people; None if none ran."""
    rate: float | None = None
    """Share identified by that attack."""
    ci: tuple[float, float] | None = None
    """95 % interval of the rate."""
    precision: float | None = None
    """Share of that attack's answers that are right."""
    membership: MembershipFindings | None = None
    """Whether people were in the release, asked of this attacker; None where that is not asked."""
    attributes: AttributeFindings | None = None
    """Hidden values, asked of this attacker; None where that is not asked."""
