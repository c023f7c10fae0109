"""Tables of documentation pages, and figures compared with what a page shows, to the digits that are printed."""

from __future__ import annotations

import re

from support.places import DOCS

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def doc_table(page: str, *header: str) -> dict[str, dict[str, str]]:
    """Return the first table of a page whose header has these cells: lines by their first cell, cells by header."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(lines):
        names = cells(line)
        if line.startswith("|") and set(header) <= set(names):
            body = []
            for row in lines[place + 2 :]:
                if not row.startswith("|"):
                    break
                body.append(cells(row))
            return {row[0]: dict(zip(names, row, strict=True)) for row in body}
    raise AssertionError(f"{page} has no table with the columns {header}")


def cells(line: str) -> list[str]:
    """Return the cells of a line, without marks of emphasis and code."""
    return [re.sub(r"[*`]", "", cell).strip() for cell in line.strip().strip("|").split("|")]


def shown_numbers(text: str) -> list[tuple[float, float]]:
    """Return the numbers in a text, shares for per cent, each with half a unit of its last digit."""
    scale = 0.01 if "%" in text else 1.0
    found_numbers = []
    for match in NUMBER.findall(text):
        decimals = len(match.partition(".")[2])
        found_numbers.append((float(match.replace(",", "")) * scale, 0.5 * 10.0**-decimals * scale))
    return found_numbers


def assert_shown(text: str, *values: float) -> None:
    """Check that a text shows these values, to its last digit."""
    numbers = shown_numbers(text)
    assert len(numbers) == len(values), (text, values)
    for (number, margin), value in zip(numbers, values, strict=True):
        assert abs(number - value) <= margin * 1.001 + 1e-12, f"the page shows {text!r}, now it is {value!r}"
