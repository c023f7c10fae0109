"""How results show themselves in notebooks."""

from __future__ import annotations

from importlib import import_module


class ShownInNotebooks:
    """Adds the HTML that notebooks ask for; the words and the drawing are in `icefire.report.notebook`.

    That package is loaded when a notebook asks, by its name: results do not depend on how they are drawn.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        text: str = import_module("icefire.report.notebook").html_of(self)
        return text
