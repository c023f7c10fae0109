"""Checks of what a registered function says of itself."""

from __future__ import annotations

import inspect
import re

from icefire.core.registry import Entry


def check_description(entry: Entry) -> None:
    """Check the name, the docstring, the defaults, and that declarations speak of parameters there are."""
    assert re.fullmatch(r"[a-z][a-z0-9_]*", entry.name), f"{entry.name}: a name is lower case with underscores"
    assert entry.summary.endswith("."), f"{entry.name}: the docstring begins with one sentence that ends in a period"
    for parameter in entry.parameters.values():
        assert parameter.default is not inspect.Parameter.empty, f"{entry.name}: {parameter.name} has a default"
    for name in (*entry.defaults, *((entry.least_rows,) if entry.least_rows else ())):
        assert name in entry.parameters, f"{entry.name}: {name!r} in the decorator is a parameter"
    assert entry.least_rows or not entry.makes_classes, f"{entry.name}: least_rows says how large the classes are"
    if entry.sort == "method":
        assert entry.draws is not None, f"{entry.name}: the decorator says whether it draws at random (draws)"
        assert entry.drops_rows is not None, f"{entry.name}: the decorator says whether rows can go (drops_rows)"
    if entry.sort == "attack":
        text = (entry.function.__doc__ or "").lower()
        assert entry.knows, f"{entry.name}: an attack says what the attacker knows"
        assert "attacker knows" in text, f"{entry.name}: the docstring says what the attacker knows"
        assert "success" in text, f"{entry.name}: the docstring says what success is"
