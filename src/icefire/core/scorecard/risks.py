"""Results of the risk models, part of the scorecard. Shares are of the released rows."""

from __future__ import annotations

import msgspec

from icefire.core.scorecard.class_risk import ClassRisk
from icefire.core.scorecard.survey_risks import HouseholdRisk, KeyCombination, WeightedRisk


class Population(msgspec.Struct, frozen=True):
    """An estimate for the population that the release is a random sample of; see docs/risk.md."""

    size: int
    model: str
    """pitman or zayatz."""
    uniques: float
    """Estimated number of people alone in their class in the population."""
    share: float
    """Estimated share of the rows alone in the release that are alone in the population too."""
    correct_match: float
    """DIS: the chance that the only person of the population who matches a row is the right one."""


class Classes(msgspec.Struct, frozen=True):
    """Risks that follow from the sizes of the classes alone."""

    prosecutor: ClassRisk
    """The attacker knows that the person is in the release: 1 / size of the class in the release."""
    journalist: ClassRisk
    """The attacker looks people up in the original: 1 / size of the class there; 0 where it has none."""
    marketer: float
    """Expected share of rows identified when each is matched with somebody of its class in the original."""
    unmatched: int
    """Released rows whose class does not occur in the original."""
    recoded: list[str]
    """Columns recoded in the original as in the release before the two were compared."""
    unique: int
    """Released rows alone in their class."""
    unique_in_original: int
    """Those of them that match exactly one row of the original."""
    population: Population | None = None


class SpecialRow(msgspec.Struct, frozen=True):
    """A released row that few columns give away."""

    released_row: int
    score: float
    by_size: list[int]
    """How many minimal sets of 1, 2, … columns it has."""
    sets: list[list[str]]
    """The first of them, the smallest first."""
    identified_by: list[str]


class SpecialColumn(msgspec.Struct, frozen=True):
    """How much one column has to do with special uniques."""

    column: str
    sets: int
    """Minimal sets that contain it, over all rows."""
    share: float
    """Share of the total score that they carry; as a set has several columns, the shares add up to more than 1."""


class SpecialUniques(msgspec.Struct, frozen=True):
    """Rows alone by few quasi-identifiers together: minimal sample uniques, as in SUDA."""

    max_size: int
    """Sets of at most so many columns were tried."""
    asked_size: int
    """More than that if the table was too large for it."""
    rows: int
    rows_by_size: list[int]
    """Rows whose smallest set has 1, 2, … columns."""
    sets_by_size: list[int]
    columns: list[SpecialColumn]
    top: list[SpecialRow]


class Reached(msgspec.Struct, frozen=True):
    """Rows one attack identified, by what the models say of them."""

    hits: int
    unique: int
    """Of the rows alone in their class in the release."""
    above: int
    """Of the rows with a prosecutor risk above the threshold."""
    special: int
    """Of the special uniques."""
    unmatched: int
    """Of the rows whose class does not occur in the original."""


class Identifier(msgspec.Struct, frozen=True):
    """A released column that looks like one of the identifiers of the HIPAA safe harbour."""

    column: str
    paragraph: str
    """Letter in 45 CFR 164.514(b)(2)(i)."""
    what: str
    why: str
    advice: str


class SafeHarbour(msgspec.Struct, frozen=True):
    """Column check against the 18 identifiers; finding nothing proves nothing."""

    columns: int
    """Released columns looked at."""
    found: list[Identifier]


class Risks(msgspec.Struct, frozen=True):
    """What the risk models say of a release, and how many of the rows at risk the attacks identified."""

    rows: int
    """Released rows."""
    threshold: float
    classes: Classes | None
    """None without quasi-identifiers."""
    special: SpecialUniques | None
    attacks: dict[str, Reached]
    safe_harbour: SafeHarbour
    weighted: WeightedRisk | None = None
    """Risk in the population, where the rows have weights."""
    household: HouseholdRisk | None = None
    """Risk by household, where a column names households."""
    keys: list[KeyCombination] = []
    """Classes of the release for the combinations of columns that were listed."""
