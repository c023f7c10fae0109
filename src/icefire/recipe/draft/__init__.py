"""A first recipe for given data, as TOML with comments: to read, change and check before it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.types import DataKind
from icefire.recipe.draft import histories, tables
from icefire.recipe.draft.toml import RecipeDraft, as_toml

_DRAFTS: Mapping[DataKind, Callable[[Any, int], RecipeDraft]] = {"table": tables.draft, "history": histories.draft}


def first_recipe(data: Dataset | History, k: int, policy: str) -> str:
    """Write a first recipe for a table or a history.

    Args:
        data: The data, with the roles or meanings of their columns.
        k: Least number of people who are to look the same.
        policy: Name of the policy that k comes from, for the comments.

    Returns:
        The content of a recipe file.

    Raises:
        ParameterError: If there are fewer than k people, or no column that a step could work on.
    """
    return as_toml(_DRAFTS[data.kind](data, k), k, policy)
