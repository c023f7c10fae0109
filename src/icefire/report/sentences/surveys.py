"""Risks of a survey in words: in the population, by household, by combinations of columns."""

from __future__ import annotations

from icefire.core.formatting import count, counted, number, percent
from icefire.core.scorecard.class_risk import ClassRisk
from icefire.core.scorecard.survey_risks import HouseholdRisk, KeyCombination, WeightedEstimate, WeightedRisk
from icefire.core.scorecard.usefulness import Usefulness
from icefire.words import t

MOST_ESTIMATES = 3
"""Estimates named in a line."""


def lines(weighted: WeightedRisk | None, household: HouseholdRisk | None, keys: list[KeyCombination]) -> dict[str, str]:
    """Say what was found, by title; nothing where no column is named for it."""
    said = {}
    if weighted is not None:
        said[f"In the population (weights {weighted.column})"] = in_population(weighted)
        if weighted.estimates:
            said["Weighted estimates that changed most"] = estimates(weighted)
    if household is not None:
        said[f"Households ({household.column})"] = by_household(household)
    return said | {f"k of {', '.join(one.columns)}": combination(one) for one in keys}


def lost(usefulness: Usefulness | None) -> dict[str, str]:
    """Say what was lost in the population, by title; nothing without weights."""
    weighted = None if usefulness is None else usefulness.weighted
    if usefulness is None or weighted is None:
        return {}
    parts = []
    for key, change in (("mean_error", weighted.mean_error), ("cross_count", weighted.cross_count)):
        if change is not None:
            parts.append(t(f"surveys.{key}", weighted=number(change.weighted), rows=number(change.by_rows)))
    if weighted.columns and usefulness.distances is not None:
        worst = max(weighted.columns, key=lambda column: column.distance)
        rows = {column.column: column.distance for column in usefulness.distances.columns}[worst.column]
        named = {"column": worst.column, "weighted": percent(worst.distance), "rows": percent(rows)}
        parts.append(t("surveys.distance", **named))
    return {t("surveys.lost_title", column=weighted.column): "; ".join(parts)} if parts else {}


def in_population(weighted: WeightedRisk) -> str:
    """Sum up the risk in the population."""
    return (
        f"the rows stand for {number(weighted.population)} people, the smallest class for {number(weighted.k_min)}; "
        f"{counted(weighted.unique, 'unique row stands', 'unique rows stand')} for fewer than two, "
        f"about {number(weighted.expected_unique)} are expected to be unique in the population; "
        f"chance by weights {_chance(weighted.journalist)}; "
        f"individual risk {_chance(weighted.individual)}"
    )


def by_household(household: HouseholdRisk) -> str:
    """Sum up the risk by household."""
    text = (
        f"{counted(household.households, 'household')}, the largest of {count(household.largest)}; "
        f"risk of a person alone {_chance(household.person)}; that any member is found {_chance(household.any_member)}"
    )
    if not household.recognised:
        return text
    worst = max(household.recognised, key=lambda name: household.recognised[name])
    return (
        f"{text}; {worst} identified somebody of the household of {percent(household.recognised[worst])} of the people "
        f"({percent(household.households_recognised[worst])} of the households)"
    )


def combination(key: KeyCombination) -> str:
    """Say how large the classes of a combination are."""
    classes = counted(key.classes, "class", "classes")
    verb = "is" if key.unique == 1 else "are"
    text = f"{count(key.k)}; {classes}, {count(key.unique)} of {count(key.rows)} rows {verb} unique"
    return text if key.k_weighted is None else f"{text}; the smallest stands for {number(key.k_weighted)} people"


def estimates(weighted: WeightedRisk) -> str:
    """Name the weighted means and shares that changed most."""
    ranked = sorted(weighted.estimates, key=_change, reverse=True)[:MOST_ESTIMATES]
    return "; ".join(map(estimate, ranked))


def estimate(one: WeightedEstimate) -> str:
    """Write an estimate before and after."""
    if one.value:
        return f"share of {one.column} = {one.value} {percent(one.original)} → {percent(one.released)}"
    return f"mean of {one.column} {number(one.original)} → {number(one.released)}"


def _change(one: WeightedEstimate) -> float:
    size = 1.0 if one.value else max(abs(one.original), 1e-12)
    return abs(one.released - one.original) / size


def _chance(chances: ClassRisk) -> str:
    return f"at most {percent(chances.highest)}, {percent(chances.mean)} on average"
