"""Reading the fields of a posted form; for files see uploads."""

from __future__ import annotations

from starlette.datastructures import FormData


def text(form: FormData, name: str) -> str:
    """Return a field of a form; one that is missing is empty."""
    value = form.get(name, "")
    return value if isinstance(value, str) else ""
