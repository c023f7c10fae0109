"""Measure the recipes of the gallery and rewrite what docs/recipes.md shows of them: python docs/make_recipes.py."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

import icefire
from icefire import figures
from icefire.dataset import Dataset
from icefire.scorecard import AttackResult, Scorecard

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "recipes.md"
GALLERY = ROOT / "examples" / "recipes"

ATTACKS = ("E1", "E2", "E3", "E4", "EUC1", "EUC2")
MEASURES = ("S1", "S2", "U1", "U2", "U3", "U4", "U5", "U6")
BY_GROUP = ("E1", "E2", "EUC1", "EUC2")
"""Attacks that look people up by their quasi-identifiers."""
SEED = 1
ROUNDING = 1e-9


def names() -> list[str]:
    """List the recipes of the gallery in the order of the page."""
    return re.findall(r"<!-- recipe: (\w+) -->", PAGE.read_text(encoding="utf-8"))


def measure(name: str, original: Dataset) -> Scorecard:
    """Release the table by one recipe, attack it and measure it."""
    release = icefire.anonymize(original, GALLERY / f"{name}.toml")
    known = comparable(original.frame, release.released.frame, original.qi)
    settings = {code: {"qi": known} for code in BY_GROUP} | {"E4": {"column": "tuition", "zero_is_no_answer": True}}
    found = icefire.audit(
        original, release, attacks=ATTACKS, measures=MEASURES, parameters=settings, seed=SEED, people=0
    )
    return found.scorecard


def comparable(original: pl.DataFrame, released: pl.DataFrame, qi: tuple[str, ...]) -> list[str]:
    """Name the columns an attacker would use: not blanked out, and most values are ones that occur in the original."""
    return [name for name in qi if released[name].n_unique() > 1 and _known_share(original, released, name) > 0.5]


def _known_share(original: pl.DataFrame, released: pl.DataFrame, name: str) -> float:
    values = original[name].cast(pl.String).unique()
    return float(released[name].cast(pl.String).is_in(values.implode(), nulls_equal=True).mean() or 0)  # type: ignore[arg-type]


def rates(card: Scorecard) -> dict[str, float]:
    """Read the rate of every attack by its code: the exact expectation where the answer was drawn."""
    return {attack.code: _rate(attack) for attack in card.attacks.values()}


def _rate(attack: AttackResult) -> float:
    return attack.rate if attack.expected is None else attack.expected


def best(card: Scorecard) -> str:
    """Name the attack that identified most."""
    found = rates(card)
    code = max(found, key=lambda code: found[code])
    return f"{code} {figures.percent(found[code])}" if found[code] else "none"


def values(card: Scorecard) -> dict[str, str]:
    """Write the value of every measure, by its code."""
    return {result.code: _number(result.value) for result in card.measures.values()}


def _number(value: float | None) -> str:
    """Write a value; what rounding alone left is 0, and what has no value on this release a dash."""
    if value is None:
        return "–"
    return figures.number(0 if abs(value) < ROUNDING else value)


def block(name: str, card: Scorecard) -> str:
    """Write one recipe with its scorecard."""
    recipe = (GALLERY / f"{name}.toml").read_text(encoding="utf-8").rstrip()
    attacks = [figures.percent(rates(card)[code]) for code in ATTACKS]
    aya = figures.percent(card.aya.rate) if card.aya else "–"
    return "\n".join(
        [
            f"```toml\n{recipe}\n```\n",
            _line(["best attack", *ATTACKS, "AYA"]),
            _line(["---", *["--:"] * 7]),
            _line([best(card), *attacks, aya]) + "\n",
            _line(["rows", *MEASURES]),
            _line(["--:"] * 9),
            _line([figures.count(card.provenance.released.rows), *(values(card)[code] for code in MEASURES)]),
        ]
    )


def overview(cards: dict[str, Scorecard]) -> str:
    """Write all recipes in one table."""
    lines = [_line(["recipe", "best attack", "rows", "S1", "U2", "U4", "U5"]), _line(["---", "---", *["--:"] * 5])]
    for name, card in cards.items():
        rows = figures.count(card.provenance.released.rows)
        lines.append(
            _line([f"[{name}](#{name})", best(card), rows, *(values(card)[code] for code in ("S1", "U2", "U4", "U5"))])
        )
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def rewritten(page: str, blocks: dict[str, str]) -> str:
    """Replace what stands between each mark and the end mark after it."""
    for mark, content in blocks.items():
        head = f"<!-- {mark} -->\n"
        start = page.index(head) + len(head)
        page = f"{page[:start]}{content}\n{page[page.index('<!-- end -->', start) :]}"
    return page


def main() -> None:
    """Measure every recipe and write the page."""
    original = icefire.sample("households")
    cards = {name: measure(name, original) for name in names()}
    blocks = {"overview": overview(cards)} | {f"recipe: {name}": block(name, card) for name, card in cards.items()}
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), blocks), encoding="utf-8")


if __name__ == "__main__":
    main()
