"""P1 Figure 2 as a picture: how alike two customers of a history are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from icefire.audit.inspection.history_statistics import Resemblance
from icefire.report.html.jaccard_histogram import steps_shown
from icefire.studies.plots import COLOURS, blank

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def resemblance(alike: Resemblance) -> Figure:
    """Draw Figure 2: pairs of customers by the Jaccard coefficient of their goods, and the mean."""
    shown = steps_shown(alike)
    width = 1 / len(alike.histogram)
    figure = blank(5.4, 3.1)
    axes = figure.add_subplot()
    axes.bar(np.arange(len(shown)) * width, shown, 0.9 * width, align="edge", color=COLOURS[0])
    axes.axvline(alike.mean, color=COLOURS[1], linewidth=1.4, label=f"mean {alike.mean:.3f}")
    axes.plot(
        [alike.max], [0], marker="^", color="black", linestyle="none", clip_on=False, label=f"largest {alike.max:.3f}"
    )
    axes.set(xlabel="Jaccard coefficient of two customers", ylabel="pairs of customers", xlim=(0, len(shown) * width))
    axes.set_title(f"{alike.pairs:,} pairs{', a sample' if alike.sampled else ''}")
    axes.grid(visible=False, axis="x")
    axes.legend(fontsize=8)
    return figure
