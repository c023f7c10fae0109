"""Scorecard: every number of an audit, once. Terminal, JSON, HTML and web pages are made from it alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from icefire.core import formatting
from icefire.core.display import ShownInNotebooks
from icefire.core.errors import InputError
from icefire.core.scorecard.attackers import AttackerResult
from icefire.core.scorecard.attacks import AttackResult
from icefire.core.scorecard.attributes import AttributeFindings
from icefire.core.scorecard.criteria import CriteriaFindings
from icefire.core.scorecard.histories import HistoryFindings
from icefire.core.scorecard.linking import LinkingFindings
from icefire.core.scorecard.membership import MembershipFindings
from icefire.core.scorecard.people import Person, Recognition
from icefire.core.scorecard.points import PointsFindings
from icefire.core.scorecard.risks import Risks
from icefire.core.scorecard.synthetic import SyntheticFindings
from icefire.core.scorecard.usefulness import Usefulness

FORMAT_VERSION = 1


class MeasureResult(msgspec.Struct, frozen=True):
    """The value of one measure; None where it is not defined, with the reason in `note`."""

    code: str
    value: float | None
    better: Literal["lower", "higher"]
    best: str
    parameters: dict[str, Any] = {}
    note: str = ""


class Aya(msgspec.Struct, frozen=True):
    """Is the claimed correspondence believable? See `judge.Claim`."""

    wraps: str
    rate: float
    hits: int
    farther: int
    """Released rows, of those checked, whose claimed origin is not the nearest original row."""
    checked: int
    """Released rows this was checked for: all of them, or a sample of a large release."""


class ClassBin(msgspec.Struct, frozen=True):
    """Released rows in classes of this size; a class is the rows that agree on every quasi-identifier."""

    low: int
    high: int | None
    classes: int
    rows: int


class LearnedColumn(msgspec.Struct, frozen=True):
    """What the joint attack learned about one column from the two tables alone."""

    column: str
    change: str
    """How the column was changed, in words."""
    bits: float
    """What it tells, on average, about whose row a released row is; 0 for a column that tells nothing."""


class ReplayFindings(msgspec.Struct, frozen=True):
    """The attacker who knows the recipe but not its seed: what could be repeated of it."""

    source: str
    """Where the recipe comes from: the "release", "given" by the user, or "guessed"."""
    recipe: str = ""
    """Name of the recipe that was given."""
    repeated: list[str] = []
    """Steps that were repeated on the original, in words."""
    learned: list[str] = []
    """Steps that could not be repeated or were better not: what they did is learned from the two tables."""
    explained: bool = False
    """Whether the steps repeated explain the release better than the original alone does."""


class Limit(msgspec.Struct, frozen=True):
    """A limit the user set, and whether it holds."""

    name: str
    kind: Literal["max", "min"]
    limit: float
    value: float | None
    passed: bool
    interval: tuple[float, float] | None = None
    """95 % interval of a value that comes from a sample: its unfavourable end must be within the limit."""


class Reason(msgspec.Struct, frozen=True):
    """Why a release does not pass, with the evidence."""

    code: str
    """limit, identifier, not_assessed, verbatim or correspondence."""
    text: str
    evidence: dict[str, Any] = {}


class Verdict(ShownInNotebooks, msgspec.Struct, frozen=True):
    """The answer in words."""

    passed: bool | None
    """None for a release that was not judged."""
    headline: str
    text: str
    worst_attack: str | None = None
    worst_attacker: str = ""
    """Who identified most people by that attack."""
    state: Literal["passed", "not_passed", "not_judged"] = "not_judged"
    reasons: list[Reason] = []
    """Why it does not pass: every limit that is broken, and everything else that stands in the way."""
    lost: str = ""
    """What the release has lost, in words; also part of the text."""
    policy: str = ""
    """Name of the policy whose limits apply; empty where only limits of the user do."""

    def __repr__(self) -> str:
        return f"<Verdict: {self.headline}>"


class Table(msgspec.Struct, frozen=True):
    """One of the two tables."""

    name: str
    rows: int
    sha256: str = ""
    subjects: int | None = None
    """Histories: how many people the rows belong to."""


class Provenance(msgspec.Struct, frozen=True):
    """Where the numbers come from."""

    version: str
    seed: int | None
    """None where the seed is a secret: whoever knows the seed of a release can undo its shuffle and its noise."""
    original: Table
    released: Table
    correspondence: str
    """How released rows were matched to original ones: truth, aligned, key, or made (by a recipe)."""
    in_original_order: bool = False
    """The released rows stood in the order of the original; they were shuffled before the attacks."""
    created: str = ""
    software: dict[str, str] = {}
    """Versions by package; where the tables were taken in parts, also the "engine" and how it worked."""


class Roles(msgspec.Struct, frozen=True):
    """The columns by role, and where the roles come from."""

    qi: list[str]
    sa: list[str]
    id: list[str]
    other: list[str]
    source: str
    not_released: list[str] = []
    """Columns that the release does not have, identifiers excepted."""


class Standing(msgspec.Struct, frozen=True):
    """How a contest would rate the release."""

    contest: str
    title: str
    figures: dict[str, float]


class Scorecard(ShownInNotebooks, msgspec.Struct, frozen=True, kw_only=True):
    """All results of one audit."""

    format_version: int = FORMAT_VERSION
    provenance: Provenance
    roles: Roles
    measures: dict[str, MeasureResult] = {}
    attacks: dict[str, AttackResult] = {}
    """What the attacker achieved who knows everything; where he was not tried, the first of the others."""
    attackers: list[AttackerResult] = []
    """Attackers by what they know, in the order they were named."""
    left_out: dict[str, str] = {}
    """Measures and attacks that could not run on this table, with the reason."""
    aya: Aya | None = None
    recognition: Recognition | None = None
    """How probably people are recognised; None if no attack ran."""
    at_risk: list[Person] = []
    """People at highest risk."""
    usefulness: Usefulness | None = None
    """What the release has lost."""
    class_sizes: list[ClassBin] = []
    learned_columns: list[LearnedColumn] = []
    """What the joint attack `link` learned about the columns, the most telling first; empty if it did not run."""
    risks: Risks | None = None
    """What risk models say beside the attacks; None for a release that was only measured."""
    membership: MembershipFindings | None = None
    """Who is in the release at all, where that was asked."""
    attributes: AttributeFindings | None = None
    """What is learned about sensitive columns, where that was asked."""
    criteria: CriteriaFindings | None = None
    """Singling out, linkability and inference, where that was asked."""
    synthetic: SyntheticFindings | None = None
    """What is found of a release without correspondence; None for one whose rows come from people."""
    contest: Standing | None = None
    history: HistoryFindings | None = None
    """What only a history has."""
    points: PointsFindings | None = None
    """Histories: what a few known points of a person are worth."""
    linking: LinkingFindings | None = None
    """Histories whose pseudonyms change: which of them are one person."""
    recipe: dict[str, Any] = {}
    replay: ReplayFindings | None = None
    """What the attacker who knows the recipe could repeat of it; None where no recipe is known."""
    limits: list[Limit] = []
    verdict: Verdict = Verdict(None, "Not attacked yet", "")

    def __repr__(self) -> str:
        parts = [
            self.verdict.headline,
            formatting.counted(len(self.attacks), "attack"),
            formatting.counted(len(self.measures), "measure"),
        ]
        return f"<Scorecard of {self.provenance.released.name!r}: {', '.join(parts)}>"

    def to_json(self) -> str:
        """Write as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


def from_json(text: str | bytes, source: str = "scorecard") -> Scorecard:
    """Read a scorecard back; another format version or a broken file is an error."""
    try:
        card = msgspec.json.decode(text, type=Scorecard)
    except msgspec.DecodeError as error:
        raise InputError(f"{source!r} is not a scorecard: {error}; make it with icefire audit --json") from None
    if card.format_version != FORMAT_VERSION:
        raise InputError(
            f"{source!r} has scorecard format {card.format_version}; this version reads {FORMAT_VERSION}: audit again"
        )
    return card


def load(path: str | Path) -> Scorecard:
    """Read a scorecard from a file."""
    try:
        return from_json(Path(path).read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"scorecard {str(path)!r} cannot be read ({error.strerror}); check the path") from None
