"""What is known of a method before it runs: whether it draws, whether rows can disappear.

A signature does not say these things. Methods that are not listed here draw if they read their generator, and keep
every row if they are ours; of a plug-in's rows nothing is known. A test holds the lists against what methods do.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from icefire.core.registry import Entry
from icefire.recipe.steps import Step

Condition = Callable[[Mapping[str, Any]], bool]


def _always(_: Mapping[str, Any]) -> bool:
    return True


def _by_dropping(parameters: Mapping[str, Any]) -> bool:
    return bool(parameters["how"] == "drop")


DROPS: dict[str, Condition] = {
    "bottom_code": _by_dropping,
    "delete": _always,
    "delete_by_candidates": _always,
    "delete_purchases": _always,
    "k_anonymize": lambda parameters: bool(parameters.get("max_suppressed")),
    "merge_purchases": _always,
    "sample_rows": _always,
    "scatter_rows": _always,
    "suppress_rare_goods": _always,
    "suppress_rows": _always,
    "top_code": _by_dropping,
}
"""Methods that leave rows out, and when."""

DRAWS: dict[str, Condition] = {
    "k_anonymize": lambda parameters: parameters["mode"] == "local" and parameters["hierarchies"] is not None,
    "pseudonyms": lambda parameters: parameters["secret_file"] is None,
    "round_values": lambda parameters: bool(parameters["how"] == "random"),
}
"""Methods that read their generator but draw only sometimes."""

MAKES_CLASSES = ("k_anonymize", "local_suppress", "suppress_rows")
"""Methods after which every class of the quasi-identifiers has k rows."""

FLATTENS = ("suppress_columns", "unify")
"""Methods that leave one value in the whole column."""


def drops(step: Step) -> bool | None:
    """Tell whether the step can leave rows out; None if nobody knows."""
    if step.entry.name in DROPS:
        return DROPS[step.entry.name](step.parameters)
    return False if step.entry.module.startswith("icefire.methods.") else None


def draws(step: Step) -> bool:
    """Tell whether the step draws at random."""
    return _reads_generator(step.entry) and DRAWS.get(step.entry.name, _always)(step.parameters)


def _reads_generator(entry: Entry) -> bool:
    """Tell whether the function uses the generator every method is handed; without its source, assume so."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(entry.function)))
    except (OSError, SyntaxError):
        return True
    return any(isinstance(node, ast.Name) and node.id == "rng" for node in ast.walk(tree))
