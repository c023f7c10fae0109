"""Select the measures and attacks that apply to a dataset: all, or those named, which then must apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from icefire.core import registry
from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError, SchemaError, did_you_mean, listing
from icefire.core.history import History
from icefire.core.registry import Entry, Question, ReleaseKind
from icefire.core.schema import Kind, Role
from icefire.core.types import DataKind

ROLES = ("qi", "sa", "numeric_sa")
COLUMNS: dict[DataKind, tuple[str, ...]] = {
    "table": ROLES,
    "history": ("receipt", "date", "time", "price", "number", "customers"),
}
"""What a measure or an attack may need and data of a kind may lack."""
ASKED_FOR = ("origin", "membership", "attribute")
"""Questions that can be asked for by name."""
FIRST_ATTACKS = ("link", "link_rest", "replay")
"""Attacks that use everything in the release come first in every report."""


def reading_order(attack: str) -> int:
    """Return the place of an attack in reports; those that use everything come first, all others share a place."""
    return FIRST_ATTACKS.index(attack) if attack in FIRST_ATTACKS else len(FIRST_ATTACKS)


def select(
    sort: Literal["measure", "attack"],
    names: Sequence[str] | None,
    data: Dataset | History,
    includes: Callable[[Entry], bool] = lambda _: True,
    question: Question = "origin",
    release: ReleaseKind = "rows",
    *,
    strict: bool = True,
) -> tuple[list[Entry], dict[str, str]]:
    """Look up what was named, or all that `includes` lets through.

    Args:
        sort: What to select.
        names: Names or codes; None selects all that apply.
        data: The original.
        includes: Tells whether an entry that nobody named runs.
        question: Only attacks on this question are selected.
        release: Only attacks for releases of this kind are selected.
        strict: Whether something named that cannot run is an error; otherwise it is left out.

    Returns:
        The entries, and by name those left out because the data lack what they need, with the reason.

    Raises:
        ParameterError: If something named is for another kind of data.
        SchemaError: If something named needs a column that is not there.
    """
    if names is not None:
        named = [registry.get(sort, name, data.kind) for name in names]
        for entry in named if strict else ():
            check_needs(entry, data)
            if entry.question == question:
                check_release(entry, release)
    selected, left_out = [], {}
    for entry in filter(includes, registry.entries(sort, data.kind)) if names is None else named:
        if entry.question != question or entry.release != release:
            continue
        lacking = _lacking(entry, data)
        if lacking:
            left_out[entry.name] = f"needs {_words(lacking)}{_not_released(lacking, data)}"
        else:
            selected.append(entry)
    return selected, left_out


def check_needs(entry: Entry, data: Dataset | History) -> None:
    """Refuse a measure or attack that was named but has nothing to work on."""
    if entry.data != data.kind:
        fitting = [other.name for other in registry.entries(entry.sort, data.kind)]
        raise ParameterError(
            f"{entry.sort} {entry.name!r} is for a {entry.data}, but this is a {data.kind}; use: {listing(fitting)}"
        )
    lacking = _lacking(entry, data)
    if lacking and (lost := _not_released(lacking, data)):
        raise SchemaError(f"{entry.sort} {entry.name!r} needs {_words(lacking)}{lost}; leave it out")
    if lacking:
        option = lacking[-2:] if lacking in ROLES else lacking
        raise SchemaError(f"{entry.sort} {entry.name!r} needs {_words(lacking)}; name it with --{option}")


def check_release(entry: Entry, release: ReleaseKind) -> None:
    """Refuse an attack that was named but is for releases of another kind."""
    if entry.sort != "attack" or entry.release == release:
        return
    if release == "rows":
        raise ParameterError(f"attack {entry.name!r} is for synthetic releases; add --synthetic, or leave it out")
    fitting = [other.name for other in registry.entries("attack", entry.data) if other.release == release]
    raise ParameterError(
        f"attack {entry.name!r} needs released rows that come from people, which those of a synthetic release do not; "
        f"use: {listing(fitting)}"
    )


def check_asked(ask: Sequence[str], attacks: Sequence[str]) -> None:
    """Refuse a question that does not exist, and an attack that answers one that is not asked."""
    for question in ask:
        if question == "linking":
            raise ParameterError(
                "ask got 'linking'; leave it out: which pseudonyms are one person is asked by itself of every history "
                "in which somebody has several"
            )
        if question not in ASKED_FOR:
            raise ParameterError(f"ask got {question!r}; {did_you_mean(question, ASKED_FOR)}")
    # Linking is asked by itself wherever pseudonyms change, hidden values wherever a column is sensitive.
    check_questions(attacks, ("origin", "linking", "attribute", *ask))


def check_questions(attacks: Sequence[str], asked: Sequence[str]) -> None:
    """Refuse an attack that was named but answers a question that is not asked."""
    for name in attacks:
        check_release(registry.get("attack", name), "rows")
    for name, reason in not_asked(attacks, asked).items():
        raise ParameterError(f"attack {name!r} {reason}, or leave the attack out")


def not_asked(attacks: Sequence[str], asked: Sequence[str]) -> dict[str, str]:
    """Name the attacks that answer a question which is not asked, with the reason."""
    entries = [registry.get("attack", name) for name in attacks]
    return {
        entry.name: f"answers the question {entry.question!r}, which is not asked; add --ask {entry.question}"
        for entry in entries
        if entry.question not in asked
    }


def _words(need: str) -> str:
    return "the table of customers" if need == "customers" else f"a {need.replace('_', ' ')} column"


def _not_released(need: str, data: Dataset | History) -> str:
    """Say that the original has such columns, but the release does not; empty where the original has none either."""
    if not isinstance(data, Dataset) or need not in ROLES:
        return ""
    kind = Kind.NUMBER if need == "numeric_sa" else None
    names = data.schema.before_release(Role(need[-2:]), kind=kind)
    return f" (not released: {listing(names)})" if names else ""


def _lacking(entry: Entry, data: Dataset | History) -> str | None:
    return next((need for need in entry.needs if need in COLUMNS[data.kind] and not data.has(need)), None)
