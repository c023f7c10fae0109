"""The joint attack `link` beside the best of all other attacks, release by release.

Releases of the sample `households` (8,333 rows unless you ask for another number) made by one to three methods, each
three times with other seeds. With `--data FOLDER`, a folder that holds `adult.data.gz` of UCI Adult, releases of its
first 8,000 rows instead.

- best other: the highest rate of any other attack on the release, and which attack that was.
- link: the rate of the joint attack; says: the mean probability that it gave its answers.
- limit: number of classes over number of rows, where values were exchanged or averaged within classes.
- ±: half the width of the 95 % interval of the mean over the seeds.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
from rich.table import Table

from icefire.audit.plan import AuditPlan
from icefire.audit.run import attack_case
from icefire.core import align, registry, roles, seeds
from icefire.core.dataset import Dataset
from icefire.core.errors import InputError, SchemaError
from icefire.core.release import Case
from icefire.core.types import Progress
from icefire.kernels.types import Float
from icefire.studies import households
from icefire.studies.p0_attacks import FAR
from icefire.studies.result import Part, text_table

SEEDS = 3
NINE = [*FAR, "seniors", "spouse_work", "head_sex", "tenure"]
T_975 = 4.303
"""Of Student's distribution with two degrees of freedom."""

_K5 = {"method": "k_anonymize", "k": 5}
_SWAP = {"method": "swap"}

