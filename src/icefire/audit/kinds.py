"""The kinds of data and their adapters. A new kind is one adapter and one line here."""

from __future__ import annotations

from typing import Any

from icefire.audit.adapter import Adapter
from icefire.audit.histories import HistoryAdapter
from icefire.audit.tables import TableAdapter
from icefire.core.scorecard import Roles
from icefire.core.types import DataKind

ADAPTERS: dict[DataKind, Adapter[Any, Any, Any]] = {"table": TableAdapter(), "history": HistoryAdapter()}


def adapter_of(data: Any) -> Adapter[Any, Any, Any]:
    """Return the adapter of a `Dataset` or a `History`."""
    kind: DataKind = data.kind
    return ADAPTERS[kind]


def describe_roles(data: Any) -> Roles:
    """List the columns of a `Dataset` or a `History` by role."""
    return adapter_of(data).roles(data)
