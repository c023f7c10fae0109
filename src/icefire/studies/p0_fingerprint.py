"""P0 Table 15: which methods made a release, recognised from its traces.

First the twelve kinds of combination that P0 infers for the contest's releases, on the sample `households` (8,333 rows
unless you ask for another number), in the form of Table 15: one column per release, one line per method, × where the
method is recognised. The judge's knowledge of which row is whose is used, because the cheating permutation (Dc) shows
in nothing else; P0's judge had it too. Unification of a quasi-identifier inside and outside the cross table (Dd, De)
leaves the same trace and is one line.

Then random releases of tables that the model was not trained on, by the tables alone and with the truth: the samples
`households` and `survey`, or with `--data FOLDER` the public tables in it (UCI Adult, the survey of PWS Cup 2021,
customers of UCI Online Retail; those that are absent are left out). A third of the releases is made by a single
method, each in turn; the others combine up to three methods drawn at random. Pairs in which one method takes away the
traces of another, or leaves the same ones, are drawn apart and counted apart ("hiding pairs").

- F1: harmonic mean of the share of a method's releases in which it is recognised, and of the share of its recognitions
  that are right. Macro: the mean over the sixteen methods.
- exact: share of the releases whose methods are all recognised and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.table import Table

from icefire.audit.correspondence import TruthSource
from icefire.audit.fingerprint.matching import LearnedMatching
from icefire.audit.fingerprint.methods import NAMES, recognised_as
from icefire.audit.fingerprint.verb import OpenedTable, fingerprint_of_tables, learned_matching
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError
from icefire.core.types import Progress
from icefire.studies import fingerprint_tables, households
from icefire.studies.fingerprint_releases import MadeRelease, random_release, release_in_turn
from icefire.studies.fingerprint_tables import TableSource
from icefire.studies.p0_attacks import RELEASES
from icefire.studies.result import Part, text_table

SAMPLES = ("households", "survey")
PER_TABLE = 48
"""Random releases of each table."""
HIDING_PER_TABLE = 12
P0_LINES = {
    "Da": "k_anonymize",
    "Db": "noise",
    "Dc": "permute_index",
    "Dd, De": "unify",
    "Df": "average",
    "Dg": "swap",
    "Dh": "delete",
}
"""The methods of P0's Table 15 and the names under which they are recognised."""
MARK = "×"


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Recognise the methods of P0's twelve kinds of release, and of random releases of unseen tables."""
    tables = _tables(data)
    twelve = table15(households.survey(rows, seed), seed, progress)
    lines = random_releases(tables, seed, progress)
    return [
        _table15_part(twelve),
        _scores_part(lines.filter(hiding=False), "unseen", "Random releases of tables not trained on"),
        _scores_part(lines.filter(hiding=True), "hiding_pairs", "Releases in which one method hides another"),
        Part("releases", "every random release: its methods, those recognised, and all probabilities.", lines),
    ]


def _tables(data: Path | None) -> dict[str, TableSource]:
    if data is None:
        return {name: fingerprint_tables.sample_table(name) for name in SAMPLES}
    tables = fingerprint_tables.public_tables(data)
    if not tables:
        raise InputError(
            f"--data {str(data)!r} holds none of the tables that the study knows; it looks for: "
            f"{', '.join(fingerprint_tables.PUBLIC)}"
        )
    return tables


def probabilities(
    original: Dataset, some: MadeRelease, seed: int, with_truth: bool, learned: LearnedMatching | None = None
) -> dict[str, float]:
    """Return the probability of every method for a release."""
    release = some.release
    opened = OpenedTable(release.released.frame, "released", release.truth if with_truth else None)
    answers = fingerprint_of_tables(original, opened, TruthSource(), seed, learned=learned)
    return {answer.method: answer.probability for answer in answers.methods}


def table15(original: Dataset, seed: int, progress: Progress) -> pl.DataFrame:
    """Return for each of P0's twelve kinds of release and each method whether it was used and recognised."""
    lines = []
    for name, (words, steps) in RELEASES.items():
        progress(f"{name}: {words}")
        used = {recognised_as(step["method"]) for step in steps}
        release = households.make_release(original, steps, seed)
        some = MadeRelease(release, frozenset(str(method) for method in used), [dict(step) for step in steps])
        answers = probabilities(original, some, seed, with_truth=True)
        lines += [
            {"release": name, "recipe": words, "method": method, "used": method in used, "probability": probability}
            for method, probability in answers.items()
        ]
    return pl.DataFrame(lines).with_columns(recognised=pl.col("probability") >= 0.5)


def random_releases(tables: Mapping[str, TableSource], seed: int, progress: Progress) -> pl.DataFrame:
    """Make random releases of every table and recognise their methods, by the tables alone and with the truth."""
    lines: list[dict[str, Any]] = []
    for name, draw in tables.items():
        for hiding, count in ((False, PER_TABLE), (True, HIDING_PER_TABLE)):
            for turn in range(count):
                progress(f"{name}: release {turn + 1} of {count}")
                original, some = _hiding_release(draw, seed, turn) if hiding else release_in_turn(draw, seed, turn)
                if some is not None:
                    lines += _lines(name, turn, hiding, original, some)
    return pl.DataFrame(lines, infer_schema_length=None)


