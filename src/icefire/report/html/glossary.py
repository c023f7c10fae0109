"""Definitions of the terms in the report; those of attacks and measures are their docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from icefire.core import registry
from icefire.core.errors import IcefireError
from icefire.core.registry import Entry, Sort
from icefire.core.scorecard import Scorecard
from icefire.core.types import DataKind
from icefire.words import details_of, said

UNKNOWN = "Not registered in the icefire that wrote this page; ask whoever provided it."

SECTION = re.compile(r"^(?:Args|Returns|Yields|Raises|Examples?):$", re.MULTILINE)
"""The title of a section of a Google-style docstring."""

TERMS = {
    "Re-identification rate": "The share of released rows for which an attack names the right original row. "
    "No answer counts as wrong.",
    "Quasi-identifier (QI)": "A column that says something about a person which others may know from elsewhere, "
    "such as age, region or occupation.",
    "Sensitive attribute (SA)": "A column the release is about, such as income, spending or a diagnosis.",
    "95 % interval": "The rates that remain plausible given how many rows were attacked (Wilson's formula). "
    "Few rows make it wide.",
    "Random guess": "The baseline: the rate of somebody who names original rows by drawing lots. A rate near it "
    "tells that the attack learned nothing.",
    "Expected": "Where an attack draws among several people, its rate depends on luck. Expected is the exact mean "
    "over all possible draws.",
    "Answered": "The rows for which the attack named anybody at all.",
    "Class and class size (k)": "A class is all released rows with the same quasi-identifiers; k is the size of "
    "the smallest. A row alone in its class can be singled out.",
    "Prosecutor, journalist and marketer risk": "Chances with an attacker who draws lots within a class. Prosecutor: "
    "the person is known to be in the release, so the chance is 1 divided by the size of the class there. Journalist: "
    "people are looked up in the original, so the class there counts. Marketer: the mean of the journalist's chances, "
    "which is the share of rows one expects to be identified.",
    "Special unique": "A released row alone already by a few quasi-identifiers together. A combination counts if no "
    "part of it would do. With m quasi-identifiers, a combination of s of them scores (m − s)! / (m − 1)!, and a row "
    "the sum of its combinations (SUDA).",
    "HIPAA safe harbour": "A rule of US law for health data: 18 kinds of identifiers have to be removed. The check "
    "looks for columns that seem to be such identifiers; it does not tell that a release complies.",
    "AYA": "A check of the claimed correspondence, not an attack: it compares each released row with the original "
    "row it is said to come from. Where an attack names a row that lies strictly nearer, AYA counts the answer as "
    "right. So a false correspondence, invented to make every attack fail, comes to light.",
    "Gain of a column": "The rate of EUC1 with all quasi-identifiers, less its rate without that one column, in "
    "percentage points. Below zero, the column misleads the attacker.",
}


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """One measure, attack or method, explained."""

    anchor: str
    name: str
    code: str
    summary: str
    text: str


def _entry(sort: Sort, name: str, data: DataKind = "table") -> Entry | None:
    """Find an entry, if possible for this kind of data; an unknown name or a broken plug-in is no reason to fail."""
    try:
        return registry.get(sort, name, data)
    except IcefireError:
        return None


def summary(sort: Sort, name: str, data: DataKind = "table") -> str:
    """Return the first line of what an entry says of itself."""
    entry = _entry(sort, name, data)
    return said(entry.summary if entry and entry.summary else UNKNOWN)


def define(sort: Sort, name: str, anchor: str, data: DataKind = "table") -> GlossaryEntry:
    """Explain one name in full."""
    entry = _entry(sort, name, data)
    text = _text(entry) if entry else ""
    short = summary(sort, name, data)
    return GlossaryEntry(anchor, name, entry.code if entry else "", short, text or said(UNKNOWN))


def _text(entry: Entry) -> str:
    """Return what an entry says of itself in the language in use, in English where there is no translation."""
    details = details_of(entry.sort, entry.name, entry.data)
    short = said(entry.summary)
    if short == entry.summary:
        return description(entry.function.__doc__ or "")
    return f"{short}\n\n{details}" if details else short


def description(docstring: str) -> str:
    """Return the summary and the details of a docstring, without its sections on arguments and results."""
    return SECTION.split(inspect.cleandoc(docstring))[0].strip()


def definitions(card: Scorecard, sort: Sort) -> dict[str, GlossaryEntry]:
    """Explain every attack or measure of a scorecard, left-out ones included, by name."""
    names = dict.fromkeys(card.attacks if sort == "attack" else card.measures)
    left_out = dict.fromkeys(card.left_out)
    if sort == "attack" and card.membership:
        names |= dict.fromkeys(card.membership.attacks)
        left_out |= dict.fromkeys(card.membership.left_out)
    if sort == "attack" and card.linking:
        names |= dict.fromkeys(card.linking.attacks)
        left_out |= dict.fromkeys(card.linking.left_out)
    names |= {name: None for name in left_out if _entry(sort, name)}
    data: DataKind = "table" if card.history is None else "history"
    return {name: define(sort, name, f"{sort}-{place}", data) for place, name in enumerate(names, 1)}


def prose(text: str) -> Markup:
    """Turn a docstring into HTML: paragraphs, and `names` as code. Everything is escaped."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return Markup("").join(Markup("<p>{}</p>").format(coded(paragraph)) for paragraph in paragraphs)


def coded(text: str) -> Markup:
    """Turn one line of a docstring into HTML, `names` as code."""
    return Markup(re.sub(r"`+([^`]+)`+", _code, str(escape(" ".join(text.split())))))


def _code(match: re.Match[str]) -> str:
    """Return code; a command of several words stands on a line of its own."""
    kind = ' class="command"' if match[1].startswith("icefire ") else ""
    return f"<code{kind}>{match[1]}</code>"


def options_whole(command: str) -> Markup:
    """Write a command so that a narrow screen breaks no option such as --schema after its hyphens."""
    words = (
        Markup("<span>{}</span>").format(word) if word.startswith("-") else escape(word) for word in command.split()
    )
    return Markup(" ").join(words)


def step_settings(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a recipe step that were set, without its name and what it noted."""
    return {name: value for name, value in step.items() if name not in ("method", "notes") and value is not None}


def recipe_settings(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a recipe says beside its steps; not its seed, from which the release could be undone."""
    return {name: value for name, value in recipe.items() if name not in ("steps", "seed")}
