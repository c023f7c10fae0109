"""Read data for a verb that uses their roles: roles that were inferred are used only where somebody agreed to them."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Unpack

from icefire.core.dataset import Dataset
from icefire.core.errors import SchemaError
from icefire.core.history import History
from icefire.core.schema import Schema
from icefire.io.options import DataSource, ReadOptions
from icefire.io.read import read

TITLES = {"qi": "quasi-identifier", "sa": "sensitive", "id": "identifier", "other": "other"}


def read_for_use(source: DataSource, *, key: str | None = None, **reading: Unpack[ReadOptions]) -> Dataset | History:
    """Read data whose roles decide what comes next.

    A `Dataset` that was read before is taken with its roles: whoever has it can see them. Of other tables inferred
    roles are used if `infer_roles` says so; in an interactive session they are used and shown.

    Args:
        source: The data; see `read`.
        key: Column that names people in several tables.
        **reading: Keywords of `read`.

    Returns:
        The table or the history.

    Raises:
        SchemaError: If roles were inferred, nobody agreed to them and nobody is there to see them.
    """
    data = read(source, key=key, **reading)
    is_new = not isinstance(source, Dataset)
    if is_new and isinstance(data, Dataset) and data.schema.origin == "inferred" and not reading.get("infer_roles"):
        check_inferred(data.schema)
    return data


def is_interactive() -> bool:
    """Tell whether somebody types what is run: at Python's prompt, in IPython or in a notebook."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or "get_ipython" in vars(sys.modules["builtins"])


def check_inferred(schema: Schema) -> None:
    """Show inferred roles to whoever is there; refuse them where nobody is."""
    if is_interactive():
        warnings.warn(
            f"no roles were given; these were inferred. Correct them with qi=[…] and sa=[…].\n{role_lines(schema)}",
            stacklevel=5,
        )
        return
    raise SchemaError(
        "no roles were given, and inferred ones are not used unasked; pass --qi COLUMNS and --sa COLUMNS, --schema "
        f"FILE, or --infer-roles to use these:\n{role_lines(schema)}"
    )


def role_lines(schema: Schema) -> str:
    """Return a table of the columns with their roles and why each was inferred."""
    rows: list[tuple[Any, ...]] = [(one.name, TITLES[one.role.value], one.reason) for one in schema.columns]
    widths = [max(len(row[place]) for row in rows) for place in (0, 1)]
    return "\n".join(f"  {name:<{widths[0]}}  {role:<{widths[1]}}  {reason}".rstrip() for name, role, reason in rows)
