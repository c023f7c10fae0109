"""P3: utility and danger of a health survey after delete and swap, after swap and delete, and after our own method.

The slides describe two pipelines. In the preliminary round of PWS Cup 2021 rows were deleted and the others then
swapped with rows within iloss 6; in the final they were swapped within iloss 4 first, and those with at most 25
candidates deleted after it, so that values of people who were left out remain in other rows. Here both delete the rows
with at most 25 candidates (of 4,190 rows; the same share of another number). `delete-swap 4` shows the effect of the
order. `ours` is `scatter_rows`: it chooses whom to leave out within the limits of utility and distributes all values
anew.

- Utility is what the contest limits: at least half of the rows kept, iloss (6 or 4), uniqrt, and the largest change
  of a rate, of an odds ratio and of a correlation. Whoever is over a limit loses the round.
- Danger is the final's (recall + 0.01)(precision + 0.01)(top-3 + 0.01). Ten times 50 people who were kept and 50 who
  were left out are drawn; every attack on membership answers for the same people and knows the limit.
- \\*: the attack that is most dangerous on average. "strongest of each draw" takes the best attack of every draw, as if
  attackers knew beforehand which one it is.
- "candidate_bayes next 3" is a variant of that attack against whoever hides rows from its first three answers: it
  gives the next three. `exchanged_rows` and `scattered_rows` match everybody at once; the latter knows `scatter_rows`.

The best release of the contest's final had a danger of 0.036 on average and 0.067 at most, against the attackers of the
contest: a mark for whoever stays within the limits of the final. The attacks here are stronger, and ours does not meet
it against them. Ours is made with ten seeds, each with draws of its own. What else P3's team did to stay within the
limits is not on the slides.

Without --data the survey is synthetic (4,190 people unless you ask for another number).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl
from rich.table import Table

from icefire.contests import pwscup2021
from icefire.core.dataset import Dataset
from icefire.core.types import Progress
from icefire.studies import survey, survey_final, survey_plots
from icefire.studies.households import RecipeSteps
from icefire.studies.result import Part, text_table
from icefire.studies.survey import FEW, delete_swap, ours, swap_delete

FINAL = 4


class Pipeline(NamedTuple):
    """A release: its limit of iloss and its steps."""

    limit: int
    steps: RecipeSteps


def pipelines(original: Dataset) -> dict[str, Pipeline]:
    """Return the releases to compare, by name."""
    few, least = (survey.scaled_threshold(original, threshold) for threshold in (FEW, survey.default_threshold()))
    return {
        "delete-swap 6": Pipeline(6, delete_swap(6, few)),
        "delete-swap 4": Pipeline(FINAL, delete_swap(FINAL, few)),
        "swap-delete 4": Pipeline(FINAL, swap_delete(FINAL, few)),
        "ours 6": Pipeline(6, ours(6, least)),
        "ours 4": Pipeline(FINAL, ours(FINAL, least)),
    }


def parts(rows: int | None, seed: int, progress: Progress, data: Path | None = None) -> list[Part]:
    """Make every release, measure it, and let all attacks at it."""
    original = survey.table(rows, seed, data)
    used, draws = [], []
    wanted = pipelines(original)
    for name, pipeline in wanted.items():
        progress(name)
        release = survey.make_release(original, pipeline.steps, seed)
        used.append(utility(name, survey.utility(original, release), pipeline.limit))
        answers = survey.attack_draws(original, release, pipeline.limit, seed)
        draws.append(answers.select(pl.lit(name).alias("release"), pl.all()))
    others = survey_final.releases_part(original, wanted["ours 4"].steps, FINAL, seed, progress)
    return [survey.data_part(original, data), *_parts(pl.concat(used), pl.concat(draws)), others]


def utility(name: str, values: Mapping[str, float | None], limit: float) -> pl.DataFrame:
    """Return every limited figure of a release, its limit, how much of it is used, and whether it is kept."""
    lines = []
    for figure, most in survey.limits_of_round(limit).items():
        value = values[figure]
        state = survey.share_used(figure, value, most), survey.is_within(figure, value, most)
        lines.append((name, figure, value, most, *state))
    schema = {"release": pl.String, "figure": pl.String} | dict.fromkeys(("value", "limit", "used"), pl.Float64)
    return pl.DataFrame(lines, schema | {"within": pl.Boolean}, orient="row")


def danger(draws: pl.DataFrame) -> pl.DataFrame:
    """Return mean and largest danger by release and attack."""
    parts = draws.partition_by("release", maintain_order=True, as_dict=True, include_key=False)
    summed = [survey.summarize(part).select(pl.lit(name).alias("release"), pl.all()) for (name,), part in parts.items()]
    return pl.concat(summed)


def _parts(used: pl.DataFrame, draws: pl.DataFrame) -> list[Part]:
    summed = danger(draws)
    return [
        Part(
            "utility",
            "every figure the contest limits, its limit, the share of the limit used, and whether it is within.",
            used,
            conclusion=_describe_utility(used),
            view=lambda: _view_utility(used),
            figure=lambda: survey_plots.shares(used),
        ),
        Part(
            "danger",
            "mean and largest danger of every attack over ten draws, with mean recall, precision and top-3.",
            summed,
            conclusion=_describe_danger(summed),
            view=lambda: _view_danger(summed, "mean", "Danger: mean of ten draws (*: the worst attack)"),
            figure=lambda: survey_plots.dangers(summed),
        ),
        Part(
            "draws",
            "the same for every single draw.",
            draws,
            view=lambda: _view_danger(summed, "largest", "Danger: largest of ten draws"),
        ),
    ]


def _describe_utility(used: pl.DataFrame) -> str:
    return " ".join(_describe_limits(name, part) for (name,), part in used.group_by("release", maintain_order=True))


def _describe_limits(name: object, part: pl.DataFrame) -> str:
    over = part.filter(~pl.col("within"))
    broken = [f"{line['figure']} {_number(line['value'])} (limit {line['limit']:g})" for line in over.to_dicts()]
    return f"{name}: {'over ' + ', '.join(broken) if broken else 'within all limits'}."


def _describe_danger(summed: pl.DataFrame) -> str:
    """Say which attack is worst for each release."""
    return " ".join(
        _describe_worst(str(name), part) for (name,), part in summed.group_by("release", maintain_order=True)
    )


def _describe_worst(name: str, part: pl.DataFrame) -> str:
    line = survey.worst_attack(part)
    if line["mean"] is None:
        return f"{name}: nobody was left out to ask about."
    return f"{name}: worst {line['attack']}, mean {line['mean']:.3f}, largest {line['largest']:.3f}."


def _view_utility(used: pl.DataFrame) -> Table:
    releases = used["release"].unique(maintain_order=True)
    cells = {
        (line["figure"], line["release"]): f"{_number(line['value'])}{'' if line['within'] else '!'}"
        for line in used.to_dicts()
    }
    figures = used["figure"].unique(maintain_order=True)
    limits = {figure: "≥ 0.5" if figure == survey.KEPT else "4, 6" for figure in figures}
    limits |= {figure: f"{most:g}" for figure, most in pwscup2021.LIMITS.items()}
    rows = [[figure, limits[figure], *(cells[figure, name] for name in releases)] for figure in figures]
    return text_table("Utility (!: over the limit)", ["figure", "limit", *releases], rows)


def _view_danger(summed: pl.DataFrame, column: str, title: str) -> Table:
    releases, attacks = (summed[name].unique(maintain_order=True) for name in ("release", "attack"))
    cells = {
        (line["attack"], line["release"]): f"{'*' if line['worst'] and column == 'mean' else ''}{line[column]:.3f}"
        for line in summed.drop_nulls("mean").to_dicts()
    }
    rows = [[attack, *(cells.get((attack, name), "") for name in releases)] for attack in attacks]
    return text_table(title, ["attack", *releases], rows)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
