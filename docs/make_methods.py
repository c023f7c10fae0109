"""Measure the joint attack on the releases of the method pages: python docs/make_methods.py [PAGE …].

A page's table of measured releases has one line per release; `RELEASES` says by which steps each line was made.
"""

from __future__ import annotations

import contextlib
import datetime
import re
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import icefire
from icefire import hierarchy
from icefire.core import formatting

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "methods"
GALLERY = ROOT / "examples" / "recipes"
SEED = 11
HEAD = "| release | rows |"
TABLE_ATTACKS = ("link",)
HISTORY_ATTACKS = ("link",)
UNCHANGED = "*as it is*"

Steps = list[dict[str, Any]]


def step(method: str, **parameters: Any) -> dict[str, Any]:
    """Write one step of a recipe."""
    return {"method": method, **parameters}


K5 = step("k_anonymize", k=5)
REGION_QI = ["region", "members", "tenure", "head_age"]

ALL = list(icefire.sample("households", 30).frame.columns)


def _constant(method: str) -> dict[str, Steps]:
    qi = list(icefire.sample("households", 30).qi)
    return {"the last quasi-identifier": [step(method, columns=qi[-1:])], "all thirteen": [step(method, columns=qi)]}


FOLDER = "hierarchies"
K_MODES: dict[str, dict[str, Any]] = {
    "local, values that occur": {},
    "local, hierarchies": {"hierarchies": FOLDER},
    "full domain": {"mode": "full_domain", "max_suppressed": 0.05},
}
"""Modes of k_anonymize, by the words of its page."""

