"""icefire demo: make a survey, attack it unprotected, protect it, attack it again, write the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icefire._version import DEFAULT_SEED
from icefire.cli import options
from icefire.cli.commands import Command
from icefire.cli.console import note, out, progress
from icefire.words import said

if TYPE_CHECKING:
    from icefire.audit.run import Audit
    from icefire.core.scorecard import Scorecard
    from icefire.core.scorecard.scores import Score

KIND = "demo"
ROWS = 100
"""Households: enough for classes and rates, and so few that nothing is compiled for them."""
FIRST_ATTACK = "id_sa"
"""Who attacks the survey as it is: a neighbour who knows one amount besides is enough."""
RECIPE_FILE = "recipe.toml"
RECIPE = """# Two defences at once: people look alike, and their spending is mixed among those who do.
seed = {seed}

[[step]]
method = "k_anonymize"
k = 5

[[step]]
method = "swap"

[[step]]
method = "noise"
scale = 0.05
"""


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the files and the report.")] = Path(
        "icefire-demo"
    ),
    rows: Annotated[int, typer.Option("-n", "--rows", min=10, help="Households to make.")] = ROWS,
    seed: options.Seed = DEFAULT_SEED,
    force: options.Force = False,
) -> None:
    """The whole story on synthetic data: make, anonymise, attack, report."""
    from icefire.audit.compiling.second_process import compiling_ahead

    with compiling_ahead(rows):
        audited, unprotected = _tell(output, rows, seed, force or _is_demo(output))
    from icefire.report.text import scorecard

    scorecard.show(audited.scorecard, out)
    _compare(unprotected, audited.scorecard, rows)
    _name_files(output)


def _tell(output: Path, rows: int, seed: int, force: bool) -> tuple[Audit, Score]:
    """Write all files; returns the audit of the release, and how the first attack fared on the survey as it is."""
    import icefire
    from icefire.audit import audit
    from icefire.io.tables import write_frame
    from icefire.io.writing import whole_folder
    from icefire.report import html

    with whole_folder(output, KIND, force) as draft, progress() as stage:
        stage("making a household survey")
        survey = icefire.sample("households", rows)
        write_frame(survey.frame, draft / "original.csv")
        (draft / RECIPE_FILE).write_text(RECIPE.format(seed=seed), encoding="utf-8")
        guess = icefire.attack(FIRST_ATTACK, survey, survey.frame, seed=seed, progress=stage)
        unprotected = icefire.score(range(rows), guess)
        icefire.anonymize(survey, draft / RECIPE_FILE, output=draft / "release", progress=stage)
        audited = audit(survey, draft / "release", max_reid=0.05, seed=seed, progress=stage)
        html.write_report(audited.scorecard, draft / "report.html")
        (draft / "scorecard.json").write_text(audited.scorecard.to_json(), encoding="utf-8")
    return audited, unprotected


def _is_demo(output: Path) -> bool:
    """Tell whether an earlier demo wrote the folder; it is replaced without asking, as far as nobody changed it."""
    from icefire.io.marker import read_marker

    marker = read_marker(output)
    return marker is not None and marker.kind == KIND


def _compare(before: Score, after: Scorecard, rows: int) -> None:
    from icefire.core.formatting import percent

    first, second = percent(before.rate), percent(max(attack.rate for attack in after.attacks.values()))
    story = said(f"Names removed only: {first} of {rows:,} households identified. After the recipe: {second}.")
    out.print(story, markup=False)


def _name_files(output: Path) -> None:
    from icefire.io import folder

    names = ("report.html", "scorecard.json", "original.csv", RECIPE_FILE, str(Path("release") / folder.TABLES[0]))
    for name in names:
        note(f"  {output / name}")
    out.print(said(f"Open {output / 'report.html'} in a browser."), markup=False)


COMMANDS = [Command(demo, order=10)]
