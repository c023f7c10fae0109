"""Synthetic releases: copies of people, distances, what was compared, and what could not be judged."""

from __future__ import annotations

from icefire.core.errors import listing
from icefire.core.formatting import count, counted, number, percent
from icefire.core.scorecard.synthetic import ControlTable, Copies, SyntheticFindings

BASES = {
    "holdout": "Membership was judged by people who were not in the data (a hold-out).",
    "recipe": "Membership was judged on a release that the recipe made anew from a part of the original.",
    "register": "Membership was judged by the people of a register: those who were in the data, and strangers.",
    "copies": "Membership could not be judged; only copies were.",
}


def copies(kind: str, found_copies: Copies) -> str:
    """Say how many released rows are copies, and how many coincidence would make."""
    if not found_copies.rows:
        return "none"
    people = counted(found_copies.people, "person", "people")
    verb = "is" if found_copies.rows == 1 else "are"
    said = f"{counted(found_copies.rows, 'released row')} ({percent(found_copies.share)}) {verb} {kind} to {people}"
    by_chance = "" if found_copies.control is None else f"; by coincidence {percent(found_copies.control)} would be"
    return f"{said}{by_chance}."


def nearer(findings: SyntheticFindings) -> str:
    """Say how many released rows are nearer to the original than to the hold-out; empty without a hold-out."""
    if findings.nearer_to_original is None or findings.nearer_by_chance is None:
        return ""
    return (
        f"The nearest person of {percent(findings.nearer_to_original)} of the released rows is in the original and "
        f"not in the hold-out; of a release that remembers nobody {percent(findings.nearer_by_chance)} would be, as "
        "many as people of both tables are in the original."
    )


def distances(findings: SyntheticFindings) -> str:
    """Say how far people of the original and others are from the release."""
    inside = number(findings.members.quantiles["0.5"], 3)
    if findings.outsiders is None:
        return f"Half of the people of the original are at most {inside} away from the closest released row."
    outside = number(findings.outsiders.quantiles["0.5"], 3)
    return (
        f"Half of the people of the original are at most {inside} away from the closest released row, half of the "
        f"people of the hold-out at most {outside}."
    )


def control(table: ControlTable) -> str:
    """Say how many people of a control table were used, and who was left out."""
    used = f"{counted(table.rows, 'person', 'people')} of {table.name}"
    if table.overlap:
        rows = ", ".join(str(row) for row in table.overlapping_rows)
        return (
            f"{used}; {counted(table.overlap, 'row was', 'rows were')} left out, because "
            f"{'it equals' if table.overlap == 1 else 'they equal'} rows of the original more often than by "
            f"coincidence (rows {rows}{' and more' if table.overlap > len(table.overlapping_rows) else ''})"
        )
    verb = "has" if table.coincidences == 1 else "have"
    same = f"; {count(table.coincidences)} of them {verb} the values of somebody in the original by coincidence"
    return used + (same if table.coincidences else "")


def lines(findings: SyntheticFindings) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal."""
    shown = {
        "Judged by": BASES[findings.basis],
        "Identical rows": copies("identical", findings.identical),
        "Identical or nearly so": copies("identical or nearly so", findings.near_identical),
        "Nearest person": nearer(findings),
        "Distances": distances(findings),
    }
    for role, table in (("Hold-out", findings.holdout), ("Background", findings.background)):
        if table is not None:
            shown[role] = control(table)
    if findings.not_released:
        shown["Not released"] = listing(findings.not_released)
    if findings.basis == "recipe":
        shown["Not judged"] = " ".join(findings.not_judged)
    return {title: text for title, text in shown.items() if text}