HOUSEHOLDS: dict[str, households.RecipeSteps] = {
    "noise 0.5": [{"method": "noise", "scale": 0.5}],
    "k = 5": [_K5],
    "k = 5, noise 0.1": [_K5, {"method": "noise", "scale": 0.1}],
    "k = 5, noise 0.5": [_K5, {"method": "noise", "scale": 0.5}],
    "k = 5, rank swap 5": [_K5, {"method": "rank_swap", "p": 5}],
    "k = 5, rank swap 20": [_K5, {"method": "rank_swap", "p": 20}],
    "k = 5, microaggregate 5": [_K5, {"method": "microaggregate", "k": 5}],
    "full domain k = 5, rank swap 10": [{**_K5, "mode": "full_domain"}, {"method": "rank_swap", "p": 10}],
    "pram 0.5, rank swap 20": [{"method": "pram", "keep": 0.5}, {"method": "rank_swap", "p": 20}],
    "pram 0.3, rank swap 25": [{"method": "pram", "keep": 0.3}, {"method": "rank_swap", "p": 25}],
    "laplace 20": [{"method": "laplace", "epsilon": 20}],
    "k = 5, swap": [_K5, _SWAP],
    "k = 5, average": [_K5, {"method": "average"}],
    "swap, unify 5": [_SWAP, {"method": "unify", "columns": FAR}],
    "unify 9, noise 1": [{"method": "unify", "columns": NINE}, {"method": "noise", "scale": 1.0}],
    "response 0.6, correlated 0.5": [
        {"method": "randomized_response", "keep": 0.6},
        {"method": "correlated_noise", "scale": 0.5},
    ],
    "synthesize": [{"method": "synthesize"}],
}
ADULT: dict[str, households.RecipeSteps] = {
    "k = 5": [_K5],
    "k = 5, rank swap 10": [_K5, {"method": "rank_swap", "p": 10}],
    "pram 0.8, noise 0.3": [{"method": "pram", "keep": 0.8}, {"method": "noise", "scale": 0.3}],
    "local suppression 5, noise 0.2": [{"method": "local_suppress", "k": 5}, {"method": "noise", "scale": 0.2}],
    "full domain k = 10": [{**_K5, "k": 10, "mode": "full_domain"}],
    "swap, unify 3": [_SWAP, {"method": "unify", "columns": ["workclass", "education", "occupation"]}],
}
ADULT_COLUMNS = [
    *("age", "workclass", "weight", "education", "schooling", "marital", "occupation", "relationship", "race", "sex"),
    *("gain", "loss", "hours", "country", "income"),
]
ADULT_QI = ["age", "workclass", "education", "marital", "occupation", "relationship", "race", "sex", "country"]
ADULT_ROWS = 8000
WITH_LIMIT = {"k = 5, swap", "k = 5, average"}


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Make every release with three seeds, and attack each with everything there is."""
    releases = HOUSEHOLDS if data is None else ADULT
    lines = []
    for name, steps in releases.items():
        for turn in range(SEEDS):
            progress(f"{name}: {turn + 1} of {SEEDS}")
            original = households.survey(rows, seed) if data is None else adult(data)
            lines.append({"release": name, "seed": seed + turn} | attacked(original, steps, seed + turn, name))
    frame = pl.DataFrame(lines)
    return [_table(frame), Part("runs", "the rates of every single run.", frame, timed=True)]


def adult(folder: Path) -> Dataset:
    """Read the first rows of UCI Adult; without the survey weight, which is nearly a name."""
    file = folder / "adult.data.gz"
    if not file.is_file():
        raise InputError(f"--data {str(folder)!r} holds no adult.data.gz; download UCI Adult there")
    with gzip.open(file, "rb") as lines:
        frame = pl.read_csv(lines.read(), has_header=False, new_columns=ADULT_COLUMNS).head(ADULT_ROWS)
    frame = frame.with_columns(pl.col(pl.String).str.strip_chars()).drop("weight", "schooling")
    frame = frame.with_columns(pl.col("age", "gain", "loss", "hours").cast(pl.Int64))
    return Dataset(frame, roles.choose(frame, ADULT_QI, ["gain", "loss", "hours"]), "adult")


def attacked(
    original: Dataset, steps: households.RecipeSteps, seed: int, name: str = ""
) -> dict[str, float | str | None]:
    """Return the rate of `link`, its own estimate, and the best of all other attacks."""
    release = households.make_release(original, steps, seed)
    order = seeds.generator(seed, "study", "shuffle").permutation(release.released.height)
    known, shown = align.match(original, release.released.frame[order])
    case, truth = Case(known, shown), release.truth.rows[order]
    others = {}
    for entry in registry.entries("attack", "table"):
        if entry.question == "origin" and entry.name != "link" and all(known.has(need) for need in entry.needs):
            try:
                guess, _ = attack_case(case, entry, AuditPlan(seed=seed).bind(entry), seed)
            except SchemaError:
                continue
            others[entry.code or entry.name] = float((guess.first == truth).mean())
    best = max(others, key=lambda attack: others[attack])
    guess, seconds = attack_case(case, registry.get("attack", "link"), {}, seed)
    said = 0.0 if guess.probability is None else float(guess.probability.mean())
    rate, limit = float((guess.first == truth).mean()), None
    if name in WITH_LIMIT:
        limit = Case(known, shown).blocks(known.qi).y_sizes.astype(bool).sum() / shown.height
    return {"best": best, "other": others[best], "link": rate, "said": said, "limit": limit, "seconds": seconds}


def interval(rates: Float) -> float:
    """Return half the width of the 95 % interval of the mean of three rates."""
    return float(T_975 * rates.std(ddof=1) / np.sqrt(len(rates)))


def _table(runs: pl.DataFrame) -> Part:
    lines = [_line(str(name), group) for (name,), group in runs.group_by("release", maintain_order=True)]
    frame = pl.DataFrame(lines)
    weaker = frame.filter(pl.col("link") < pl.col("other") - pl.col("link_interval") - pl.col("other_interval"))
    verdict = (
        "nowhere weaker than the best other attack"
        if weaker.is_empty()
        else "weaker on: " + ", ".join(weaker["release"])
    )
    return Part(
        "strongest",
        "the best other attack, link and the limit on every release.",
        frame,
        conclusion=f"link is {verdict}.",
        view=lambda: _view(lines),
    )


def _line(name: str, group: pl.DataFrame) -> dict[str, object]:
    values = {key: group[key].to_numpy() for key in ("other", "link", "said")}
    means = {key: float(column.mean()) for key, column in values.items()}
    limits = group["limit"].drop_nulls()
    return {
        "release": name,
        "best": group["best"].mode().sort()[0],
        **means,
        "other_interval": interval(values["other"]),
        "link_interval": interval(values["link"]),
        "limit": float(limits.mean()) if len(limits) else None,  # type: ignore[arg-type]
    }


def _view(lines: list[dict[str, object]]) -> Table:
    rows = [[str(line["release"]), str(line["best"]), *_numbers(line)] for line in lines]
    return text_table(
        "Share of rows found", ["release", "best other", "rate", "±", "link", "±", "says", "limit"], rows, left=2
    )


def _numbers(line: Mapping[str, object]) -> list[str]:
    keys = ("other", "other_interval", "link", "link_interval", "said", "limit")
    return ["" if line[key] is None else f"{line[key]:.3f}" for key in keys]
