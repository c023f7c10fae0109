"""Hints about steps that are allowed but probably not meant: they add nothing, or undo what others did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from icefire.recipe.steps import Step

HintKind = Literal["idle", "lost", "classes", "warning"]


@dataclass(frozen=True, slots=True)
class Hint:
    """One remark about a step."""

    step: int
    text: str
    kind: HintKind

    def __str__(self) -> str:
        return f"step {self.step}: {self.text}"


def hints(steps: Mapping[int, Step]) -> list[Hint]:
    """Say what can be seen from the recipe alone."""
    warnings = {number: step.entry.hint_with(step.parameters) for number, step in steps.items()}
    remarks = [Hint(number, text, "warning") for number, text in warnings.items() if text]
    for later in steps:
        for earlier in (number for number in steps if number < later):
            remarks += _idle(steps, earlier, later)
            remarks += _lost(steps, earlier, later)
            remarks += _classes(steps, earlier, later)
    return sorted(remarks, key=lambda hint: hint.step)


def _idle(steps: Mapping[int, Step], earlier: int, later: int) -> Iterator[Hint]:
    """Find a step that has nothing left to do."""
    first, second = steps[earlier], steps[later]
    names = first.name, second.name
    if not (_undisturbed(steps, earlier, later) and _covers(first, second)):
        return
    if names == ("average", "swap") and _same_groups(first, second):
        yield _adds_nothing(later, second, earlier, "average has given each group one value in those columns")
    elif names in (("shuffle", "swap"), ("shuffle", "shuffle")) and not first.parameters["together"]:
        yield _adds_nothing(later, second, earlier, "shuffle has mixed those columns over the whole table")
    elif first.entry.makes_constant and not second.entry.makes_constant and _columns(first):
        yield _adds_nothing(later, second, earlier, f"{names[0]} has left one value in those columns")


def _lost(steps: Mapping[int, Step], earlier: int, later: int) -> Iterator[Hint]:
    """Find a step whose work a later one wipes out."""
    first, second = steps[earlier], steps[later]
    names = first.name, second.name
    if not (_undisturbed(steps, earlier, later) and _covers(second, first)) or first.drops_rows is not False:
        return
    averaged = names == ("swap", "average") and _same_groups(first, second)
    shuffled = names == ("swap", "shuffle") and not second.parameters["together"]
    if averaged or shuffled or (second.entry.makes_constant and _columns(second)):
        yield Hint(earlier, f"{names[0]} is lost: {names[1]} in step {later} wipes out what it did", "lost")


def _classes(steps: Mapping[int, Step], earlier: int, later: int) -> Iterator[Hint]:
    """Find a step that may break up classes of k rows."""
    first, second = steps[earlier], steps[later]
    if not first.entry.makes_classes or second.entry.makes_classes:
        return
    breaks = second.entry.breaks_classes and _columns(second) is None
    if breaks or second.drops_rows:
        does = "changes quasi-identifiers" if breaks else "leaves rows out"
        yield Hint(
            later,
            f"{second.name} {does} after {first.name} in step {earlier} made classes of "
            f"{first.least_rows}: smaller ones may remain; put it before",
            "classes",
        )


def _adds_nothing(later: int, step: Step, earlier: int, reason: str) -> Hint:
    return Hint(later, f"{step.name} changes nothing: in step {earlier} {reason}; leave one of them out", "idle")


def _columns(step: Step) -> frozenset[str] | None:
    """The columns a step names; None for the method's default or a method that has none."""
    named = step.parameters.get("columns")
    return None if named is None else frozenset(named)


def _covers(wide: Step, narrow: Step) -> bool:
    """Tell whether one step works on all columns of the other, as far as both say."""
    if "columns" not in wide.parameters or "columns" not in narrow.parameters:
        return False
    outer, inner = _columns(wide), _columns(narrow)
    return inner is None if outer is None else inner is not None and inner <= outer


def _same_groups(first: Step, second: Step) -> bool:
    return bool(first.parameters.get("qi") == second.parameters.get("qi"))


def _undisturbed(steps: Mapping[int, Step], earlier: int, later: int) -> bool:
    """Tell whether nothing in between touches what both steps work on."""
    touched = (_columns(steps[earlier]) or frozenset()) | (_columns(steps[later]) or frozenset())
    return all(_aside(steps[n], touched) for n in steps if earlier < n < later)


def _aside(step: Step, touched: frozenset[str]) -> bool:
    """Tell whether a step leaves those columns and all groups alone."""
    if step.name in ("delete", "sample_rows"):
        return True
    named = _columns(step)
    return "qi" not in step.parameters and bool(touched) and named is not None and not named & touched
