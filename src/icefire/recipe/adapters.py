"""What recipes need to know of each kind of data, and where it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from icefire.core.dataset import Dataset
from icefire.core.history import History
from icefire.core.release import Release
from icefire.core.types import DataKind
from icefire.kernels.types import Int
from icefire.recipe import histories, tables
from icefire.recipe.histories import HistoryEffect
from icefire.recipe.tables import TableEffect

StepEffect = TableEffect | HistoryEffect
"""What one step did to the data."""


class RecipeAdapter(Protocol):
    """One kind of data, as recipes see it: a module with these functions."""

    def with_origin(self, data: Any) -> Any:
        """Give every row the hidden number that it will be known by."""

    def without_origin(self, changed: Any, original: Any) -> tuple[Any, Int]:
        """Split the hidden numbers off again: the data, and the original row or subject of each."""

    def publish(self, changed: Any, original: Any, as_run: dict[str, Any], seed: int) -> Release[Any]:
        """Make data that may be handed out, and keep the truth apart."""

    def lacks(self, need: str) -> str:
        """Say that a column is needed, and how to name it."""

    def check_columns(self, data: Any, asked: Sequence[str], what: str) -> None:
        """Refuse columns that the data do not have; `what` names the parameter."""

    def some_rows(self, data: Any, most: int) -> Any:
        """Return data with fewer rows to try steps on, or the data themselves where that would tell nothing."""

    def watched(self, data: Any) -> tuple[Any, dict[str, tuple[str, ...]]]:
        """Return data that write down, in the mapping, which columns a method takes for which parameter."""

    def unwatched(self, data: Any, before: Any) -> Any:
        """Return data that write nothing down any more."""

    def effect(self, before: Any, after: Any, drew: bool, columns: dict[str, tuple[str, ...]]) -> StepEffect:
        """Compare the data before a step with those after it."""

    def touched(self, before: Any, after: Any) -> set[str]:
        """Name the columns that are not what they were."""

    def described(self, data: Any) -> Mapping[str, Any]:
        """Return what an explanation says of the data at the start."""

    def role_titles(self, data: Any) -> Mapping[str, tuple[str, ...]]:
        """Return the roles with several columns, by what they are called in an explanation."""


_ADAPTERS: Mapping[DataKind, RecipeAdapter] = {"table": tables, "history": histories}


def adapter_of(data: Dataset | History) -> RecipeAdapter:
    """Return what recipes need to know of this kind of data."""
    return _ADAPTERS[data.kind]
