"""Stored results of whole runs: what the command line wrote for a fixed seed, without seconds, dates and versions.

`PYTHONPATH=tests python -m support.golden` writes them anew; a change of a stored result is a change of behaviour and
is explained in the commit that makes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from support.places import RECIPES

STORED = Path(__file__).parent.parent / "golden"
VOLATILE = ("seconds", "created", "software", "version", "sha256")
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DEMO_ROWS = 120
ROUNDING = 1e-12
"""Smaller values are differences of roundings, which another order of summing changes."""


def command(*words: str) -> str:
    """Run the command line in this process; returns what it printed."""
    from icefire.cli import main

    printed = io.StringIO()
    before = sys.argv
    sys.argv = ["icefire", *words]
    try:
        with contextlib.redirect_stdout(printed):
            main()
    except SystemExit as stop:
        if stop.code not in (0, 1, None):
            raise AssertionError(f"{' '.join(words)}: exit {stop.code}") from stop
    finally:
        sys.argv = before
    return printed.getvalue()


def stable(value: Any) -> Any:
    """Drop what differs from run to run, and shorten decimals to what every machine agrees on."""
    if isinstance(value, dict):
        return {name: stable(part) for name, part in value.items() if name not in VOLATILE}
    if isinstance(value, list):
        return [stable(part) for part in value]
    if isinstance(value, float):
        return 0.0 if abs(value) < ROUNDING else float(f"{value:.9g}")
    return value


def _json(text: str) -> Any:
    return stable(json.loads(text))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _released(folder: Path) -> dict[str, Any]:
    """The release folder: its scorecard, and a digest of every table in it."""
    tables = {path.name: _digest(path) for path in sorted(folder.rglob("*.csv"))}
    return {"tables": tables, "scorecard": _json((folder / "scorecard.json").read_text(encoding="utf-8"))}


def _table_recipe(name: str, *options: str) -> Callable[[], Any]:
    def run() -> Any:
        command("sample", "households", "-n", "150", "-o", "data")
        recipe = str(RECIPES / f"{name}.toml")
        schema = ("--schema", "data/schema.toml")
        command("anonymize", "data/households.csv", *schema, "-r", recipe, "-o", "release", "--seed", "7")
        audit = command("audit", "data/households.csv", "release", *schema, "--json", "-", *options)
        return {"release": _released(Path("release")), "audit": _json(audit)}

    return run


def _shop_recipe(text: str) -> Callable[[], Any]:
    def run() -> Any:
        command("sample", "shop", "-n", "30", "-o", "data", "--seed", "2015")
        Path("recipe.toml").write_text(text, encoding="utf-8")
        schema = ("--schema", "data/schema.toml")
        command("anonymize", "data/shop.csv", *schema, "-r", "recipe.toml", "-o", "release", "--seed", "7")
        audit = command("audit", "data/shop.csv", "release", *schema, "--json", "-", "--max-reid", "0.2")
        return {"release": _released(Path("release")), "audit": _json(audit)}

    return run


def _membership() -> Any:
    command("sample", "survey", "-n", "200", "-o", "data", "--seed", "2015")
    Path("recipe.toml").write_text('[[step]]\nmethod = "scatter_rows"\nlimit = 6.0\n[[step]]\nmethod = "delete"\n')
    schema = ("--schema", "data/schema.toml")
    command("anonymize", "data/survey.csv", *schema, "-r", "recipe.toml", "-o", "release", "--seed", "7")
    asked = ("--ask", "origin", "--ask", "membership", "--members", "20", "--outsiders", "20")
    audit = command("audit", "data/survey.csv", "release", *schema, *asked, "--json", "-")
    return {"release": _released(Path("release")), "audit": _json(audit)}


def _aligned() -> Any:
    command("sample", "households", "-n", "150", "-o", "data")
    chosen = ("--schema", "data/schema.toml")
    words = ("data/households.csv", "data/households.csv", "--aligned", *chosen, "--json", "-")
    return _json(command("audit", *words, "--max-reid", "0.1", "--min", "k_min=3", "--attacks", "E1,E2,cover"))


def _contest2015() -> Any:
    command("sample", "households", "-n", "150", "-o", "data")
    return _json(
        command(
            "audit", "data/households.csv", "data/households.csv", "--aligned", "--contest", "pwscup2015", "--json", "-"
        )
    )


def _inspect_table() -> Any:
    command("sample", "households", "-n", "150", "-o", "data")
    return _json(command("inspect", "data/households.csv", "--schema", "data/schema.toml", "--json", "-"))


def _inspect_history() -> Any:
    command("sample", "shop", "-n", "30", "-o", "data", "--seed", "2015")
    return _json(command("inspect", "data/shop.csv", "--schema", "data/schema.toml", "--json", "-"))


def _explain() -> Any:
    command("sample", "households", "-n", "150", "-o", "data")
    data = ("data/households.csv", "--schema", "data/schema.toml")
    names = sorted(path.stem for path in RECIPES.glob("*.toml") if not path.stem.startswith("shop"))
    found: dict[str, Any] = {}
    for name in names:
        recipe = str(RECIPES / f"{name}.toml")
        found[name] = {
            "explained": _json(command("recipe", "explain", recipe, "--json", "-")),
            "on data": _json(command("recipe", "explain", recipe, *data, "--json", "-")),
            "checked": _json(command("recipe", "check", recipe, *data, "--json", "-")),
        }
    return found


def _attack_and_score() -> Any:
    command("sample", "households", "-n", "150", "-o", "data")
    Path("recipe.toml").write_text('[[step]]\nmethod = "noise"\nscale = 0.5\n', encoding="utf-8")
    schema = ("--schema", "data/schema.toml")
    command("anonymize", "data/households.csv", *schema, "-r", "recipe.toml", "-o", "release", "--seed", "7")
    found: dict[str, Any] = {}
    for name in ("id_rand", "sa_nearest", "euc2"):
        command("attack", name, "data/households.csv", "release/released.csv", *schema, "-o", f"{name}.csv")
        truth = next(path for path in Path().rglob("truth.csv"))
        found[name] = {
            "guess": _digest(Path(f"{name}.csv")),
            "score": _json(command("score", str(truth), f"{name}.csv", "--json", "-")),
        }
    return found


def _arena() -> Any:
    from icefire.arena import demo
    from icefire.arena.clock import SetClock
    from icefire.arena.contest.arena import open_arena

    demo.build(Path("arena"), rows=DEMO_ROWS, now=NOW)
    opened = open_arena(Path("arena"), clock=SetClock(NOW))
    try:
        return public_results(opened, Path("public.zip"))
    finally:
        opened.database.close()


def public_results(arena: Any, path: Path) -> Any:
    """Every result in the public bundle of a competition, which is written to `path`."""
    from icefire.arena import bundle

    bundle.export(arena, None, path, public=True)
    with zipfile.ZipFile(path) as packed:
        names = [name for name in packed.namelist() if name.startswith("results/") and name.endswith(".json")]
        return {name: _json(packed.read(name).decode()) for name in sorted(names)}


DUMMIES = '[[step]]\nmethod = "dummies"\nclustering = "{}"\nclusters = 4\nmin_size = 4\nplacement = "plausible"\n'
ROUNDED = (
    '[[step]]\nmethod = "round_purchases"\n[[step]]\nmethod = "coarsen_dates"\n[[step]]\nmethod = "drop_profile"\n'
)

CASES: dict[str, Callable[[], Any]] = {
    "table-open-data": _table_recipe("open_data", "--max-reid", "0.05"),
    "table-research-file": _table_recipe("research_file", "--show-data"),
    "table-statistical-office": _table_recipe("statistical_office", "--rate-of", "original"),
    "table-strong-privacy": _table_recipe("strong_privacy", "--aya-scale", "raw"),
    "table-teaching-file": _table_recipe("teaching_file", "--population", "5000"),
    "table-contest-d2": _table_recipe("contest_d2", "--max", "U5=0.1"),
    "table-cheating-permutation": _table_recipe("cheating_permutation"),
    "table-aligned": _aligned,
    "table-contest-2015": _contest2015,
    "history-balanced": _shop_recipe(DUMMIES.format("balanced")),
    "history-minimal-rounded": _shop_recipe(DUMMIES.format("minimal") + ROUNDED),
    "history-renamed": _shop_recipe('[[step]]\nmethod = "change_pseudonyms"\n[[step]]\nmethod = "delete_purchases"\n'),
    "membership-survey": _membership,
    "inspect-table": _inspect_table,
    "inspect-history": _inspect_history,
    "recipes-explained": _explain,
    "attacks-and-scores": _attack_and_score,
    "arena-demo": _arena,
}


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    """Run in a new folder, and come back."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="icefire-golden-") as place:
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)


def made(name: str) -> str:
    """Run one case; returns its result as text."""
    with empty_folder():
        result = CASES[name]()
    return as_text(result)


def as_text(result: Any) -> str:
    """The text a result is stored as."""
    return json.dumps(result, indent=1, ensure_ascii=False, sort_keys=False) + "\n"


def stored(name: str) -> str:
    """The stored result of a case."""
    return (STORED / f"{name}.json").read_text(encoding="utf-8")


def main() -> None:
    """Write the named cases anew, or all."""
    STORED.mkdir(exist_ok=True)
    for name in sys.argv[1:] or CASES:
        (STORED / f"{name}.json").write_text(made(name), encoding="utf-8")
        print(name, file=sys.stderr)


if __name__ == "__main__":
    main()
