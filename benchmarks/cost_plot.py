"""CPU seconds against people as a picture (SVG) with logarithmic axes."""

from __future__ import annotations

from math import ceil, floor, log10

Costs = dict[str, list[tuple[int, float]]]
WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 60, 120, 20, 50
LEAST = 1e-3
"""Costs below this are drawn as this."""
LINE = 13
"""Height of a line of text."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c6d00", "#56b4e9", "#7f3c8d", "#e41a1c", "#444444", "#1b7837")


def drawn(costs: Costs, people: str) -> str:
    """Return the picture: one line per attack, named at its right end.

    Args:
        costs: People and CPU seconds of each attack.
        people: What the people are called on the axis.
    """
    sizes = [size for line in costs.values() for size, _ in line]
    seconds = [max(cost, LEAST) for line in costs.values() for _, cost in line]
    across = _Axis(log10(min(sizes)), log10(max(sizes)), LEFT, WIDTH - RIGHT)
    upward = _Axis(floor(log10(min(seconds))), ceil(log10(max(seconds))), HEIGHT - BOTTOM, TOP)
    parts = [_grid_line(across, upward, power) for power in range(floor(upward.low), ceil(upward.high) + 1)]
    parts += [_tick(across, size) for size in sorted(set(sizes))]
    parts += _lines(costs, across, upward)
    middle = (LEFT + WIDTH - RIGHT) // 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">{people}</text>')
    parts.append(
        f'<text x="14" y="{HEIGHT // 2}" transform="rotate(-90 14 {HEIGHT // 2})" text-anchor="middle">CPU s</text>'
    )
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>"]) + "\n"


class _Axis:
    """Powers of ten from `low` to `high`, at places from `start` to `end`."""

    def __init__(self, low: float, high: float, start: int, end: int) -> None:
        self.low, self.high, self.start, self.end = low, max(high, low + 1e-9), start, end

    def place(self, value: float) -> float:
        return self.start + (log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)


def _grid_line(across: _Axis, upward: _Axis, power: int) -> str:
    y = upward.place(10.0**power)
    return (
        f'<line x1="{across.start}" x2="{across.end}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        f'<text x="{across.start - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
    )


def _tick(across: _Axis, size: int) -> str:
    return f'<text x="{across.place(size):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{size:,}</text>'


def _lines(costs: Costs, across: _Axis, upward: _Axis) -> list[str]:
    """Return the lines, the dearest attack first, and their names one below the other."""
    parts, below = list[str](), 0.0
    ranked = sorted(costs, key=lambda name: -costs[name][-1][1])
    for name in ranked:
        colour = COLOURS[list(costs).index(name) % len(COLOURS)]
        points = [(across.place(size), upward.place(max(cost, LEAST))) for size, cost in costs[name]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        below = max(points[-1][1] + 4, below + LINE)
        parts.append(f'<text x="{across.end + 8}" y="{below:.1f}" fill="{colour}">{name}</text>')
    return parts