def _hiding_release(draw: TableSource, seed: int, turn: int) -> tuple[Dataset, MadeRelease | None]:
    rng = np.random.default_rng([seed, turn, 1])
    original = draw(rng)
    return original, random_release(original, rng, size=2, hiding=True)


def _lines(name: str, turn: int, hiding: bool, original: Dataset, some: MadeRelease) -> Iterable[dict[str, Any]]:
    learned = learned_matching(original, OpenedTable(some.release.released.frame, "released"), turn)
    for with_truth in (False, True):
        answers = probabilities(original, some, turn, with_truth, learned)
        recognised = {method for method, probability in answers.items() if probability >= 0.5 and method in NAMES}
        yield {
            "table": name,
            "rows": original.height,
            "hiding": hiding,
            "by": "truth" if with_truth else "tables",
            "methods": ", ".join(sorted(some.methods)),
            "recognised": ", ".join(sorted(recognised)),
            **{method: answers[method] for method in NAMES},
        }


def f1_scores(lines: pl.DataFrame) -> dict[str, float]:
    """Return the F1 of every method that was used at least once."""
    used, recognised = (_sets(lines[column]) for column in ("methods", "recognised"))
    scores = {}
    for method in NAMES:
        hits = sum(method in a and method in b for a, b in zip(used, recognised, strict=True))
        total = sum(method in a for a in used) + sum(method in b for b in recognised)
        if any(method in a for a in used):
            scores[method] = 2 * hits / total
    return scores


def _sets(column: pl.Series) -> list[set[str]]:
    return [set(text.split(", ")) - {""} for text in column]


def macro(lines: pl.DataFrame) -> float:
    """Return the mean F1 over the methods."""
    return float(np.mean(list(f1_scores(lines).values()))) if lines.height else float("nan")


def exact(lines: pl.DataFrame) -> float:
    """Return the share of releases whose methods are exactly those recognised."""
    return float((lines["methods"] == lines["recognised"]).mean()) if lines.height else float("nan")  # type: ignore[arg-type]


def _table15_part(twelve: pl.DataFrame) -> Part:
    right = twelve.filter(pl.col("used") == pl.col("recognised")).height
    whole = twelve.group_by("release").agg((pl.col("used") == pl.col("recognised")).all().alias("right"))
    return Part(
        "table15",
        "P0's twelve kinds of release: every method, whether it was used, its probability, whether it is recognised.",
        twelve,
        conclusion=f"{right} of {twelve.height} marks are right; {int(whole['right'].sum())} of {whole.height} "
        "releases without any error.",
        view=lambda: _table15_view(twelve),
    )


def _table15_view(twelve: pl.DataFrame) -> Table:
    marks = {(line["release"], line["method"]): line for line in twelve.to_dicts()}
    names = {method: code for code, method in P0_LINES.items()}
    methods = [*P0_LINES.values(), *(method for method in NAMES if method not in names)]
    rows = [
        [f"{names.get(method, '')} {method}".strip(), *(_cell(marks[name, method]) for name in RELEASES)]
        for method in methods
    ]
    return text_table(
        "Methods recognised (×); (×) used and not recognised; ! recognised and not used", ["", *RELEASES], rows
    )


def _cell(line: Mapping[str, Any]) -> str:
    if line["recognised"]:
        return MARK if line["used"] else f"{MARK}!"
    return f"({MARK})" if line["used"] else "-"


def _scores_part(lines: pl.DataFrame, name: str, title: str) -> Part:
    groups: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {"all": lambda frame: frame}
    groups |= {table: lambda frame, table=table: frame.filter(table=table) for table in _unique(lines["table"])}  # type: ignore[misc]
    groups["single"] = lambda frame: frame.filter(~pl.col("methods").str.contains(","))
    groups["combined"] = lambda frame: frame.filter(pl.col("methods").str.contains(","))
    rows = [
        _scores(by, group, choose(lines.filter(by=by)))
        for by in ("tables", "truth")
        for group, choose in groups.items()
    ]
    frame = pl.DataFrame([row for row in rows if row["releases"]], infer_schema_length=None)
    best = {by: macro(lines.filter(by=by)) for by in ("tables", "truth")}
    return Part(
        name,
        f"{title}: macro-F1, share exactly right, and F1 of every method, by tables and kinds of release.",
        frame,
        conclusion=f"{title}: macro-F1 {best['tables']:.3f} by the tables alone, {best['truth']:.3f} with the truth.",
        view=lambda: _scores_view(frame, title),
    )


def _unique(column: pl.Series) -> Sequence[str]:
    return [str(value) for value in column.unique(maintain_order=True)]


def _scores(by: str, group: str, lines: pl.DataFrame) -> dict[str, Any]:
    scores = f1_scores(lines)
    return {
        "by": by,
        "group": group,
        "releases": lines.height,
        "macro": macro(lines) if lines.height else None,
        "exact": exact(lines) if lines.height else None,
        **{method: scores.get(method) for method in NAMES},
    }


def _scores_view(frame: pl.DataFrame, title: str) -> Table:
    columns = [f"{line['by']}, {line['group']}" for line in frame.to_dicts()]
    rows = [
        [what, *(_number(line[what]) for line in frame.to_dicts())] for what in ("releases", "macro", "exact", *NAMES)
    ]
    return text_table(f"{title}: F1", ["", *columns], rows)


def _number(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else f"{value}"
