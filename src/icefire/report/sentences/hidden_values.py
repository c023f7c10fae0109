"""Hidden values: what an attacker learns about sensitive columns of people known by others."""

from __future__ import annotations

from icefire.core.formatting import count, counted, percent, spoken_list
from icefire.core.scorecard.attributes import AttributeColumn, AttributeFindings, AttributeResult

TITLE = "What is learned about hidden values?"


def worst(column: AttributeColumn) -> AttributeResult | None:
    """Return the result of the attack that learns most about a column."""
    return None if column.worst_attack is None else column.attacks[column.worst_attack]


def asked(findings: AttributeFindings) -> str:
    """Say whom the question was about, and against whom it was judged."""
    people = counted(findings.people, "person", "people")
    if findings.people < findings.people_in_release:
        people += f", drawn from {count(findings.people_in_release)}"
    outside = "the same people, each without their own rows"
    if findings.control == "hold-out":
        outside = counted(findings.controls, "person who is", "people who are") + " not in the data"
    return f"Known: {spoken_list(findings.known)}. Asked about: {people}. Control: {outside}."


def summary(findings: AttributeFindings) -> str:
    """Say which column is known best, and what is certain."""
    judged = {name: worst(column) for name, column in findings.columns.items()}
    results = {name: result for name, result in judged.items() if result is not None}
    if not results:
        return "No sensitive column has anything to learn."
    name = max(results, key=lambda column: results[column].advantage_over_best_guess)
    best, column = results[name], findings.columns[name]
    certain = max(findings.columns, key=lambda other: findings.columns[other].certain_known)
    return (
        f"Most is learned about {name}: {column.worst_attack} is right for {percent(best.success)} of the people, and "
        f"for {percent(best.baseline)} {_against(findings, best)}. "
        f"The value of {certain} is certain for {percent(findings.columns[certain].certain_known)} of the people."
    )


def _against(findings: AttributeFindings, result: AttributeResult) -> str:
    """Say by what guess the baseline is reached."""
    if result.baseline > result.control:
        return "by guessing the commonest value, or the median, for everybody"
    return "of the people outside" if findings.control == "hold-out" else "without their own rows"


def lines(findings: AttributeFindings) -> dict[str, str]:
    """Say it in a few lines by title, for the terminal."""
    notes = {f"Hidden values, {name}": column.note for name, column in findings.columns.items() if column.note}
    said = {"Hold-out": " ".join(findings.notes)} if findings.notes else {}
    left_out = {f"Left out {name} (hidden values)": reason for name, reason in findings.left_out.items()}
    return {"Hidden values": f"{asked(findings)} {summary(findings)}", **notes, **said, **left_out}


def group(column: AttributeColumn) -> str:
    """Name the group about whom most is learned; empty if no group is large enough."""
    one = column.worst_group
    if one is None:
        return ""
    people = counted(one.people, "person", "people")
    return f"{one.column} = {one.value} ({people}): {percent(one.advantage_over_best_guess)}"
