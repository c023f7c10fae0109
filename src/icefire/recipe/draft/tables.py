"""A first recipe for a table: coarser quasi-identifiers, classes of k, sensitive values mixed inside the classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from icefire.core.dataset import Dataset
from icefire.core.errors import ParameterError
from icefire.core.schema import Role
from icefire.recipe.draft.columns import MANY_VALUES, Coarsening, coarsening, is_free_text
from icefire.recipe.draft.toml import DraftStep, RecipeDraft, listed

TOP_QUANTILE = 0.99
COUNT = "\0rows"
"""Name of a column of counts that no table has."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is done with which columns."""

    free_text: tuple[str, ...]
    """Text that differs from row to row, and text without a role: blanked."""
    qi: tuple[str, ...]
    sa: tuple[str, ...]
    others: tuple[str, ...]
    """Columns without a role that hold no text."""


def draft(data: Dataset, k: int) -> RecipeDraft:
    """Return the first recipe of a table."""
    if not data.qi and not data.sa:
        raise ParameterError(
            "recipe init: no column is a quasi-identifier or sensitive; name them with --qi COLUMNS and --sa COLUMNS"
        )
    if data.height < k:
        raise ParameterError(
            f"recipe init: the policy asks for classes of {k}, but the table has {data.height} rows; choose another "
            "policy, or more rows"
        )
    plan = _plan(data)
    steps = [*_blanked(plan), *_coarser(data, plan), *_without_extremes(data, plan), *_classes(plan, k), *_mixed(plan)]
    return RecipeDraft(_about(data), steps)


def _plan(data: Dataset) -> _Plan:
    frame = data.frame
    others = data.schema.named(Role.OTHER)
    blanked = {name for name in (*data.qi, *data.sa) if is_free_text(frame[name])}
    blanked |= {name for name in others if frame[name].dtype == pl.String}

    def kept(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in blanked)

    in_order = tuple(name for name in data.schema.names if name in blanked)
    return _Plan(in_order, kept(data.qi), kept(data.sa), kept(others))


def _about(data: Dataset) -> list[str]:
    titles = {
        "Quasi-identifiers, which somebody may know about a person": data.qi,
        "Sensitive attributes": data.sa,
        "Identifiers, not released": data.schema.named(Role.ID),
        "Without a role": data.schema.named(Role.OTHER),
    }
    remarks = [f"{title}: {listed(names)}." for title, names in titles.items() if names]
    return [*remarks, "Give the same roles to the other commands, with --qi and --sa or --schema."]


def _blanked(plan: _Plan) -> Iterator[DraftStep]:
    if plan.free_text:
        yield DraftStep(
            "generalize",
            "Text that is different in nearly every row, or that has no role: it can name people, and no class could "
            "be made of it. Every value becomes *. A column that is needed: group its values (see groups in icefire "
            "list methods) and give it a role. Or leave the columns out of the table.",
            {"columns": plan.free_text, "top": True},
        )


def _coarser(data: Dataset, plan: _Plan) -> Iterator[DraftStep]:
    """Coarsen dates, codes and numbers of many values; columns that are coarsened in the same way share a step."""
    shared: dict[Coarsening, list[str]] = {}
    for name in plan.qi:
        way = coarsening(data.frame[name])
        if way is not None:
            shared.setdefault(way, []).append(name)
    for way, names in shared.items():
        yield DraftStep("generalize", way.why, {"columns": names, way.parameter: way.value})
    coarsened = {name for names in shared.values() for name in names}
    yield from _groups_to_fill_in(data, [name for name in plan.qi if name not in coarsened])


def _groups_to_fill_in(data: Dataset, names: Sequence[str]) -> Iterator[DraftStep]:
    """Show, for text of many values, how groups are written; which values belong together only a person knows."""
    for name in names:
        counts = data.frame[name].drop_nulls().value_counts(name=COUNT).sort(COUNT, name, descending=[True, False])
        if data.frame[name].dtype == pl.String and counts.height > MANY_VALUES:
            yield DraftStep(
                "generalize",
                f"An example, not used yet: {listed([name])} has {counts.height} values. Groups that mean something to "
                "the reader keep more than the classes below, which give everybody of a class its most frequent value.",
                {"columns": [name], "groups.a_name_of_the_group": counts[name][:2].to_list(), "other": "other"},
                is_example=True,
            )


def _without_extremes(data: Dataset, plan: _Plan) -> Iterator[DraftStep]:
    large = [
        name
        for name in plan.sa
        if data.frame[name].dtype.is_numeric() and data.frame[name].drop_nulls().n_unique() > MANY_VALUES
    ]
    if large:
        yield DraftStep(
            "top_code",
            "The largest 1 % of each column would be recognised by their size alone; they become the value at this "
            "quantile. Sums and averages become smaller. Lower it if single large values still stand out.",
            {"columns": large, "quantile": TOP_QUANTILE},
        )


def _classes(plan: _Plan, k: int) -> Iterator[DraftStep]:
    if plan.qi:
        yield DraftStep(
            "k_anonymize",
            f"At least {k} rows look the same in all quasi-identifiers; rows are described as those next to them. A "
            'larger k protects more and keeps less. mode = "full_domain" with max_suppressed = 0.02 releases ranges '
            "that are the same in all rows instead. l_distinct = 2 sees to it that not everybody of a class has the "
            "same sensitive value.",
            {"k": k},
        )


def _mixed(plan: _Plan) -> Iterator[DraftStep]:
    """Mix what is not a quasi-identifier: inside the classes, or over all rows where there are none."""
    mixed = (*plan.sa, *plan.others)
    if plan.sa and plan.qi:
        yield DraftStep(
            "swap",
            "Inside each class every column is shuffled by itself: totals and averages of the classes stay, but nobody "
            "can tell which value is whose. Without this step people are recognised by their sensitive values, "
            'whatever the classes are. method = "average" in its place gives each class its average.',
            {"columns": mixed} if plan.others else {},
        )
    elif plan.sa:
        yield DraftStep(
            "shuffle",
            "There are no classes to mix values in, so every column is shuffled over all rows: each column keeps its "
            "values, and what the columns say about one another is lost. Name quasi-identifiers to keep more.",
            {"columns": mixed},
        )
    elif plan.others:
        yield DraftStep(
            "suppress_columns",
            "These columns have no role and would be released as they are, for everybody to compare. Give a column a "
            "role if it is needed.",
            {"columns": plan.others},
        )
