"""The demo: a survey is made, released twice, attacked twice; the second release has a chance."""

from __future__ import annotations

from pathlib import Path

import icefire
from icefire.audit.run import Audit
from icefire.cli.console import note, out, progress
from icefire.core.errors import OutputError
from icefire.core.formatting import percent
from icefire.io import files, folder
from icefire.report import html, text

MARK = "recipe.toml"
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


def tell(output: Path, rows: int | None, seed: int) -> None:
    """Make a survey, show what happens to it unprotected, protect it, attack again, write the report."""
    if output.exists() and any(output.iterdir()) and not (output / MARK).exists():
        raise OutputError(f"{str(output)!r} holds other files; choose another folder with --output")
    with files.whole_folder(output, replace_existing=True) as draft, progress() as stage:
        stage("making a household survey")
        survey = icefire.sample("households", rows)
        files.write_frame(survey.frame, draft / "original.csv")
        (draft / MARK).write_text(RECIPE.format(seed=seed), encoding="utf-8")
        naked = icefire.audit(survey, survey.frame, aligned=True, seed=seed, progress=stage)
        release = icefire.anonymize(survey, draft / MARK, output=draft / "release", progress=stage)
        found = icefire.audit(survey, draft / "release", max_reid=0.05, seed=seed, progress=stage)
        html.write(found.scorecard, draft / "report.html")
        (draft / "scorecard.json").write_text(found.scorecard.to_json(), encoding="utf-8")
    text.show(found.scorecard, out)
    _moral(naked, found, release.released.height, output)


def _moral(naked: Audit, found: Audit, rows: int, output: Path) -> None:
    before, after = (max(a.rate for a in audit.scorecard.attacks.values()) for audit in (naked, found))
    out.print(
        f"Names removed only: {percent(before)} of {rows:,} households identified. After the recipe: {percent(after)}.",
        markup=False,
    )
    for name in (
        "report.html",
        "scorecard.json",
        "original.csv",
        MARK,
        str(Path("release") / folder.TABLES[0]),
    ):
        note(f"  {output / name}")
    out.print(f"Open {output / 'report.html'} in a browser.", markup=False)