RELEASES: dict[str, dict[str, Steps]] = {
    "average": {"default": [step("average")], "after k_anonymize k = 5": [K5, step("average")]},
    "bottom_code": {
        "quantile = 0.05": [step("bottom_code", quantile=0.05)],
        "quantile = 0.5": [step("bottom_code", quantile=0.5)],
        "quantile = 0.05, drop": [step("bottom_code", quantile=0.05, how="drop")],
        "head_age at 40": [step("bottom_code", value=40, columns=["head_age"])],
    },
    "correlated_noise": {
        "scale = 0.1": [step("correlated_noise", scale=0.1)],
        "scale = 0.5": [step("correlated_noise", scale=0.5)],
        "scale = 1": [step("correlated_noise", scale=1.0)],
        "scale = 1, keep_spread": [step("correlated_noise", scale=1.0, keep_spread=True)],
    },
    "delete": {"share = 0.1": [step("delete", share=0.1)], "share = 0.5": [step("delete", share=0.5)]},
    "gaussian": {f"epsilon = {e}": [step("gaussian", epsilon=float(e))] for e in (1, 10, 100)},
    "k_anonymize": {
        f"{words}, k = {k}": [step("k_anonymize", k=k, **parameters)]
        for words, parameters in K_MODES.items()
        for k in (3, 10)
    }
    | {
        f"{words}, k = 3, then swap": [step("k_anonymize", k=3, **K_MODES[words]), step("swap")]
        for words in ("local, hierarchies", "full domain")
    },
    "laplace": {f"epsilon = {e}": [step("laplace", epsilon=float(e))] for e in (1, 10, 100)},
    "local_suppress": {
        "k = 3": [step("local_suppress", k=3)],
        "k = 10": [step("local_suppress", k=10)],
        "k = 3, wildcard": [step("local_suppress", k=3, suppressed="wildcard")],
        "k = 10, wildcard": [step("local_suppress", k=10, suppressed="wildcard")],
        "k = 5, then microaggregate k = 5": [step("local_suppress", k=5), step("microaggregate", k=5)],
        "k = 5, then rank_swap p = 5": [step("local_suppress", k=5), step("rank_swap", p=5.0)],
        "k = 5, then swap": [step("local_suppress", k=5), step("swap")],
        "k = 5, then average": [step("local_suppress", k=5), step("average")],
    },
    "microaggregate": {
        "mdav, k = 3": [step("microaggregate", k=3)],
        "mdav, k = 10": [step("microaggregate", k=10)],
        "vmdav, k = 3, gamma = 1.1": [step("microaggregate", k=3, algorithm="vmdav", gamma=1.1)],
        "univariate, k = 3": [step("microaggregate", k=3, algorithm="univariate")],
        "univariate, k = 50": [step("microaggregate", k=50, algorithm="univariate")],
        "k_anonymize k = 5, then mdav k = 5": [K5, step("microaggregate", k=5)],
    },
    "noise": {
        "scale = 0.1": [step("noise", scale=0.1)],
        "scale = 0.5": [step("noise", scale=0.5)],
        "scale = 1": [step("noise", scale=1.0)],
    },
    "permute_index": {"default": [step("permute_index")]},
    "pram": {
        "keep = 0.8": [step("pram", keep=0.8)],
        "keep = 0.8, not invariant": [step("pram", keep=0.8, invariant=False)],
        "keep = 0.5": [step("pram", keep=0.5)],
    },
    "pseudonyms": {
        f"{kind}, text quasi-identifiers": [step("pseudonyms", kind=kind)]
        for kind in ("random", "keyed_hash", "format_preserving")
    },
    "randomized_response": {
        "keep = 0.8": [step("randomized_response", keep=0.8)],
        "keep = 0.5": [step("randomized_response", keep=0.5)],
    },
    "rank_swap": {
        "p = 1": [step("rank_swap", p=1.0)],
        "p = 5": [step("rank_swap", p=5.0)],
        "p = 5, top = 5": [step("rank_swap", p=5.0, top=5.0)],
        "p = 20": [step("rank_swap", p=20.0)],
        "k_anonymize k = 5, then p = 5": [K5, step("rank_swap", p=5.0)],
    },
    "generalize": {
        "level = 1": [step("generalize")],
        "level = 3": [step("generalize", level=3)],
        "head_age, width = 20": [step("generalize", columns=["head_age"], width=20)],
    },
    "round_values": {
        "default bases": [step("round_values")],
        "base = 100000": [step("round_values", base=100_000)],
        "head_age, base = 20": [step("round_values", base=20, columns=["head_age"])],
    },
    "sample_rows": {
        "share = 0.5": [step("sample_rows", share=0.5)],
        "share = 0.1": [step("sample_rows", share=0.1)],
    },
    "shift_dates": {
        "interview date as it is": [],
        "days = 3": [step("shift_dates", days=3)],
        "days = 30": [step("shift_dates", days=30)],
        "days = 180": [step("shift_dates", days=180)],
    },
    "shuffle": {"each by itself": [step("shuffle")], "together": [step("shuffle", together=True)]},
    "suppress_cells": {
        "share = 0.1": [step("suppress_cells", share=0.1)],
        "share = 0.5": [step("suppress_cells", share=0.5)],
        "share = 0.1, all columns": [step("suppress_cells", share=0.1, columns=ALL)],
    },
    "suppress_columns": _constant("suppress_columns"),
    "suppress_rows": {
        "k = 2": [step("suppress_rows", k=2)],
        "k = 5": [step("suppress_rows", k=5)],
        "k = 5 on region, members, tenure, head_age": [step("suppress_rows", k=5, qi=REGION_QI)],
    },
    "swap": {"default": [step("swap")], "after k_anonymize k = 5": [K5, step("swap")]},
    "synthesize": {"default": [step("synthesize")]},
    "top_code": {
        "quantile = 0.95": [step("top_code", quantile=0.95)],
        "quantile = 0.5": [step("top_code", quantile=0.5)],
        "quantile = 0.95, drop": [step("top_code", quantile=0.95, how="drop")],
        "head_age at 55, members at 4": [
            step("top_code", value=55, columns=["head_age"]),
            step("top_code", value=4, columns=["members"]),
        ],
    },
    "unify": _constant("unify"),
}
"""Tables: page, line, steps."""

MINIMAL = {"clustering": "minimal", "clusters": 50, "min_size": 8}
HISTORIES: dict[str, dict[str, Steps]] = {
    "change_pseudonyms": {
        f'period = "{period}"': [step("change_pseudonyms", period=period)] for period in ("quarter", "month", "receipt")
    },
    "coarsen_dates": {f'to = "{to}"': [step("coarsen_dates", to=to)] for to in ("week", "month", "all")},
    "delete_purchases": {f"share = {share}": [step("delete_purchases", share=share)] for share in (0.1, 0.5, 0.9)},
    "drop_profile": {"all columns blank": [step("drop_profile")]},
    "dummies": {
        "simple, c = 50": [step("dummies", clustering="simple", clusters=50)],
        "tfidf, c = 50": [step("dummies", clustering="tfidf", clusters=50)],
        "balanced, 50, 8": [step("dummies", clustering="balanced", clusters=50, min_size=8)],
        "minimal, 50, 8": [step("dummies", **MINIMAL)],
        "minimal, 100, 4": [step("dummies", clustering="minimal", clusters=100, min_size=4)],
        "minimal, 50, 8, plausible": [step("dummies", **MINIMAL, placement="plausible")],
        "the same, repeats = false": [step("dummies", **MINIMAL, placement="plausible", repeats=False)],
        "recipe shop_strong": tomllib.loads((GALLERY / "shop_strong.toml").read_text(encoding="utf-8"))["step"],
    },
    "generalize_goods": {f"prefix = {prefix}": [step("generalize_goods", prefix=prefix)] for prefix in (3, 2, 1)},
    "merge_purchases": {'within = "all"': [step("merge_purchases", within="all")]},
    "rename_receipts": {f'per = "{per}"': [step("rename_receipts", per=per)] for per in ("receipt", "customer")},
    "round_purchases": {
        "powers, usual": [step("round_purchases")],
        'number = "one"': [step("round_purchases", number="one")],
    },
    "suppress_rare_goods": {
        f"k = {k}, m = {m}": [step("suppress_rare_goods", k=k, m=m)]
        for k, m in ((2, 1), (5, 1), (2, 2), (5, 2), (2, 3))
    },
}
"""Histories: page, line, steps."""


