"""Read Google-style docstrings: which sections there are, and which arguments they describe."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

SECTIONS = ("Args", "Returns", "Raises", "Yields", "Example", "Examples")


def sections(function: Callable[..., Any]) -> dict[str, str]:
    """The text of each section of a docstring; "" is what stands before the first."""
    parts: dict[str, list[str]] = {"": []}
    current = ""
    for line in inspect.cleandoc(function.__doc__ or "").splitlines():
        title = line.removesuffix(":")
        if line.endswith(":") and title in SECTIONS:
            current = title
            parts[current] = []
        else:
            parts[current].append(line)
    return {title: "\n".join(lines).strip("\n") for title, lines in parts.items()}


def described_arguments(function: Callable[..., Any]) -> dict[str, str]:
    """The arguments that the section Args describes, each with its text."""
    entries = re.split(r"^ {4}(?=\w)", sections(function).get("Args", ""), flags=re.MULTILINE)
    pairs = (entry.partition(":") for entry in entries if entry.strip())
    return {name.strip().lstrip("*"): " ".join(text.split()) for name, _, text in pairs}


def problems(function: Callable[..., Any]) -> list[str]:
    """Say what a docstring lacks: a summary sentence, a description of every argument, and what is returned."""
    own = sections(function)
    summary = own[""].partition("\n")[0]
    found = [] if summary.endswith(".") else ["the first line is not one sentence that ends in a period"]
    signature = inspect.signature(function)
    described = described_arguments(function)
    arguments = list(signature.parameters)
    found += [f"argument {name!r} is not described in Args" for name in arguments if not described.get(name)]
    found += [f"Args describes {name!r}, which is no argument" for name in described if name not in arguments]
    if signature.return_annotation not in (None, "None") and "Returns" not in own:
        found.append("there is no section Returns")
    return found
