"""What all pictures of studies share: style, colours that everybody tells apart, and writing to files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: Any = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.grid": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.hashsalt": "icefire",
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.08,
}
COLOURS = ("#0072b2", "#d55e00", "#009e73")
"""Okabe and Ito's blue, vermilion and green."""
PURPLE, YELLOW, GREY = "#cc79a7", "#e69f00", "#767676"
"""Their purple and orange yellow, and a grey for what is only compared with."""


Marks = dict[str, Any]
"""Colour, marker and other arguments of one line."""


def save(draw: Callable[[], Figure], stem: Path) -> list[str]:
    """Draw a picture and write it as PNG and SVG; returns the names of the files."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        figure = draw()
        figure.savefig(stem.with_suffix(".png"), dpi=200, metadata={"Software": None})
        figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
    return [stem.with_suffix(suffix).name for suffix in (".png", ".svg")]


def save_as(draw: Callable[[], Figure], path: Path, ending: str) -> None:
    """Draw a picture and write it to one file, in the form that the ending (.png, .svg) names."""
    import matplotlib

    metadata: Any = {"Software": "icefire"} if ending == ".png" else {"Date": None, "Title": "icefire"}
    with matplotlib.rc_context(STYLE):
        draw().savefig(path, dpi=200, format=ending.removeprefix("."), metadata=metadata)


def blank(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, drawn without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def names_only(axes: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Leave only names at the top and at the left."""
    axes.grid(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)


def frame_cell(axes: Axes, x: int, y: int, colour: str) -> None:
    """Draw a frame around a cell."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x + 0.04, y + 0.06), 0.92, 0.88, fill=False, edgecolor=colour, linewidth=1.4, zorder=3))
