"""The steps of a first recipe, each with the comment that explains it, and how they are written as TOML."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

WIDTH = 110

Setting = str | int | float | bool | Sequence[str]


@dataclass(frozen=True, slots=True)
class DraftStep:
    """One step: the method, why it is there and what can be changed, its parameters."""

    method: str
    why: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    is_example: bool = False
    """Written as a comment: it needs something that only a person can fill in."""


@dataclass(frozen=True, slots=True)
class RecipeDraft:
    """The steps in order, and what the head of the file says of the data."""

    about: Sequence[str]
    steps: Sequence[DraftStep]


def as_toml(draft: RecipeDraft, k: int, policy: str) -> str:
    """Write the file."""
    opening = (
        f"First recipe, for the policy {policy}: at least {k} people look the same. It was written by icefire from the "
        "roles and the values of the columns; nobody has judged it yet. Read it and change it, then: icefire recipe "
        "check, icefire anonymize, icefire audit. Only the audit tells whether a release passes."
    )
    lines = [*comment(opening), "#"]
    for remark in draft.about:
        lines += comment(remark)
    for step in draft.steps:
        lines += ["", *_step(step)]
    return "\n".join(lines) + "\n"


def comment(text: str) -> list[str]:
    """Write a text as lines of comments."""
    return [f"# {line}" for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)]


def quoted(name: str) -> str:
    """Write text as a string of TOML: a string of JSON, but for the character DEL."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def listed(names: Sequence[str]) -> str:
    """Write column names one after another, for a comment."""
    return ", ".join(quoted(name) for name in names)


def _step(step: DraftStep) -> list[str]:
    settings = [f"{name} = {_value(value)}" for name, value in step.settings.items()]
    content = ["[[step]]", f'method = "{step.method}"', *settings]
    if step.is_example:
        return [*comment(step.why), "#", *(f"# {line}" for line in content)]
    return [content[0], *comment(step.why), *content[1:]]


def _value(value: Setting) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:.15g}"
    return f"[{listed(value)}]"
