"""Where the roles of the columns come from."""

from __future__ import annotations


def inferred(source: str) -> bool:
    """Tell whether the roles are a guess."""
    return source == "inferred"


def role_source(source: str) -> str:
    """Say where the roles of the columns come from."""
    if inferred(source):
        return "The roles were inferred from the values: a guess. Check them before relying on any number here."
    if source == "given":
        return "The roles were named in the command."
    return f"The roles were read from {source}."
