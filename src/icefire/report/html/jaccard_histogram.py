"""How alike two people of a history are, as inline SVG: the distribution of the Jaccard coefficient (P1 Figure 2).

Horizontal places are percentages, so that the picture fits any width and text is never scaled. Text and lines take the
colour of the page, light or dark.
"""

from __future__ import annotations

from markupsafe import Markup

from icefire.audit.inspection.history_statistics import Resemblance
from icefire.core.formatting import count, percent

HEIGHT, ABOVE, BELOW = 180, 22, 40
FEWEST_STEPS = 20
"""Steps that are drawn at least, though the largest coefficient may lie far below."""
STYLE = "font-size:12px;fill:currentColor"


def jaccard_histogram(alike: Resemblance) -> Markup:
    """Draw a bar for each step of the coefficient up to the largest, and a line at the mean."""
    shown = steps_shown(alike)
    highest = max(*shown, 1)
    ends = len(shown) / len(alike.histogram)
    bars = Markup("").join(_bar(place, pairs, len(shown), highest) for place, pairs in enumerate(shown))
    mean = 100 * min(alike.mean / ends, 1.0)
    lines = Markup(
        '<line x1="0" x2="100%" y1="{0}" y2="{0}" stroke="currentColor" stroke-opacity=".5"></line>'
        '<line x1="{1:.4g}%" x2="{1:.4g}%" y1="{2}" y2="{0}" stroke="#d55e00" stroke-width="2"></line>'
    ).format(ABOVE + HEIGHT, mean, ABOVE - 6)
    words = _text(f"mean {alike.mean:.3f}", f"{mean:.4g}%", ABOVE - 10, "start" if mean < 60 else "end")
    ticks = Markup("").join(
        _text(f"{ends * share:.3g}", f"{100 * share:g}%", ABOVE + HEIGHT + 16, anchor)
        for share, anchor in ((0, "start"), (0.25, "middle"), (0.5, "middle"), (0.75, "middle"), (1, "end"))
    )
    name = _text(f"Jaccard coefficient; largest {alike.max:.3f}", "50%", ABOVE + HEIGHT + 34, "middle")
    top = _text(f"{count(highest)} pairs", "100%", ABOVE + 8, "end")
    return Markup(
        '<svg role="img" width="100%" height="{}" focusable="false" style="display:block;max-width:44rem">'
        "<title>{}</title><desc>{}</desc>{}{}{}{}{}{}</svg>"
    ).format(ABOVE + HEIGHT + BELOW, title(alike), in_words(alike), bars, lines, words, ticks, name, top)


def title(alike: Resemblance) -> str:
    """Return the heading of the picture."""
    return "Pairs of people by the Jaccard coefficient of their goods" + (" (a sample)" if alike.sampled else "")


def in_words(alike: Resemblance) -> str:
    """Say what the picture shows, for those who cannot see it."""
    below = sum(alike.histogram[: len(alike.histogram) // 10])
    return (
        f"{count(alike.pairs)} pairs; mean {alike.mean:.4f}, largest {alike.max:.3f}; "
        f"{percent(below / max(alike.pairs, 1))} of the pairs below 0.1"
    )


def steps_shown(alike: Resemblance) -> list[int]:
    """Return the steps up to the largest coefficient, a round number of them."""
    last = max((place for place, pairs in enumerate(alike.histogram) if pairs), default=0)
    wanted = max(FEWEST_STEPS, -(-(last + 1) // 10) * 10)
    return alike.histogram[: min(wanted, len(alike.histogram))]


def _bar(place: int, pairs: int, steps: int, highest: int) -> Markup:
    if not pairs:
        return Markup("")
    height = max(HEIGHT * pairs / highest, 1.0)
    return Markup('<rect x="{:.4g}%" y="{:.4g}" width="{:.4g}%" height="{:.4g}" fill="#3b82c4"></rect>').format(
        100 * place / steps, ABOVE + HEIGHT - height, 90 / steps, height
    )


def _text(words: str, x: str, y: float, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}" style="{}">{}</text>').format(x, y, anchor, STYLE, words)