def rates(original: Any, steps: Steps, attacks: Sequence[str]) -> dict[str, str]:
    """Release the data by these steps and write the share of people that each attack identifies."""
    if not steps:
        card = icefire.audit(original, original.frame, aligned=True, attacks=["link"], measures=[], people=0).scorecard
    else:
        release = icefire.anonymize(original, {"seed": SEED, "step": steps})
        card = icefire.audit(original, release, attacks=attacks, measures=[], people=0).scorecard
    return {name: share(card.attacks[name].rate) if name in card.attacks else "–" for name in attacks}


def share(rate: float) -> str:
    """Write a share as the pages do: 99.96 % is not everybody."""
    if rate in (0.0, 1.0):
        return f"{rate:.0%}".replace("%", " %")
    return formatting.percent(min(rate, 0.999))


def table_lines(lines: list[str]) -> range:
    """Say which lines of a page are the table of measured releases."""
    start = next(number for number, line in enumerate(lines) if line.startswith(HEAD))
    return range(start, next(number for number in range(start, len(lines)) if not lines[number].startswith("|")))


def label(line: str) -> str:
    """Read the name of a release from its line, without links."""
    return re.sub(r"\[(\w+)\]\(.*?\)", r"\1", cells_of(line)[0])


def cells_of(line: str) -> list[str]:
    """Split a line of a table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def labels(page: str) -> list[str]:
    """List the releases of a page."""
    lines = page.split("\n")
    return [label(lines[number]) for number in table_lines(lines)[2:]]


def with_columns(page: str, cells: dict[str, dict[str, str]], attacks: Sequence[str]) -> str:
    """Write the columns of these attacks after the number of rows, in the table of measured releases."""
    lines = page.split("\n")
    head, rule, *releases = table_lines(lines)
    old = len([name for name in attacks if name in cells_of(lines[head])])

    def widened(number: int, new: Sequence[str]) -> list[str]:
        row = cells_of(lines[number])
        return [*row[:2], *new, *row[2 + old :]]

    for number in releases:
        lines[number] = f"| {' | '.join(widened(number, [cells[label(lines[number])][name] for name in attacks]))} |"
    lines[rule] = f"|{'|'.join(widened(rule, ['--:'] * len(attacks)))}|"
    lines[head] = f"| {' | '.join(widened(head, attacks))} |"
    return "\n".join(lines)


def measured(name: str, page: str) -> str:
    """Return a page with the columns of the joint attack measured anew."""
    history = name in HISTORIES
    releases, attacks = (HISTORIES, HISTORY_ATTACKS) if history else (RELEASES, TABLE_ATTACKS)
    original = icefire.sample("shop") if history else icefire.sample("households")
    if name == "shift_dates":
        original = with_dates(original)
    cells = {UNCHANGED: dict.fromkeys(attacks, "–") | {"link": "100 %"}}
    cells |= {label: rates(original, steps, attacks) for label, steps in releases[name].items()}
    return with_columns(page, cells, attacks)


def with_dates(original: Any) -> Any:
    """Add a random interview date of 2015 to the quasi-identifiers."""
    days = pl.Series("interviewed", np.random.default_rng(SEED).integers(0, 365, original.height))
    dates = pl.lit(datetime.date(2015, 1, 1)) + pl.duration(days=days)
    frame = original.frame.with_columns(dates.alias("interviewed"))
    return icefire.read(frame, qi=[*original.qi, "interviewed"], sa=list(original.sa))


def write_hierarchies(original: Any) -> None:
    """Infer hierarchies of the quasi-identifiers into a folder of the current directory."""
    Path(FOLDER).mkdir()
    for name in original.qi:
        table = hierarchy.infer(original.frame[name])
        table.write(Path(FOLDER) / f"{name}.csv")


def main(names: Sequence[str]) -> None:
    """Measure the pages named, or all."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_hierarchies(icefire.sample("households"))
        for name in names or [*RELEASES, *HISTORIES]:
            print(name, flush=True)
            page = PAGES / f"{name}.md"
            page.write_text(measured(name, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
