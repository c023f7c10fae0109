"""Measure the recipes of the gallery and rewrite what docs/recipes.md shows of them: python docs/make_recipes.py."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl

import icefire
from icefire.core import formatting, seeds
from icefire.core.scorecard import AttackResult, Scorecard

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "recipes.md"
GALLERY = ROOT / "examples" / "recipes"

ATTACKS = ("link", "replay", "E1", "E2", "E3", "E4", "EUC1", "EUC2", "cover")
MEASURES = ("S1", "S2", "U1", "U2", "U3", "U4", "U5", "U6")
BY_GROUP = ("E1", "E2", "EUC1", "EUC2")
"""Attacks that look people up by their quasi-identifiers."""
SEED = 1
POLICIES = {
    "research_file": "trusted",
    "statistical_office": "trusted",
    "open_data": "public",
    "teaching_file": "trusted",
    "test_data": "public",
    "contest_d2": "public",
    "contest_d10": "public",
    "strong_privacy": "public",
    "cheating_permutation": "public",
    "shop_paper": "trusted",
    "shop_strong": "trusted",
}
"""The policy that each recipe is judged by."""
WARNINGS = ("contest_d2", "cheating_permutation", "shop_paper")
"""Recipes that are there to show what does not protect."""
ROUNDING = 1e-9


SHOP = "shop_"
"""How the names of recipes for histories begin."""
SHOP_MEASURES = {"rows added": "rows_added", "U1": "u1_cmae", "U2": "u2_cmae", "U3": "u3_rfm"} | {
    "groups": "clusters",
    "support": "support_error",
}


def names() -> list[str]:
    """List the recipes of the gallery in the order of the page."""
    return re.findall(r"<!-- recipe: (\w+) -->", PAGE.read_text(encoding="utf-8"))


def data_for(name: str) -> Any:
    """Make the sample a recipe is measured on."""
    return icefire.sample("shop" if name.startswith(SHOP) else "households")


def measure(name: str, original: Any) -> Scorecard:
    """Release the data by one recipe, attack and measure the release."""
    if name.startswith(SHOP):
        made = icefire.anonymize(original, GALLERY / f"{name}.toml", seed=seeds.DEFAULT_SEED)
        return icefire.audit(original, made, policy=POLICIES[name], seed=SEED, people=0).scorecard
    release = icefire.anonymize(original, GALLERY / f"{name}.toml", seed=seeds.DEFAULT_SEED)
    known = comparable(original.frame, release.released.frame, original.qi)
    settings = {code: {"qi": known} for code in BY_GROUP} | {"E4": {"column": "tuition", "zero_is_no_answer": True}}
    return icefire.audit(
        original,
        release,
        attacks=ATTACKS,
        measures=MEASURES,
        parameters=settings,
        policy=POLICIES[name],
        seed=SEED,
        people=0,
    ).scorecard


def comparable(original: pl.DataFrame, released: pl.DataFrame, qi: tuple[str, ...]) -> list[str]:
    """Name the columns an attacker would use: not blanked out, and most values are ones that occur in the original."""
    return [name for name in qi if released[name].n_unique() > 1 and _known_share(original, released, name) > 0.5]


def _known_share(original: pl.DataFrame, released: pl.DataFrame, name: str) -> float:
    values = original[name].cast(pl.String).unique()
    return float(released[name].cast(pl.String).is_in(values.implode(), nulls_equal=True).mean() or 0)  # type: ignore[arg-type]


def rates(card: Scorecard) -> dict[str, float]:
    """Read the rate of every attack by its code, or else its name: the exact expectation where the answer was drawn."""
    return {attack.code or name: _rate(attack) for name, attack in card.attacks.items()}


def _rate(attack: AttackResult) -> float:
    return attack.rate if attack.expected is None else attack.expected


def best(card: Scorecard) -> str:
    """Name the attack that identified most."""
    found = rates(card)
    code = max(found, key=lambda code: found[code])
    return f"{code} {formatting.percent(found[code])}" if found[code] else "none"


def verdict(name: str, card: Scorecard) -> str:
    """Say whether the release passes under the recipe's policy."""
    return f"{POLICIES[name]}: {'passes' if card.verdict.passed else 'does not pass'}"


def values(card: Scorecard) -> dict[str, str]:
    """Write the value of every measure, by its code."""
    return {result.code: _number(result.value) for result in card.measures.values()}


def _number(value: float | None) -> str:
    """Write a value; what rounding alone left is 0, and what has no value on this release a dash."""
    if value is None:
        return "–"
    return formatting.number(0 if abs(value) < ROUNDING else value)


def shop_block(name: str, card: Scorecard) -> str:
    """Write one recipe for histories with its scorecard."""
    recipe = (GALLERY / f"{name}.toml").read_text(encoding="utf-8").rstrip()
    ranked = sorted(card.attacks.items(), key=lambda item: -_rate(item[1]))
    found = {result: _number(card.measures[result].value) for result in SHOP_MEASURES.values()}
    return "\n".join(
        [
            f"```toml\n{recipe}\n```\n",
            _line([name for name, _ in ranked]),
            _line(["--:"] * len(ranked)),
            _line([formatting.percent(_rate(attack)) for _, attack in ranked]) + "\n",
            _line(["rows", *SHOP_MEASURES]),
            _line(["--:"] * (1 + len(SHOP_MEASURES))),
            _line([formatting.count(card.provenance.released.rows), *found.values()]),
        ]
    )


def block(name: str, card: Scorecard) -> str:
    """Write one recipe with its scorecard."""
    if name.startswith(SHOP):
        return shop_block(name, card)
    recipe = (GALLERY / f"{name}.toml").read_text(encoding="utf-8").rstrip()
    attacks = [formatting.percent(rates(card)[code]) if code in rates(card) else "–" for code in ATTACKS]
    aya = formatting.percent(card.aya.rate) if card.aya else "–"
    return "\n".join(
        [
            f"```toml\n{recipe}\n```\n",
            _line(["best attack", *ATTACKS, "AYA"]),
            _line(["---", *["--:"] * (1 + len(ATTACKS))]),
            _line([best(card), *attacks, aya]) + "\n",
            _line(["rows", *MEASURES]),
            _line(["--:"] * 9),
            _line([formatting.count(card.provenance.released.rows), *(values(card)[code] for code in MEASURES)]),
        ]
    )


def overview(cards: dict[str, Scorecard]) -> str:
    """Write all recipes in one table."""
    codes = ("S1", "U2", "U4", "U5")
    lines = [_line(["recipe", "policy", "best attack", "rows", *codes]), _line(["---"] * 3 + ["--:"] * 5)]
    for name, card in cards.items():
        rows = formatting.count(card.provenance.released.rows)
        measured = ["", "", "", ""] if name.startswith(SHOP) else [values(card)[code] for code in codes]
        lines.append(_line([f"[{name}](#{name})", verdict(name, card), best(card), rows, *measured]))
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
    cards = {name: measure(name, data_for(name)) for name in names()}
    blocks = {"overview": overview(cards)} | {f"recipe: {name}": block(name, card) for name, card in cards.items()}
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), blocks), encoding="utf-8")


if __name__ == "__main__":
    main()
